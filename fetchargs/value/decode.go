package value

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// A Slot is the place of an Arg in a record, as the event's format file has it.
type Slot struct {
	Offset, Size int  // bytes
	DataLoc      bool // a word that points at the data: length<<16 | offset
	From         int  // what the offset of a DataLoc counts from, in bytes of the record
	Sure         bool // text that was not fetched, so that nothing can have left it out; without DataLoc it is here
}

// A Decoder decodes the records of one probe. It keeps nothing between records except the
// memory for objects, and it does not allocate.
type Decoder struct {
	fields  []Field
	arch    *abi.Arch
	slots   []Slot
	big     bool // the records' byte order
	mapped  func(addr uint64) bool
	more    []more        // one for each field
	doubts  int           // offset in a record of the indexes into whys, one for each arg
	reasons []FaultReason // nil if the records have no such indexes
	cuts    bool          // a text without its NUL is only a beginning: see MayCut
}

// more is what a Decoder has for a field beside its Field.
type more struct {
	path      []byte           // buffer, if it is a path
	set       *constants.Set   // if another parameter chooses among its cases; else nil
	assembler *ObjectAssembler // if it is the first stretch of a dump; else nil
	list      Parts            // memory, if it is Strings
}

// NewDecoder returns a decoder for records with the given fields. slots is the layout of
// the records; Field.Arg and PointerCheck.Arg are indexes into it. mapped reports whether a
// kernel address can be read. If it is nil, every address in the kernel's half is taken
// for readable, except error pointers.
func NewDecoder(fields []Field, arch *abi.Arch, slots []Slot, order binary.ByteOrder, mapped func(uint64) bool) *Decoder {
	d := &Decoder{fields: fields, arch: arch, slots: slots, big: IsBig(order), mapped: mapped, more: make([]more, len(fields))}
	for i := range fields {
		f, m := &fields[i], &d.more[i]
		if f.Path != nil {
			m.path = make([]byte, longestPath)
		}
		if f.By > 0 {
			m.set = names(f.Macros, f.Set)
		}
		if f.Encoding == Dumped && !f.IsRest() {
			m.assembler = NewObjectAssembler(i, []*Decoder{d})
		}
		m.list = make(Parts, 0, len(f.Items))
	}
	return d
}

// Value decodes the probe's field f. If it is an object that continues in other records,
// the value is only the part in this one; a [ObjectAssembler] puts the parts together.
//
// The result has a name so that it is not copied: it is too large for that.
func (d *Decoder) Value(f int, data []byte) (v Value) {
	if v = d.value(f, data); d.reasons != nil && v.Kind != Fault && v.Kind != None && d.mayBeOld(&d.fields[f], data) {
		v.Reason |= OldMemory
	}
	return v
}

func (d *Decoder) value(f int, data []byte) (v Value) {
	field := &d.fields[f]
	if u := field.Use; u != nil && !u.holds(d.Arg(u.Arg, data)) {
		return Value{Reason: Unused}
	}
	if field.Encoding == Nothing || field.Encoding == Dumped {
		return d.object(f, data)
	}
	if field.Bound != nil {
		if v, none := d.unbound(field, data); none {
			return v
		}
	}
	if field.Encoding == Strings {
		return d.strings(f, data)
	}
	if len(field.PointerChecks) > 0 {
		if g, addr, reason := d.fault(field, data); g != nil {
			return Value{Kind: Fault, Pointer: g, Uint: addr, Reason: reason}
		}
	}
	switch field.Encoding {
	case String:
		d.setText(&v, f, data)
		return v
	case Array:
		return d.array(field, data)
	case Age:
		return age(d.Arg(field.Arg, data))
	case Who:
		return d.task(field, data)
	}
	raw := d.Arg(field.Arg, data)
	if field.Split > 0 {
		raw |= d.Arg(field.Arg+1, data) << field.Split
	}
	v = field.number(raw)
	if set := d.more[f].set; set != nil {
		v.Reason = caseOf(set, d.Arg(field.By-1, data))
	}
	return v
}

// setText sets v, which is zero, to the value of a String. To return it would copy it.
func (d *Decoder) setText(v *Value, f int, data []byte) {
	field := &d.fields[f]
	text := d.Text(field.Arg, data)
	if text == nil || d.isCut(field, data) {
		*v = d.noText(field, data)
		return
	}
	if field.Path != nil {
		*v = d.path(field.Path, d.more[f].path, data)
		return
	}
	if field.Count > 0 && len(text) >= field.Count {
		text = text[:field.Count]
	} else if d.cuts && len(text) == int(d.Arg(field.Arg, data)>>16) {
		v.Reason = CutOff
	}
	v.Kind, v.Bytes = Text, text
	if d.reasons != nil {
		v.Reason = d.textReason(field, data)
	}
}

// object returns the value of a field that is an object or was not fetched.
func (d *Decoder) object(f int, data []byte) Value {
	j := d.more[f].assembler
	if j == nil {
		return Value{}
	}
	j.one[0] = data
	return j.Value(j.one[:])
}

