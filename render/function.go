package render

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Function is a Source with all that can be decided before its calls come.
type Function struct {
	Name   string
	Title  string // Name, escaped
	Module string // "" for the kernel itself
	Plan   *fetchargs.Plan

	Entry, Return Side

	several bool // a side has several parts
	mayFail bool // it is known whether calls fail
}

// A Side is what is shown of a function's entry or return; nothing is in it if that
// is not asked for.
type Side struct {
	Result *Field  // the return value itself, nil if it is not shown
	Fields []Field // all else

	at     fetchargs.Side
	parts  []part // by the numbers of the probes
	record Record // what was taken last

	// Of a side of one part, where its record has the task's name and the return
	// address; -1 if it has not.
	comm, caller int
}

// A part is one of the probes of a side.
type part struct {
	probe *fetchargs.Probe
	dec   *value.Decoder // nil if its records cannot be decoded
}

// A Record is what the events of a call have of a side. It is valid as long as they
// are, and until the next one is taken.
type Record struct {
	only  []byte   // of a side of one part, nil if that was not seen
	parts [][]byte // of one of several each part, nil for what was not seen
}

// A Field is a value that is shown. It is not for several goroutines at a time.
type Field struct {
	value.Type
	Name   string // as the user wrote or gave it
	Label  []byte // that, escaped
	Assign []byte // Label and "="
	C      string // name of the C type, "" if that is not known
	Dump   bool   // an object, of which a tree is shown
	Whole  int    // bytes of the object, if the value is not all of it; else 0

	// Plain: it is a number that cannot be missing.
	Plain bool
	where value.Plain

	opts  *Options
	dec   *value.Decoder
	index int          // in Probe.Fields
	part  int          // of its side
	joint *value.Joint // of an object that goes on in other parts
	again *Field       // what to show if it faulted at entry, as it was at return; may be nil
	text  textWalk
	cut   []byte // " /* 64 of 232 bytes */", with Whole
	bytes int    // of an array
}

// NewFunctions makes a Function of each source. Calls are of that with the index
// Call.Plan. o is used as long as they are.
func NewFunctions(sources []Source, o *Options) []Function {
	all := make([]Function, len(sources))
	for i, s := range sources {
		f := &all[i]
		*f = Function{Name: functionName(s.Plan), Module: moduleName(s.Plan), Plan: s.Plan}
		f.Title = string(AppendEscaped(nil, []byte(f.Name), NoQuote))
		f.Entry = newSide(fetchargs.Entry, &s, o)
		f.Return = newSide(fetchargs.Return, &s, o)
		f.several = len(f.Entry.parts) > 1 || len(f.Return.parts) > 1
		f.findAgain()
		f.mayFail = s.Verdict(o.Order) != nil
	}
	return all
}

// Verdict tells of the source's calls whether they fail, by the record of the first
// part of their return; nil if that is not known. order is that of the records, nil
// for little endian.
func (s *Source) Verdict(order binary.ByteOrder) *fetchargs.Verdict {
	if parts := s.parts(fetchargs.Return); len(parts) > 0 {
		return fetchargs.NewVerdict(parts[0].probe, parts[0].dec, order)
	}
	return nil
}

// parts are the probes of a side, by their numbers.
func (s *Source) parts(at fetchargs.Side) (all []part) {
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

func newSide(at fetchargs.Side, source *Source, o *Options) Side {
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
			if f.Hidden || at == fetchargs.Return && f.Encoding == value.Nothing {
				continue
			}
			returned := at == fetchargs.Return && len(f.Guards) == 0 && f.Encoding == value.Integer
			field := NewField(f, returned, o)
			field.from(&s, i, j)
			if at == fetchargs.Return && f.Label == "return" && s.Result == nil {
				s.Result = field
				continue
			}
			s.Fields = append(s.Fields, *field)
		}
	}
	return s
}

// decoders are those of the parts.
func (s *Side) decoders() []*value.Decoder {
	all := make([]*value.Decoder, len(s.parts))
	for i, p := range s.parts {
		all[i] = p.dec
	}
	return all
}

// from says which field of which part f is the value of.
func (f *Field) from(s *Side, part, index int) {
	f.part, f.index, f.dec, f.joint = part, index, s.parts[part].dec, nil
	f.where, f.Plain = f.dec.Plain(index)
	f.Plain = f.Plain && len(s.parts) == 1 // or its record may be missing
	if d := s.parts[part].probe.Fields[index].Dump; d != nil && len(d.Rest) > 0 && part == 0 {
		f.joint = value.NewJoint(index, s.decoders())
	}
}

