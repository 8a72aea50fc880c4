package render

import (
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
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

// A Side is one of the probes of a function; nothing is in it if there is none.
type Side struct {
	Result *Field  // the return value itself, nil if it is not shown
	Fields []Field // all else
	Dumps  bool    // some are objects

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
	index int    // in Probe.Fields
	again *Field // what to show if it faulted at entry, as it was at return; may be nil
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
		f.Entry = newSide(s.Plan.Entry(), s.Entry, o)
		f.Return = newSide(s.Plan.Return(), s.Return, o)
		f.findAgain()
		f.mayFail = fetchargs.NewVerdict(s.Plan.Return(), s.Return, o.Order) != nil
	}
	return all
}

func newSide(probe *fetchargs.Probe, dec *value.Decoder, o *Options) Side {
	if probe == nil || dec == nil {
		return Side{}
	}
	s := Side{probe: probe, dec: dec}
	for i := range probe.Fields {
		f := &probe.Fields[i]
		if f.Hidden || probe.Side == fetchargs.Return && f.Encoding == value.Nothing {
			continue
		}
		returned := probe.Side == fetchargs.Return && len(f.Guards) == 0 && f.Encoding == value.Integer
		field := NewField(f, returned, o)
		field.index = i
		field.where, field.Plain = dec.Plain(i)
		s.Dumps = s.Dumps || field.Dump
		if probe.Side == fetchargs.Return && f.Label == "return" && s.Result == nil {
			s.Result = field
			continue
		}
		s.Fields = append(s.Fields, *field)
	}
	return s
}

// findAgain finds what the return probe has of the values of the entry.
func (f *Function) findAgain() {
	ret := f.Return.probe
	if ret == nil {
		return
	}
	for i := range f.Entry.Fields {
		field := &f.Entry.Fields[i]
		if n := f.Entry.probe.Fields[field.index].Again; n > 0 && n <= len(ret.Fields) {
			again := *field
			again.index = n - 1
			field.again = &again
		}
	}
}

// Value is what a record says of f.
func (s *Side) Value(f *Field, data []byte) value.Value { return s.dec.Value(f.index, data) }

// AppendField appends the text of what a record says of f.
func (s *Side) AppendField(dst []byte, f *Field, data []byte) []byte {
	if f.Plain {
		return f.AppendNumber(dst, f.Means(f.where.Load(data)))
	}
	return f.AppendValue(dst, s.Value(f, data))
}

// Number is what a record says of f, which is Plain.
func (f *Field) Number(data []byte) uint64 { return f.Means(f.where.Load(data)) }

// AtReturn is what field, of the entry, was at return, if it could only be read
// then.
func (f *Function) AtReturn(field *Field, c *calls.Call) (value.Value, bool) {
	if field.again == nil {
		return value.Value{}, false
	}
	return f.atReturn(field, c)
}

func (f *Function) atReturn(field *Field, c *calls.Call) (value.Value, bool) {
	if c.Return == nil || f.Entry.Value(field, c.Entry.Data).Kind != value.Fault {
		return value.Value{}, false
	}
	val := f.Return.Value(field.again, c.Return.Data)
	return val, val.Kind != value.Fault
}

// Comm is the name of the task that made the call.
func (f *Function) Comm(c *calls.Call) []byte {
	if e := c.Entry; e != nil && f.Entry.probe != nil && f.Entry.probe.Comm >= 0 {
		if text := f.Entry.dec.Text(f.Entry.probe.Comm, e.Data); text != nil {
			return text
		}
	}
	if e := c.Return; e != nil && f.Return.probe != nil && f.Return.probe.Comm >= 0 {
		if text := f.Return.dec.Text(f.Return.probe.Comm, e.Data); text != nil {
			return text
		}
	}
	if c.Entry != nil {
		return c.Entry.Comm
	}
	return c.Return.Comm
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
