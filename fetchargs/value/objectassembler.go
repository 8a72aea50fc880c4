package value

// A ObjectAssembler puts together an object whose stretches are in several fields, of one record or
// of several. It reuses its memory for the next object.
type ObjectAssembler struct {
	stretches []stretch
	object    Object
	buf       []byte // for an object in several stretches
	absent    []Range
	pages     [MostOfObject/checkPage + 2]pageState
	one       [1][]byte // the record of a side without parts
}

// A stretch is an Extent with its decoder.
type stretch struct {
	dec   *Decoder
	field *Field
	part  int
}

// A pageState is what is known of a page of an object.
type pageState uint8

const (
	believed pageState = iota // there is no sign that it could not be read
	doubted                   // a window on it could not be read
	present                   // a window on it could be read
)

// NewObjectAssembler returns a ObjectAssembler for field f of the first decoder of a side; its Encoding must
// be Dumped. parts are the decoders of the parts of the side, nil for missing ones.
func NewObjectAssembler(f int, parts []*Decoder) *ObjectAssembler {
	j := &ObjectAssembler{}
	first := &parts[0].fields[f]
	j.object.Whole = first.Whole
	j.add(parts, Place{0, f})
	for _, rest := range first.Dump.Rest {
		j.add(parts, rest)
	}
	if n := first.fetched(); len(j.stretches) > 1 {
		j.buf = make([]byte, n)
	}
	return j
}

func (j *ObjectAssembler) add(parts []*Decoder, at Place) {
	s := stretch{part: at.Part}
	if at.Part < len(parts) && parts[at.Part] != nil {
		s.dec, s.field = parts[at.Part], &parts[at.Part].fields[at.Field]
	}
	j.stretches = append(j.stretches, s)
}

// fetched returns how many bytes of the object are fetched. f is the object's first
// field.
func (f *Field) fetched() int { return min(f.Whole, MostOfObject) }

// Value returns the object in the records of a side's parts. A record that was not seen
// is nil.
func (j *ObjectAssembler) Value(records [][]byte) Value {
	first := &j.stretches[0]
	if first.record(records) == nil {
		return Value{}
	}
	f, data := first.field, first.record(records)
	if g, addr, reason := first.dec.fault(f, data); g != nil {
		return Value{Kind: Fault, Pointer: g, Uint: addr, Reason: reason}
	}
	o := &j.object
	o.Absent, j.absent = nil, j.absent[:0]
	addr, followed := first.address(data)
	if j.buf == nil {
		o.Bytes = first.dec.dumped(f, data)
	} else {
		o.Bytes = j.buf
		j.join(records, addr)
	}
	if o.Addr = addr; followed {
		if reason, bad := j.findAbsentPages(records, addr); bad {
			g := &f.PointerChecks[len(f.PointerChecks)-1]
			return Value{Kind: Fault, Pointer: g, Uint: first.dec.Arg(g.Arg, data), Reason: reason}
		}
	}
	o.Absent = j.absent
	return Value{Kind: Dump, Object: o}
}

func (s *stretch) record(records [][]byte) []byte {
	if s.dec == nil || s.part >= len(records) {
		return nil
	}
	return records[s.part]
}

// address returns the address of the object, and whether it was reached through a pointer.
func (s *stretch) address(data []byte) (uint64, bool) {
	checks := s.field.PointerChecks
	if len(checks) == 0 {
		return s.field.Dump.Addr, false
	}
	return s.dec.Arg(checks[len(checks)-1].Arg, data) + uint64(s.field.Dump.Off), true
}

// join copies the stretches to their places. A stretch is left out if it was not seen, or
// if it is of another object, because a pointer on the way has changed meanwhile.
func (j *ObjectAssembler) join(records [][]byte, addr uint64) {
	end := 0
	for i := range j.stretches {
		s := &j.stretches[i]
		data := s.record(records)
		if data == nil || i > 0 && !s.isOf(addr, data) {
			continue
		}
		b, at := s.dec.dumped(s.field, data), s.field.Dump.At
		if at < end || at > len(j.buf) {
			continue
		}
		j.miss(end, at)
		end = at + copy(j.buf[at:], b)
	}
	j.miss(end, len(j.buf))
}

// isOf reports whether a stretch is of the object at addr.
func (s *stretch) isOf(addr uint64, data []byte) bool {
	if bad, _, _ := s.dec.fault(s.field, data); bad != nil {
		return false
	}
	own, _ := s.address(data)
	return own == addr
}

// miss records that bytes could not be read.
func (j *ObjectAssembler) miss(start, end int) {
	if start >= end {
		return
	}
	at := len(j.absent)
	for at > 0 && j.absent[at-1].End >= start {
		at--
	}
	// The ranges from at on overlap or touch the new one, or come after it.
	last := at
	for last < len(j.absent) && j.absent[last].Start <= end {
		start, end = min(start, j.absent[last].Start), max(end, j.absent[last].End)
		last++
	}
	if last == at {
		j.absent = append(j.absent, Range{})
		copy(j.absent[at+1:], j.absent[at:])
	} else {
		j.absent = append(j.absent[:at+1], j.absent[last:]...)
	}
	j.absent[at] = Range{start, end}
}

