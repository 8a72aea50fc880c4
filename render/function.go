package render

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Function is a Source prepared for showing its calls.
type Function struct {
	Name   string
	Title  string // Name, escaped
	Module string // "" for the kernel itself
	Plan   *plan.Plan
	From   *Recording // nil if there is one trace
	Opts   *Options   // how its calls are shown

	Entry, Return Side

	Own     bool // it is tsnoop's own: its calls are not shown
	several bool // a side has several parts
	MayFail bool // the return value shows whether calls fail
}

// A Side is what is shown of a function's entry or return. It is empty if that side is
// not traced.
type Side struct {
	Result *Field  // the return value, nil if it is not shown
	Fields []Field // all other values

	at     dynevent.Side
	parts  []part // by part
	record Record // the last Record

	// For a side of one part, the index of the task's name and of the return address in
	// its record; -1 if it does not have them.
	comm, caller int
}

// A part is one of the probes of a side.
type part struct {
	probe *plan.Probe
	dec   *value.Decoder // nil if its records cannot be decoded
}

// A Record holds the data of a call's events for one side. It is valid as long as the
// events, and until the next Record of the side.
type Record struct {
	only  []byte   // for a side of one part; nil if it was not seen
	parts [][]byte // for a side of several parts; nil for parts that were not seen
}

// A Field is a value that is shown. Goroutines must not use it at the same time.
type Field struct {
	value.Type
	Name   string // as the user wrote it, or the name that the user gave
	Label  []byte // Name, escaped
	Assign []byte // Label and "="
	C      string // name of the C type, "" if not known
	Dump   bool   // the value is an object, which is shown as a tree
	Whole  int    // bytes of the object, if the value is only a part of it; else 0

	// Plain is set if the value is a number that is always in the record.
	Plain bool
	where value.Plain

	opts      *Options
	dec       *value.Decoder
	index     int                    // in Probe.Fields
	part      int                    // part of its side
	assembler *value.ObjectAssembler // for an object that continues in other parts; else nil
	again     *Field                 // the value at return, shown if it faulted at entry; may be nil
	text      textWalk
	cut       []byte // " /* 64 of 232 bytes */", if Whole is set
	bytes     int    // size of an array
}

// NewFunctions returns a Function for each source. Call.Plan is an index into it. o is
// used as long as the Functions are. Sources of one Recording follow one another.
func NewFunctions(sources []Source, o *Options) []Function {
	all := make([]Function, len(sources))
	for i, s := range sources {
		f, o := &all[i], o
		switch {
		case s.From == nil:
		case i > 0 && all[i-1].From == s.From:
			o = all[i-1].Opts
		default:
			o = s.From.options(o)
		}
		*f = Function{Name: s.Plan.FuncName(), Module: s.Plan.ModuleName(), Plan: s.Plan, From: s.From, Opts: o, Own: s.Plan.IsOwn()}
		f.Title = string(AppendEscaped(nil, []byte(f.Name), NoQuote))
		f.Entry = newSide(dynevent.Entry, &s, o)
		f.Return = newSide(dynevent.Return, &s, o)
		f.several = len(f.Entry.parts) > 1 || len(f.Return.parts) > 1
		f.findRefetched()
		f.MayFail = s.ReturnErrno(o.Order) != nil
	}
	return all
}

// Shown returns how many of the functions are not tsnoop's own.
func Shown(all []Function) (n int) {
	for i := range all {
		if !all[i].Own {
			n++
		}
	}
	return n
}

// ReturnErrno returns the ReturnErrno that finds out from the record of the first part of the return
// whether a call failed; nil if that is not known. order is the byte order of the records, nil
// for little endian.
func (s *Source) ReturnErrno(order binary.ByteOrder) *plan.ReturnErrno {
	if parts := s.parts(dynevent.Return); len(parts) > 0 {
		return plan.NewReturnErrno(parts[0].probe, parts[0].dec, order)
	}
	return nil
}

