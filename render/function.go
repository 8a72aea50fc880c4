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

	mayFail bool // it is known whether calls fail
}

// A Side is what is shown of a function's entry or return; nothing is in it if that
// is not asked for.
type Side struct {
	Result *Field  // the return value itself, nil if it is not shown
	Fields []Field // all else
	Dumps  bool    // some are objects

	at      fetchargs.Side
	parts   []part
	single  bool     // there is one part only, the first
	records [][]byte // what each of them has of a call; scratch of object
}

// A part is one of the probes of a side.
type part struct {
	probe *fetchargs.Probe
	dec   *value.Decoder
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
	part  int          // of its side
	index int          // in Probe.Fields
	joint *value.Joint // of an object that goes on in other parts
	again *Field       // what to show if it faulted at entry, as it was at return; may be nil
	text  textWalk
	cut   []byte // " /* 64 of 232 bytes */", with Whole
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
		f.findAgain()
		f.mayFail = s.Verdict(o.Order) != nil
	}
	return all
}

// Verdict tells of the source's calls whether they fail, by the record of the first
// part of their return; nil if that is not known. order is that of the records, nil
// for little endian.
func (s *Source) Verdict(order binary.ByteOrder) *fetchargs.Verdict {
	for _, p := range s.parts(fetchargs.Return) {
		return fetchargs.NewVerdict(p.probe, p.dec, order)
	}
	return nil
}

// parts are the probes of a side that can be decoded.
func (s *Source) parts(at fetchargs.Side) (all []part) {
	for i, p := range s.Plan.Probes {
		if p.Side == at && i < len(s.Decoders) && s.Decoders[i] != nil {
			all = append(all, part{p, s.Decoders[i]})
		}
	}
	return all
}

func newSide(at fetchargs.Side, source *Source, o *Options) Side {
	s := Side{at: at, parts: source.parts(at)}
	decoders := make([]*value.Decoder, len(s.parts))
	for i, p := range s.parts {
		decoders[i] = p.dec
	}
	s.single = len(s.parts) == 1 && s.parts[0].probe.Part == 0
	s.records = make([][]byte, len(s.parts))
	for i, p := range s.parts {
		for j := range p.probe.Fields {
			f := &p.probe.Fields[j]
			if f.Hidden || at == fetchargs.Return && f.Encoding == value.Nothing {
				continue
			}
			returned := at == fetchargs.Return && len(f.Guards) == 0 && f.Encoding == value.Integer
			field := NewField(f, returned, o)
			field.part, field.index = i, j
			if f.Dump != nil && len(f.Dump.Rest) > 0 && i == 0 {
				field.joint = value.NewJoint(j, decoders)
			}
			field.where, field.Plain = p.dec.Plain(j)
			s.Dumps = s.Dumps || field.Dump
			field.Plain = field.Plain && s.single // or its record may be missing
			if at == fetchargs.Return && f.Label == "return" && s.Result == nil {
				s.Result = field
				continue
			}
			s.Fields = append(s.Fields, *field)
		}
	}
	return s
}

// record is what a call's event of one part of the side holds, nil if that was not
// seen.
func (s *Side) record(n int, c *calls.Call) []byte {
	e := s.first(c)
	if !s.single {
		e = c.Event(s.at == fetchargs.Return, s.parts[n].probe.Part)
	}
	if e == nil {
		return nil
	}
	return e.Data
}

// first is the first event of the side that was seen, nil if there was none.
func (s *Side) first(c *calls.Call) *tracefs.Event {
	if s.at == fetchargs.Return {
		return c.Return
	}
	return c.Entry
}

// findAgain finds what the return probe has of the values of the entry.
func (f *Function) findAgain() {
	if len(f.Return.parts) == 0 {
		return
	}
	ret := f.Return.parts[0].probe
	for i := range f.Entry.Fields {
		field := &f.Entry.Fields[i]
		if n := f.Entry.parts[field.part].probe.Fields[field.index].Again; n > 0 && n <= len(ret.Fields) {
			again := *field
			again.part, again.index = 0, n-1
			field.again = &again
		}
	}
}

// Value is what the call's record says of f.
func (s *Side) Value(f *Field, c *calls.Call) value.Value {
	if !s.single || f.joint != nil || s.first(c) == nil {
		return s.gathered(f, c)
	}
	return s.parts[0].dec.Value(f.index, s.first(c).Data)
}

// gathered is the value of f where a side has several parts.
func (s *Side) gathered(f *Field, c *calls.Call) value.Value {
	if f.joint != nil {
		return s.object(f, c)
	}
	if data := s.record(f.part, c); data != nil {
		return s.parts[f.part].dec.Value(f.index, data)
	}
	return value.Value{}
}

// object is the value of f, of which each part has some.
func (s *Side) object(f *Field, c *calls.Call) value.Value {
	for i := range s.parts {
		s.records[i] = s.record(i, c)
	}
	return f.joint.Value(s.records)
}

// AppendField appends the text of what the call's record says of f.
func (s *Side) AppendField(dst []byte, f *Field, c *calls.Call) []byte {
	if f.Plain {
		return f.AppendNumber(dst, f.Means(f.where.Load(s.first(c).Data)))
	}
	return f.AppendValue(dst, s.Value(f, c))
}

// Number is what the call's record says of f, which is Plain.
func (s *Side) Number(f *Field, c *calls.Call) uint64 {
	return f.Means(f.where.Load(s.first(c).Data))
}

// AtReturn is what field, of the entry, was at return, if it could only be read
// then.
func (f *Function) AtReturn(field *Field, c *calls.Call) (value.Value, bool) {
	if field.again == nil {
		return value.Value{}, false
	}
	return f.atReturn(field, c)
}

func (f *Function) atReturn(field *Field, c *calls.Call) (value.Value, bool) {
	if c.Return == nil || f.Entry.Value(field, c).Kind != value.Fault {
		return value.Value{}, false
	}
	val := f.Return.Value(field.again, c)
	return val, val.Kind != value.Fault && val.Kind != value.None
}

// Comm is the name of the task that made the call.
func (f *Function) Comm(c *calls.Call) []byte {
	if text := f.Entry.comm(c); text != nil {
		return text
	}
	if text := f.Return.comm(c); text != nil {
		return text
	}
	if c.Entry != nil {
		return c.Entry.Comm
	}
	return c.Return.Comm
}

// comm is the name of the task, nil if the side does not have it.
func (s *Side) comm(c *calls.Call) []byte {
	if s.single { // as nearly always
		if e, p := s.first(c), &s.parts[0]; e != nil && p.probe.Comm >= 0 {
			return p.dec.Text(p.probe.Comm, e.Data)
		}
		return nil
	}
	for i := range s.parts {
		p := &s.parts[i]
		if p.probe.Comm < 0 {
			continue
		}
		if data := s.record(i, c); data != nil {
			if text := p.dec.Text(p.probe.Comm, data); text != nil {
				return text
			}
		}
	}
	return nil
}

// caller is where the function returns to, 0 if the side does not have it.
func (s *Side) caller(c *calls.Call) uint64 {
	if s.single {
		if e, p := s.first(c), &s.parts[0]; e != nil && p.probe.Caller >= 0 {
			return p.dec.Arg(p.probe.Caller, e.Data)
		}
		return 0
	}
	for i := range s.parts {
		p := &s.parts[i]
		if p.probe.Caller < 0 {
			continue
		}
		if data := s.record(i, c); data != nil {
			return p.dec.Arg(p.probe.Caller, data)
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