// findAbsentPages finds the pages of the object at addr that could not be read. bad is true if none
// could be read, or if it is not known whether user memory could be.
func (j *ObjectAssembler) findAbsentPages(records [][]byte, addr uint64) (reason FaultReason, bad bool) {
	n := len(j.object.Bytes)
	if n == 0 {
		return 0, false
	}
	j.pages = [len(j.pages)]pageState{}
	reason, bad = j.markPages(records, addr)
	if bad {
		return reason, true
	}
	first, gone, pages := addr/checkPage, 0, 0
	for p := first; p <= (addr+uint64(n)-1)/checkPage && int(p-first) < len(j.pages); p++ {
		pages++
		if j.pages[p-first] == doubted || j.pages[p-first] == believed && !j.mapped(p*checkPage) {
			gone++
			j.miss(j.around(p, first, addr))
		}
	}
	return reason, gone == pages
}

// markPages marks the pages that the records show to be present, or not, and returns why not. bad
// is set if they show nothing.
func (j *ObjectAssembler) markPages(records [][]byte, addr uint64) (reason FaultReason, bad bool) {
	user, why := j.stretches[0].dec.arch.IsUser(addr), NotInMemory
	for i := range j.stretches {
		s := &j.stretches[i]
		data := s.record(records)
		if data == nil || i > 0 && !s.isOf(addr, data) {
			continue
		}
		if user && len(s.field.Dump.Windows) == 0 && s.field.Dump.Args > 0 && s.dec.reasons == nil {
			return Unproven, true
		}
		for w := range s.field.Dump.Windows {
			window := &s.field.Dump.Windows[w]
			reason, away := s.dec.away(window, addr, data)
			switch {
			case away && (reason == NotInMemory || window.ReadCheck.Kind == Witnessed):
				j.mark(addr, window.Range, doubted)
				why = max(why, reason)
			case away && user:
				return reason, true
			case !away:
				j.mark(addr, window.Range, present)
			}
		}
	}
	return why, false
}

// around returns the part of the object on a page. It includes elements of 8 bytes that
// cross the ends of the page, because each is read at once.
func (j *ObjectAssembler) around(page, first, addr uint64) (start, end int) {
	if page > first {
		start = int(page*checkPage-addr) &^ 7
	}
	return start, min(int((page+1)*checkPage-addr+7)&^7, len(j.object.Bytes))
}

// mark records the state of the pages of a window.
func (j *ObjectAssembler) mark(addr uint64, r Range, state pageState) {
	first := addr / checkPage
	for p := (addr + uint64(r.Start)) / checkPage; p <= (addr+uint64(r.End)-1)/checkPage; p++ {
		if i := p - first; i < uint64(len(j.pages)) {
			j.pages[i] = max(j.pages[i], state)
		}
	}
}

// mapped reports whether there may be memory at an address of the kernel.
func (j *ObjectAssembler) mapped(addr uint64) bool {
	d := j.stretches[0].dec
	return d.mapped == nil || !d.arch.IsKernel(addr) || d.mapped(addr)
}

// away reports whether a window of the object at addr could not be read. It is certain if
// the reason is NotInMemory; otherwise the record does not show it.
func (d *Decoder) away(w *Window, addr uint64, data []byte) (FaultReason, bool) {
	p := w.ReadCheck
	pointer := addr + uint64(w.Start) - uint64(p.From)
	switch {
	case p.Kind == Counted:
		risen, ok := d.counted(p, pointer, data)
		if !ok {
			return Unproven, true
		}
		return NotInMemory, risen
	case p.Kind == Itself && d.arch.IsKernel(addr): // even an empty string of the kernel's is stored, with its NUL
		return NotInMemory, d.Arg(p.Args[0], data)>>16 == 0
	}
	return d.doubt(p, pointer, data)
}

// Faulted reports whether any part of field f could not be read.
func (d *Decoder) Faulted(f int, data []byte) bool {
	field := &d.fields[f]
	switch field.Encoding {
	case Dumped:
	case Array:
		return d.misread(field, data)
	default:
		return d.Value(f, data).Kind == Fault
	}
	if bad, _, _ := d.fault(field, data); bad != nil {
		return true
	}
	s := stretch{dec: d, field: field}
	addr, _ := s.address(data)
	for i := range field.Dump.Windows {
		if _, away := d.away(&field.Dump.Windows[i], addr, data); away {
			return true
		}
	}
	return false
}

// misread reports whether some of an array, perhaps a part that means nothing, could not be
// read.
func (d *Decoder) misread(f *Field, data []byte) bool {
	for i := range f.PointerChecks {
		g := &f.PointerChecks[i]
		addr := d.Arg(g.Arg, data)
		if !d.readable(g, addr) {
			return true
		}
		if d.arch.IsUser(addr) && !d.trusts(g) {
			if _, bad := d.doubt(g.ReadCheck, addr, data); bad {
				return true
			}
		}
	}
	return false
}

// dumped returns the bytes of a stretch in the record, fewer if the record is damaged.
func (d *Decoder) dumped(f *Field, data []byte) []byte {
	if f.Dump.Args == 0 || f.Arg+f.Dump.Args > len(d.slots) {
		return nil
	}
	start := d.slots[f.Arg].Offset
	end := start
	for _, s := range d.slots[f.Arg : f.Arg+f.Dump.Args] {
		if s.Offset != end {
			break
		}
		end += s.Size
	}
	end = min(end, start+f.Skip+f.Count)
	if end > len(data) || start+f.Skip > end {
		return nil
	}
	return data[start+f.Skip : end]
}