// first is the first event of the side that was seen, nil if there was none.
func (s *Side) first(c *calls.Call) *tracefs.Event {
	if s.at == fetchargs.Return {
		return c.Return
	}
	return c.Entry
}

// event is that of one part of the side, nil if it was not seen.
func (s *Side) event(part int, c *calls.Call) *tracefs.Event {
	return c.Event(s.at == fetchargs.Return, part)
}

// Record takes what c's events have of the side.
func (s *Side) Record(c *calls.Call) *Record {
	r := &s.record
	r.only = nil
	if len(r.parts) > 0 {
		s.gather(c)
	} else if e := s.first(c); e != nil {
		r.only = e.Data
	}
	return r
}

// gather takes what c's events have of a side of several parts.
func (s *Side) gather(c *calls.Call) {
	for i := range s.parts {
		s.record.parts[i] = nil
		if e := s.event(i, c); e != nil {
			s.record.parts[i] = e.Data
		}
	}
}

// Value is what r, of f's side, says of f. An object is valid until the next one of f.
func (f *Field) Value(r *Record) value.Value {
	if r.only != nil {
		return f.dec.Value(f.index, r.only)
	}
	return f.gathered(r)
}

// gathered is the value of f where its side has several parts, or was not seen.
func (f *Field) gathered(r *Record) value.Value {
	switch {
	case f.part >= len(r.parts) || r.parts[f.part] == nil:
		return value.Value{}
	case f.joint != nil:
		return f.joint.Value(r.parts)
	}
	return f.dec.Value(f.index, r.parts[f.part])
}

// Number is what r, of f's side, says of f, which is Plain.
func (f *Field) Number(r *Record) uint64 { return f.Means(f.where.Load(r.only)) }

// findAgain finds what the return probe has of the values of the entry.
func (f *Function) findAgain() {
	if len(f.Return.parts) == 0 || f.Return.parts[0].dec == nil {
		return
	}
	again := f.Return.parts[0]
	for i := range f.Entry.Fields {
		field := &f.Entry.Fields[i]
		n := f.Entry.parts[field.part].probe.Fields[field.index].Again
		if n <= 0 || n > len(again.probe.Fields) {
			continue
		}
		later := *field
		later.from(&f.Return, 0, n-1)
		field.again = &later
	}
}

// AtReturn is what field, of the entry, was at return, if val, what it was then, could
// not all be read and more is known.
func (f *Function) AtReturn(field *Field, c *calls.Call, val *value.Value) (value.Value, bool) {
	if field.again == nil || c.Return == nil || val.Kind != value.Fault && !val.IsCut() {
		return value.Value{}, false
	}
	later := field.again.Value(f.Return.Record(c))
	return later, later.Kind != value.Fault && later.Kind != value.None && !(val.IsCut() && later.IsCut())
}

// Comm is the name of the task that made the call.
func (f *Function) Comm(c *calls.Call) []byte {
	text := f.comm(c)
	switch {
	case text != nil:
		return text
	case c.Entry != nil:
		return c.Entry.Comm
	}
	return c.Return.Comm
}

// comm is the name of the task that tsnoop has fetched itself, nil if it has not.
func (f *Function) comm(c *calls.Call) []byte {
	if f.several {
		return f.anyComm(c)
	}
	if s := &f.Entry; s.comm >= 0 && c.Entry != nil {
		if text := s.parts[0].dec.Text(s.comm, c.Entry.Data); text != nil {
			return text
		}
	}
	if s := &f.Return; s.comm >= 0 && c.Return != nil {
		return s.parts[0].dec.Text(s.comm, c.Return.Data)
	}
	return nil
}

// anyComm is comm where a side has several parts.
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

// ReturnAddress is where c returns to, 0 if that is not known.
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

// anyCaller is ReturnAddress where a side has several parts.
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

// functionName is the function that plan is about.
func functionName(plan *fetchargs.Plan) string {
	switch {
	case plan.Func != nil:
		return plan.Func.Name
	case plan.Spec != nil:
		return plan.Spec.Func.Text
	}
	return "?"
}

// moduleName is the module of that function, "" for the kernel itself.
func moduleName(plan *fetchargs.Plan) string {
	switch {
	case plan.Func != nil:
		return plan.Func.Module
	case plan.Spec != nil:
		return plan.Spec.Module.Text
	}
	return ""
}
