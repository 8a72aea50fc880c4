package input

import (
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// A converter makes calls of the events of a recording. It does not allocate, once its buffers
// are as long as the longest call needs, and each symbol was looked up.
type converter struct {
	stream *stream.Stream
	opts   render.Options
	typed  *json.Printer
	funcs  []function

	call    call.Call // the one that is valid now
	buf     []byte    // of call: texts that are not in the record
	faults  []byte    // of call: the texts of Faults
	frames  *render.Frames
	places  map[place]string
	callers map[uint64]render.Caller
}

// A place is an address in a stack, where it is shown otherwise if it is the innermost.
type place struct {
	addr      uint64
	innermost bool
}

// mostPlaces is how many symbols are kept: more than a kernel's functions are called from,
// unless the recording was made for that.
const mostPlaces = 1 << 16

// A function is a render.Function with what all its calls share.
type function struct {
	*render.Function
	shared      call.Func
	args, later []call.Item // of Entry.Fields and Return.Fields
	result      call.Item
}

func newConverter(r *stream.Stream, trace *call.Trace) *converter {
	c := &converter{stream: r, places: map[place]string{}, callers: map[uint64]render.Caller{}}
	c.opts = c.options()
	c.typed = json.New(nil, c.opts)
	c.typed.Faulted(c.fault)
	c.frames = render.NewFrames(&c.opts)
	c.call.Trace = trace
	var sources []render.Source
	for _, p := range r.Plans {
		s := render.Source{Plan: p}
		for _, probe := range p.Probes {
			s.Decoders = append(s.Decoders, r.Decoder(probe))
		}
		sources = append(sources, s)
	}
	plain := render.NewFunctions(sources, &c.opts)
	for i := range plain {
		f := &plain[i]
		one := function{Function: f, shared: call.Func{Name: f.Name, Module: f.Module}, args: items(f.Entry.Fields), later: items(f.Return.Fields)}
		if f.Return.Result != nil {
			one.result = call.Item{Name: "return", Type: f.Return.Result.C}
		}
		c.funcs = append(c.funcs, one)
	}
	return c
}

func items(fields []render.Field) []call.Item {
	all := make([]call.Item, len(fields))
	for i := range fields {
		all[i] = call.Item{Name: fields[i].Name, Type: fields[i].C}
	}
	return all
}

// convert returns a call, which is valid until the next one.
func (c *converter) convert(from *calls.Call) *call.Call {
	f, to, e := &c.funcs[from.Plan], &c.call, from.First()
	c.buf, c.faults = c.buf[:0], c.faults[:0]
	*to = call.Call{
		Trace: to.Trace, Func: &f.shared, Time: e.Time, CPU: e.CPU, PID: -1, TID: e.TID, Comm: f.Comm(from),
		Args: to.Args[:0], Results: to.Results[:0], Faults: to.Faults[:0], Stack: to.Stack[:0],
		Orphan: from.Orphan, Unfinished: from.Unfinished,
	}
	if add := c.stream.Wall.At(e.Time); add != 0 {
		to.Wall = int64(e.Time) + add
	}
	if pid, ok := c.stream.Process(e.TID); ok {
		to.PID = pid
	}
	if addr := f.ReturnAddress(from); addr != 0 {
		by := c.caller(addr)
		to.Caller, to.CallerModule = by.Name, by.Module
	}
	if from.Entry != nil {
		record := f.Entry.Record(from)
		for i := range f.Entry.Fields {
			to.Args = append(to.Args, call.Value{Item: &f.args[i], Typed: c.arg(f, &f.Entry.Fields[i], from, record)})
		}
	}
	if from.Return != nil {
		c.convertReturn(f, from)
	}
	for i, addr := range render.StackOf(from) {
		to.Stack = append(to.Stack, c.frame(i, addr))
	}
	return to
}

func (c *converter) convertReturn(f *function, from *calls.Call) {
	to, record := &c.call, f.Return.Record(from)
	if r := f.Return.Result; r != nil {
		to.Return = call.Value{Item: &f.result, Typed: c.value(r, record)}
	}
	for i := range f.Return.Fields {
		to.Results = append(to.Results, call.Value{Item: &f.later[i], Typed: c.value(&f.Return.Fields[i], record)})
	}
	to.Ended, to.End, to.EndCPU = true, from.Return.Time, from.Return.CPU
	if from.Entry != nil {
		to.Timed, to.Duration = true, from.Duration
	}
}

// value returns the value of a field in a record.
func (c *converter) value(f *render.Field, r *render.Record) (v json.Typed) {
	if f.Plain {
		v, c.buf = c.typed.TypedNumber(c.buf, &f.Type, f.Number(r))
		return v
	}
	v, c.buf = c.typed.Typed(c.buf, f, f.Value(r))
	return v
}

// arg is value for a field of the entry: if it could be read only at the return, it is the
// value then.
func (c *converter) arg(f *function, field *render.Field, from *calls.Call, r *render.Record) (v json.Typed) {
	if field.Plain {
		return c.value(field, r)
	}
	val := field.Value(r)
	if later, ok := f.AtReturn(field, from, &val); ok {
		val = later
	}
	v, c.buf = c.typed.Typed(c.buf, field, val)
	return v
}

// fault notes that a value could not be read.
func (c *converter) fault(name, text []byte) {
	start := len(c.faults)
	c.faults = append(append(c.faults, name...), text...)
	middle := start + len(name)
	c.call.Faults = append(c.call.Faults, call.Fault{Name: c.faults[start:middle:middle], Text: c.faults[middle:len(c.faults):len(c.faults)]})
}

// caller returns the function that is returned to, the zero value if it is not known.
func (c *converter) caller(addr uint64) render.Caller {
	by, ok := c.callers[addr]
	if ok {
		return by
	}
	if len(c.callers) >= mostPlaces {
		clear(c.callers)
	}
	if by, ok = c.opts.ReturnsTo(addr); !ok {
		by = render.Caller{}
	}
	c.callers[addr] = by
	return by
}

// frame returns the text of the i-th address of a stack.
func (c *converter) frame(i int, addr uint64) string {
	at := place{addr, i == 0}
	text, ok := c.places[at]
	if !ok {
		if len(c.places) >= mostPlaces {
			clear(c.places)
		}
		text = string(c.frames.Append(nil, i, addr))
		c.places[at] = text
	}
	return text
}
