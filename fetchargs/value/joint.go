package value

// A Joint puts objects together, whose stretches several fields have, of one
// record or of several. It keeps the memory that it needs for that.
type Joint struct {
	stretches []stretch
	object    Object
	buf       []byte // of an object in several stretches
	absent    []Range
	pages     [MostOfObject/proofPage + 2]pageState
	one       [1][]byte // the record of a side without parts
}

// A stretch is an Extent with what decodes it.
type stretch struct {
	dec   *Decoder
	field *Field
	part  int
}

// A pageState is what is known of a page that an object lies on.
type pageState uint8

const (
	believed pageState = iota // nothing speaks against it
	doubted                   // a window on it could not be read
	present                   // a window on it could be read
)

// NewJoint makes a Joint for field f of a side's first decoder, whose Encoding is
// Dumped. parts are the decoders of the side's parts, nil where there is none.
func NewJoint(f int, parts []*Decoder) *Joint {
	j := &Joint{}
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

func (j *Joint) add(parts []*Decoder, at Place) {
	s := stretch{part: at.Part}
	if at.Part < len(parts) && parts[at.Part] != nil {
		s.dec, s.field = parts[at.Part], &parts[at.Part].fields[at.Field]
	}
	j.stretches = append(j.stretches, s)
}

// fetched is how many bytes of its object are fetched, by the first field of it.
func (f *Field) fetched() int { return min(f.Whole, MostOfObject) }

// Value is the object in the records of a side's parts, nil for what was not seen.
func (j *Joint) Value(records [][]byte) Value {
	first := &j.stretches[0]
	if first.record(records) == nil {
		return Value{}
	}
	f, data := first.field, first.record(records)
	if v, bad := first.dec.fault(f, data); bad {
		return v
	}
	o := &j.object
	o.Absent, j.absent = nil, j.absent[:0]
	addr, known := first.address(data)
	if j.buf == nil {
		o.Bytes = first.dec.dumped(f, data)
	} else {
		o.Bytes = j.buf
		j.join(records, addr)
	}
	if o.Addr = addr; known {
		if why, bad := j.prove(records, addr); bad {
			g := &f.Guards[len(f.Guards)-1]
			return Value{Kind: Fault, Guard: g, Uint: first.dec.Arg(g.Arg, data), Why: why}
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

// address is that of the object, if it was reached by a pointer.
func (s *stretch) address(data []byte) (uint64, bool) {
	guards := s.field.Guards
	if len(guards) == 0 {
		return 0, false
	}
	return s.dec.Arg(guards[len(guards)-1].Arg, data) + uint64(s.field.Dump.Off), true
}

// join copies the stretches to their places. One that was not seen is missing, and
// so is one of another object, for a pointer on the way may have changed meanwhile.
func (j *Joint) join(records [][]byte, addr uint64) {
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

// isOf reports whether a stretch is of the object at an address.
func (s *stretch) isOf(addr uint64, data []byte) bool {
	if _, bad := s.dec.fault(s.field, data); bad {
		return false
	}
	own, _ := s.address(data)
	return own == addr
}

// miss notes that bytes could not be read.
func (j *Joint) miss(start, end int) {
	if start >= end {
		return
	}
	at := len(j.absent)
	for at > 0 && j.absent[at-1].End >= start {
		at--
	}
	// Those from at on touch it or lie behind it.
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

// prove finds the pages of the object at addr that could not be read. If that is
// all of it, or if nothing tells of a program's memory, bad is true.
func (j *Joint) prove(records [][]byte, addr uint64) (why Why, bad bool) {
	n := len(j.object.Bytes)
	if n == 0 {
		return 0, false
	}
	user := j.stretches[0].dec.arch.IsUser(addr)
	j.pages = [len(j.pages)]pageState{}
	for i := range j.stretches {
		s := &j.stretches[i]
		data := s.record(records)
		if data == nil || i > 0 && !s.isOf(addr, data) {
			continue
		}
		if user && len(s.field.Dump.Windows) == 0 && s.field.Dump.Args > 0 {
			return Unproven, true
		}
		for w := range s.field.Dump.Windows {
			window := &s.field.Dump.Windows[w]
			why, away := s.dec.away(window, addr, data)
			switch {
			case away && why == NotInMemory:
				j.mark(addr, window.Range, doubted)
			case away && user:
				return why, true
			case !away:
				j.mark(addr, window.Range, present)
			}
		}
	}
	first, gone, pages := addr/proofPage, 0, 0
	for p := first; p <= (addr+uint64(n)-1)/proofPage && int(p-first) < len(j.pages); p++ {
		pages++
		if j.pages[p-first] == doubted || j.pages[p-first] == believed && !j.mapped(p*proofPage) {
			gone++
			j.miss(j.around(p, first, addr))
		}
	}
	return NotInMemory, gone == pages
}

// around is what of the object lies on a page, and what goes over its ends: an
// element of 8 bytes is read at once.
func (j *Joint) around(page, first, addr uint64) (start, end int) {
	if page > first {
		start = int(page*proofPage-addr) &^ 7
	}
	return start, min(int((page+1)*proofPage-addr+7)&^7, len(j.object.Bytes))
}

// mark notes what is known of the pages that a window is on.
func (j *Joint) mark(addr uint64, r Range, state pageState) {
	first := addr / proofPage
	for p := (addr + uint64(r.Start)) / proofPage; p <= (addr+uint64(r.End)-1)/proofPage; p++ {
		if i := p - first; i < uint64(len(j.pages)) {
			j.pages[i] = max(j.pages[i], state)
		}
	}
}

// mapped tells of an address of the kernel that there may be memory.
func (j *Joint) mapped(addr uint64) bool {
	d := j.stretches[0].dec
	return d.mapped == nil || !d.arch.IsKernel(addr) || d.mapped(addr)
}

// away reports whether a window of the object at addr could not be read: with
// NotInMemory it is known, with another reason the record does not tell.
func (d *Decoder) away(w *Window, addr uint64, data []byte) (Why, bool) {
	p := w.Proof
	pointer := addr + uint64(w.Start) - uint64(p.From)
	switch {
	case p.Kind == Counted:
		risen, ok := d.counted(p, pointer, data)
		if !ok {
			return Unproven, true
		}
		return NotInMemory, risen
	case p.Kind == Itself && d.arch.IsKernel(addr): // of the kernel's strings the NUL is stored, too
		return NotInMemory, d.Arg(p.Args[0], data)>>16 == 0
	}
	return d.doubt(p, pointer, data)
}

// Faulted reports whether something of field f could not be read.
func (d *Decoder) Faulted(f int, data []byte) bool {
	field := &d.fields[f]
	if field.Encoding != Dumped {
		return d.Value(f, data).Kind == Fault
	}
	if _, bad := d.fault(field, data); bad {
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

// dumped are the bytes of a stretch as the record has them, fewer if it is damaged.
func (d *Decoder) dumped(f *Field, data []byte) []byte {
	if f.Dump.Args == 0 || f.Arg+f.Dump.Args > len(d.slots) {
		return nil
	}
	start := d.slots[f.Arg].Offset
	end := start
	for _, s := range d.slots[f.Arg : f.Arg+f.Dump.Args] {
		if s.Offset != end || s.Size < 0 {
			break
		}
		end += s.Size
	}
	end = min(end, start+f.Skip+f.Count)
	if start < 0 || end > len(data) || start+f.Skip > end {
		return nil
	}
	return data[start+f.Skip : end]
}