// fault returns the first pointer on the way to f that could not be followed, its value,
// and why; nil if all could be. A string shows by itself whether the last pointer could
// be.
func (d *Decoder) fault(f *Field, data []byte) (bad *PointerCheck, addr uint64, reason FaultReason) {
	for i := range f.PointerChecks {
		g := &f.PointerChecks[i]
		addr := d.Arg(g.Arg, data)
		if !d.readable(g, addr) {
			return g, addr, BadAddress
		}
		if (f.Encoding == String || f.Encoding == Dumped) && i == len(f.PointerChecks)-1 || !d.arch.IsUser(addr) || d.trusts(g) {
			continue
		}
		if reason, bad := d.doubt(g.ReadCheck, addr, data); bad && (i < len(f.PointerChecks)-1 || d.beginning(f, g, addr, data) == 0) {
			return g, addr, reason
		}
	}
	return nil, 0, BadAddress
}

// noText returns the value of a string that was not stored although all pointers look
// valid. Either the last pointer could not be read, or it points to an empty string in
// user memory, for which kernels up to about 6.12 store nothing.
func (d *Decoder) noText(f *Field, data []byte) Value {
	if len(f.PointerChecks) == 0 {
		return Value{Kind: Fault}
	}
	g := &f.PointerChecks[len(f.PointerChecks)-1]
	v := Value{Kind: Fault, Pointer: g, Uint: d.Arg(g.Arg, data)}
	switch reason, bad := d.doubt(g.ReadCheck, v.Uint, data); {
	case d.cuts && d.Arg(f.Arg, data) == TooLong:
		v.Reason = NoRoom
	case !d.arch.IsUser(v.Uint):
	case d.Arg(f.Arg, data)>>16 != 0: // a hop before the last failed
		v.Reason = NotInMemory
	case !bad && d.isEmpty(g.ReadCheck, data):
		return Value{Kind: Text}
	case !bad: // the text continues where there is no memory
		v.Reason = NotInMemory
	case reason == Unproven && (g.ReadCheck == nil || !g.ReadCheck.counts()):
		v.Reason = EmptyOrAway
	default:
		v.Reason = reason
	}
	return v
}

func (d *Decoder) readable(g *PointerCheck, addr uint64) bool {
	arch := d.arch
	switch user := arch.IsUser(addr); g.Space {
	case UserSpace:
		return user
	case AnySpace:
		return user || arch.IsKernel(addr)
	case EitherSpace:
		return user || arch.IsKernel(addr) && (d.mapped == nil || d.mapped(addr))
	}
	return arch.IsKernel(addr) && (d.mapped == nil || d.mapped(addr))
}

// Arg returns the number in the record for arg i, zero-extended.
func (d *Decoder) Arg(i int, data []byte) uint64 {
	s := &d.slots[i]
	if s.Offset+s.Size > len(data) {
		return 0
	}
	return Load(data[s.Offset:s.Offset+s.Size], d.big)
}

// Text returns the string in the record for arg i, without the final NUL; nil if it could
// not be read.
func (d *Decoder) Text(i int, data []byte) []byte {
	loc := d.Arg(i, data)
	off, n := int(loc&0xffff), int(loc>>16)
	switch s := &d.slots[i]; {
	case s.Sure && s.DataLoc:
		off += s.From
	case s.Sure || !s.DataLoc: // or numbers that hold the text
		off, n = s.Offset, s.Size
	case n == 0 || d.isNext(i, loc, data):
		return nil
	}
	if off+n > len(data) {
		return nil
	}
	text := data[off : off+n]
	for j, c := range text {
		if c == 0 {
			return text[:j]
		}
	}
	return text
}

// isNext reports whether arg i, a string at loc, only refers to the place of the next
// string. Since about 5.11, the kernel leaves this behind if it could not read a pointer
// on the way to the string: the place where the string would start, and the rest of the
// record as its length (it does not reach set_data_loc in
// kernel/trace/trace_probe_kernel.h).
func (d *Decoder) isNext(i int, loc uint64, data []byte) bool {
	for j := i + 1; j < len(d.slots); j++ {
		if d.slots[j].DataLoc {
			if other := d.Arg(j, data); other>>16 != 0 && other&0xffff == loc&0xffff {
				return true
			}
		}
	}
	return false
}

// bytes returns the bytes of an array. An array in two registers, and a long one, continues
// in the next args.
func (d *Decoder) bytes(f *Field, data []byte) []byte {
	s := d.slots[f.Arg]
	if s.DataLoc {
		loc := d.Arg(f.Arg, data)
		start := s.From + int(loc&0xffff)
		end := start + int(loc>>16)
		if end > len(data) {
			return nil
		}
		return data[start:end]
	}
	start, end := s.Offset+f.Skip, s.Offset+s.Size
	most := start + f.Size*f.Count
	for i := f.Arg + 1; end < most && i < len(d.slots) && d.slots[i].Offset == end; i++ {
		end += d.slots[i].Size
	}
	if f.Skip > 0 || s.Size == 8 { // in registers
		end = min(end, most)
	}
	if start > end || end > len(data) {
		return nil
	}
	return data[start:end]
}