// parts returns the probes of a side, by part.
func (s *Source) parts(at dynevent.Side) (all []part) {
	for i, p := range s.Plan.Probes {
		if p.Side != at {
			continue
		}
		next := part{probe: p}
		if i < len(s.Decoders) {
			next.dec = s.Decoders[i]
		}
		all = append(all, next)
	}
	return all
}

func newSide(at dynevent.Side, source *Source, o *Options) Side {
	s := Side{at: at, parts: source.parts(at), comm: -1, caller: -1}
	switch {
	case len(s.parts) > 1:
		s.record.parts = make([][]byte, len(s.parts))
	case len(s.parts) == 1 && s.parts[0].dec != nil:
		s.comm, s.caller = s.parts[0].probe.Comm, s.parts[0].probe.Caller
	}
	for i, p := range s.parts {
		if p.dec == nil {
			continue
		}
		for j := range p.probe.Fields {
			f := &p.probe.Fields[j]
			if f.Hidden || at == dynevent.Return && f.Encoding == value.Nothing {
				continue
			}
			returned := at == dynevent.Return && len(f.PointerChecks) == 0 && f.Encoding == value.Integer
			field := NewField(f, returned, o)
			field.from(&s, i, j)
			if at == dynevent.Return && f.Label == "return" && s.Result == nil {
				s.Result = field
				continue
			}
			s.Fields = append(s.Fields, *field)
		}
	}
	return s
}

// decoders returns the decoders of the parts.
func (s *Side) decoders() []*value.Decoder {
	all := make([]*value.Decoder, len(s.parts))
	for i, p := range s.parts {
		all[i] = p.dec
	}
	return all
}

// from sets f to the value of the field with the given index in the given part.
func (f *Field) from(s *Side, part, index int) {
	f.part, f.index, f.dec, f.assembler = part, index, s.parts[part].dec, nil
	f.where, f.Plain = f.dec.Plain(index)
	f.Plain = f.Plain && len(s.parts) == 1 // with several parts, a record may be missing
	if d := s.parts[part].probe.Fields[index].Dump; d != nil && len(d.Rest) > 0 && part == 0 {
		f.assembler = value.NewObjectAssembler(index, s.decoders())
	}
}

// event returns the event of one part of the side, nil if it was not seen.
func (s *Side) event(part int, c *calls.Call) *tracefs.Event {
	return c.Event(s.at == dynevent.Return, part)
}

// Record returns the record of c for the side.
func (s *Side) Record(c *calls.Call) *Record {
	r := &s.record
	if len(r.parts) > 0 {
		s.gather(c)
		return r
	}
	e := c.Entry
	if s.at == dynevent.Return {
		e = c.Return
	}
	r.only = nil
	if e != nil {
		r.only = e.Data
	}
	return r
}

// gather collects the records of c for a side of several parts.
func (s *Side) gather(c *calls.Call) {
	for i := range s.parts {
		s.record.parts[i] = nil
		if e := s.event(i, c); e != nil {
			s.record.parts[i] = e.Data
		}
	}
}

// Value returns the value of f in r, a record of f's side. An object is valid until the
// next Value of f.
func (f *Field) Value(r *Record) value.Value {
	if r.only != nil {
		return f.dec.Value(f.index, r.only)
	}
	return f.gathered(r)
}

// gathered returns the value of f if its side has several parts, or was not seen.
func (f *Field) gathered(r *Record) value.Value {
	switch {
	case f.part >= len(r.parts) || r.parts[f.part] == nil:
		return value.Value{}
	case f.assembler != nil:
		return f.assembler.Value(r.parts)
	}
	return f.dec.Value(f.index, r.parts[f.part])
}

// Number returns the number of f in r, a record of f's side. f must be Plain.
func (f *Field) Number(r *Record) uint64 { return f.Means(f.where.Load(r.only)) }

// AppendNumber appends the text of that number.
func (f *Field) AppendNumber(dst []byte, r *Record) []byte {
	return texts[f.Form].number(f.opts, &f.Type, dst, f.Means(f.where.Load(r.only)))
}

// findRefetched finds the values of the entry that the return probe fetches again.
func (f *Function) findRefetched() {
	if len(f.Return.parts) == 0 || f.Return.parts[0].dec == nil {
		return
	}
	again := f.Return.parts[0]
	for i := range f.Entry.Fields {
		field := &f.Entry.Fields[i]
		n := f.Entry.parts[field.part].probe.Fields[field.index].Refetched
		if n <= 0 || n > len(again.probe.Fields) {
			continue
		}
		later := *field
		later.from(&f.Return, 0, n-1)
		field.again = &later
	}
}

// AtReturn returns the value of field, a field of the entry, at return. It returns true
// if val, the value at entry, could not be read completely and the value at return is
// better.
func (f *Function) AtReturn(field *Field, c *calls.Call, val *value.Value) (value.Value, bool) {
	if field.again == nil || c.Return == nil || val.Kind != value.Fault && !val.IsCut() {
		return value.Value{}, false
	}
	later := field.again.Value(f.Return.Record(c))
	return later, later.Kind != value.Fault && later.Kind != value.None && !(val.IsCut() && later.IsCut())
}

// Comm returns the name of the task that made the call: the one that tsnoop itself has
// fetched or, if there is none, the one that belongs to the task's ID.
func (f *Function) Comm(c *calls.Call) []byte {
	if f.several {
		if text := f.anyComm(c); text != nil {
			return text
		}
	}
	if s := &f.Entry; s.comm >= 0 && c.Entry != nil {
		if text := s.parts[0].dec.Text(s.comm, c.Entry.Data); text != nil {
			return text
		}
	}
	if s := &f.Return; s.comm >= 0 && c.Return != nil {
		if text := s.parts[0].dec.Text(s.comm, c.Return.Data); text != nil {
			return text
		}
	}
	if c.Entry != nil {
		return c.Entry.Comm
	}
	return c.Return.Comm
}

// anyComm returns the name that tsnoop has fetched for a function with a side of several
// parts, nil if there is none.
func (f *Function) anyComm(c *calls.Call) []byte {
	for _, s := range [...]*Side{&f.Entry, &f.Return} {
		for i, p := range s.parts {
			if e := s.event(i, c); e != nil && p.dec != nil && p.probe.Comm >= 0 {
				if text := p.dec.Text(p.probe.Comm, e.Data); text != nil {
					return text
				}
			}
		}
	}
	return nil
}

// Hidden returns a Field for the index-th field of a probe, which need not be shown, and
// the side that it is on; nil if there is no decoder for it.
func (f *Function) Hidden(p *plan.Probe, index int, o *Options) (*Side, *Field) {
	side := &f.Entry
	if p.Side == dynevent.Return {
		side = &f.Return
	}
	if side.parts[p.Part].dec == nil {
		return nil, nil
	}
	from := &p.Fields[index]
	field := NewField(from, p.Side == dynevent.Return && len(from.PointerChecks) == 0 && from.Encoding == value.Integer, o)
	field.from(side, p.Part, index)
	return side, field
}

// ReturnAddress returns the address that c returns to, 0 if it is not known.
func (f *Function) ReturnAddress(c *calls.Call) uint64 {
	if f.several {
		return f.anyCaller(c)
	}
	if s := &f.Entry; s.caller >= 0 && c.Entry != nil {
		if addr := s.parts[0].dec.Arg(s.caller, c.Entry.Data); addr != 0 {
			return addr
		}
	}
	if s := &f.Return; s.caller >= 0 && c.Return != nil {
		return s.parts[0].dec.Arg(s.caller, c.Return.Data)
	}
	return 0
}

// anyCaller is ReturnAddress for a function with a side of several parts.
func (f *Function) anyCaller(c *calls.Call) uint64 {
	for _, s := range [...]*Side{&f.Entry, &f.Return} {
		for i, p := range s.parts {
			if e := s.event(i, c); e != nil && p.dec != nil && p.probe.Caller >= 0 {
				if addr := p.dec.Arg(p.probe.Caller, e.Data); addr != 0 {
					return addr
				}
			}
		}
	}
	return 0
}
