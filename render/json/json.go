// Package json shows calls as JSON objects, one a line, for programs.
package json

import (
	"strconv"
	"time"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Printer is the [render.Sink] for JSON.
type Printer struct {
	opts      render.Options
	functions []function
	plain     []render.Function // of functions
	value     valueWalk
	sites     []*site // one for each of functions
	here      *site   // that of the call
}

// A function is a render.Function with what all its objects share.
type function struct {
	*render.Function
	members    []byte // "func" and "module"
	entry, ret side
}

// A side is a render.Side with what all its objects share.
type side struct {
	*render.Side
	result *field
	fields []field
}

type field struct {
	*render.Field
	head  []byte // what precedes "value": "name" and "type"
	typed []byte // only "type"
}

// New returns a Printer for calls whose Plan is an index into sources.
func New(sources []render.Source, o render.Options) *Printer {
	o.Color = false
	p := &Printer{opts: o}
	p.value.opts = &p.opts
	p.Add(sources)
	return p
}

// Add adds plans.
func (p *Printer) Add(sources []render.Source) {
	plain := render.NewFunctions(sources, &p.opts)
	p.plain = append(p.plain, plain...)
	for i := range plain {
		f := &plain[i]
		p.functions = append(p.functions, function{f, functionMembers(f), newSide(&f.Entry), newSide(&f.Return)})
		p.sites = append(p.sites, p.siteOf(f))
	}
}

// functionMembers returns the members about the function.
func functionMembers(f *render.Function) []byte {
	dst := appendMember(nil, "func", f.Name)
	if f.Module != "" {
		dst = appendMember(dst, "module", f.Module)
	}
	return dst[1:] // without the first comma
}

func newSide(s *render.Side) side {
	all := side{Side: s}
	if s.Result != nil {
		all.result = newField(s.Result)
	}
	for i := range s.Fields {
		all.fields = append(all.fields, *newField(&s.Fields[i]))
	}
	return all
}

func newField(f *render.Field) *field {
	var typed []byte
	if f.C != "" {
		typed = append(appendMember(nil, "type", f.C)[1:], ',')
	}
	head := append(appendMember(nil, "name", f.Name)[1:], ',')
	return &field{Field: f, head: append(append([]byte{'{'}, head...), typed...), typed: typed}
}

// Open appends nothing.
func (p *Printer) Open(dst []byte) []byte { return dst }

// Close appends nothing.
func (p *Printer) Close(dst []byte) []byte { return dst }

// Idle appends nothing: no line is held back.
func (p *Printer) Idle(dst []byte) []byte { return dst }

// Begin appends c like End.
func (p *Printer) Begin(dst []byte, c *calls.Call) []byte { return p.End(dst, c) }

// End appends c as one line of JSON:
//
//	{"ts_ns":1,"cpu":0,"pid":5,"tid":7,"comm":"cat","func":"f","module":"m","caller":"g","caller_module":"m",
//	 "args":[{"name":"x","type":"int","value":1}],
//	 "ret":{"type":"int","value":-2,"errno":"ENOENT"},"ret_args":[...],"end_ns":6,"end_cpu":1,"duration_ns":5,"stack":["f","g+0x10 [m]"],
//	 "errors":[{"name":"dev->name","fault":"dev=NULL"}],"orphan":true,"unfinished":true}
//
// "pid" is the process of the task "tid", null if that is not known. Unknown values are
// left out: "args" if the entry was not traced or not seen, "ret" "ret_args" and "end_ns"
// likewise, and "duration_ns" if either was not seen. "ts_ns" and "cpu" are those of the
// entry if it was seen, else those of the return. "end_cpu" is there if it is not "cpu".
// "time" follows "ts_ns" with TimeClock; then, if there are several recordings, "host" and,
// if that is known, "wall_ns", the time since 1970 at "ts_ns". If a call is delivered in two parts, each also
// has "call":1,"depth":0,"part":"begin" (or "end"). "args" are in the first part, and all
// else in the second.
//
// Integers are written in full, up to 20 digits. A reader that converts them to doubles
// rounds those over 2^53, so their digits are also in "text", except in structs.
// Addresses are strings for that reason.
//
// Strings are UTF-8, with U+FFFD for each byte that is not; then "bytes" (or
// "comm_bytes") has all bytes in hexadecimal. A value that could not be read is null, and
// "errors" says why. A struct is an object of its members that are not zero, and "addr"
// is its address; flags, enums and functions in it are shown by name. A task is an object
// of its "tid" and "comm". If an array or a struct is longer than what was fetched, "size"
// is its length in bytes. A value that could be read only when the function returned has
// "at":"return". For a string that was copied from text, "doubt" says what is uncertain.
func (p *Printer) End(dst []byte, c *calls.Call) []byte {
	f := &p.functions[c.Plan]
	e := c.First()
	p.here = p.sites[c.Plan]
	p.value.faults, p.value.opts = p.value.faults[:0], p.here.opts

	dst = strconv.AppendUint(append(dst, `{"ts_ns":`...), e.Time, 10)
	if p.opts.Time == render.TimeClock {
		dst = p.opts.Wall(p.here.from.At(e.Time)).AppendFormat(append(dst, `,"time":"`...), time.RFC3339Nano)
		dst = append(dst, '"')
	}
	if p.here.from != nil {
		dst = p.appendWall(append(dst, p.here.host...), p.here.from, e.Time)
	}
	dst = strconv.AppendInt(append(dst, `,"cpu":`...), int64(e.CPU), 10)
	dst = p.appendProcess(dst, e.TID)
	dst = append(p.here.task.Append(dst, f.Comm(c), e.TID, appendTask), f.members...)
	if addr := f.ReturnAddress(c); addr != 0 {
		dst = p.here.callers.Append(dst, addr, p.appendCaller)
	}
	if c.ID != 0 {
		dst = appendPart(dst, c)
	}
	if c.Entry != nil && (c.ID == 0 || c.Begun) {
		dst = p.appendArgs(append(dst, `,"args":`...), f, c)
	}
	if c.Return != nil {
		dst = p.appendReturn(dst, &f.ret, c)
	}
	if c.Return != nil {
		dst = appendEnd(dst, c)
	}
	if c.ID == 0 || c.Begun {
		dst = p.appendStack(dst, c)
	}
	if len(p.value.faults) > 0 {
		dst = append(append(append(dst, `,"errors":[`...), p.value.faults...), ']')
	}
	if c.Orphan {
		dst = append(dst, `,"orphan":true`...)
	}
	if c.Unfinished {
		dst = append(dst, `,"unfinished":true`...)
	}
	return append(dst, '}', '\n')
}

// appendEnd appends when and where a call ended, and how long it took if that is known.
func appendEnd(dst []byte, c *calls.Call) []byte {
	dst = strconv.AppendUint(append(dst, `,"end_ns":`...), c.Return.Time, 10)
	if c.Entry == nil {
		return dst
	}
	if c.Return.CPU != c.Entry.CPU {
		dst = strconv.AppendInt(append(dst, `,"end_cpu":`...), int64(c.Return.CPU), 10)
	}
	return strconv.AppendUint(append(dst, `,"duration_ns":`...), c.Duration, 10)
}

// appendPart appends which part of a call it is, for calls delivered in two parts.
func appendPart(dst []byte, c *calls.Call) []byte {
	dst = strconv.AppendUint(append(dst, `,"call":`...), c.ID, 10)
	dst = strconv.AppendInt(append(dst, `,"depth":`...), int64(c.Depth), 10)
	if c.Begun {
		return append(dst, `,"part":"begin"`...)
	}
	return append(dst, `,"part":"end"`...)
}

// appendProcess appends the member about the process of a task.
func (p *Printer) appendProcess(dst []byte, tid int) []byte {
	if process := p.here.opts.Process; process != nil {
		if pid, ok := process(tid); ok {
			return strconv.AppendInt(append(dst, `,"pid":`...), int64(pid), 10)
		}
	}
	return append(dst, `,"pid":null`...)
}

// appendTask appends the members about a task.
func appendTask(dst, comm []byte, tid int) []byte {
	dst = strconv.AppendInt(append(dst, `,"tid":`...), int64(tid), 10)
	return append(appendText(append(dst, ','), "comm", "comm_bytes", comm), ',')
}

// appendCaller appends the members about the function at the return address addr, nothing
// if it is not known.
func (p *Printer) appendCaller(dst []byte, addr uint64) []byte {
	by, ok := p.here.opts.ReturnsTo(addr)
	if !ok {
		return dst
	}
	dst = appendMember(dst, "caller", by.Name)
	if p.opts.Verbose {
		dst = appendCount(dst, "caller_offset", by.Off)
	}
	if by.Module != "" {
		dst = appendMember(dst, "caller_module", by.Module)
	}
	return dst
}

func (p *Printer) appendReturn(dst []byte, s *side, c *calls.Call) []byte {
	record := s.Record(c)
	if r := s.result; r != nil {
		dst = append(append(dst, `,"ret":{`...), r.typed...)
		dst = append(p.appendField(dst, r, record), '}')
	}
	if len(s.fields) == 0 {
		return dst
	}
	dst = append(dst, `,"ret_args":[`...)
	for i := range s.fields {
		dst = appendHead(dst, i, &s.fields[i])
		dst = append(p.appendField(dst, &s.fields[i], record), '}')
	}
	return append(dst, ']')
}

// appendArgs appends the values of the entry as an array of objects.
func (p *Printer) appendArgs(dst []byte, f *function, c *calls.Call) []byte {
	record := f.entry.Record(c)
	dst = append(dst, '[')
	for i := range f.entry.fields {
		field := &f.entry.fields[i]
		dst = appendHead(dst, i, field)
		if field.Plain {
			dst = append(p.appendInteger(dst, &field.Type, field.Number(record)), '}')
			continue
		}
		dst = append(p.appendArg(dst, f, field, c, record), '}')
	}
	return append(dst, ']')
}

// appendArg appends the value of a field that is not plain. If it could be read only at
// return, it appends the value at return.
func (p *Printer) appendArg(dst []byte, f *function, field *field, c *calls.Call, record *render.Record) []byte {
	val := field.Value(record)
	if later, ok := f.AtReturn(field.Field, c, &val); ok {
		return append(p.AppendValue(dst, field.Field, later), `,"at":"return"`...)
	}
	return p.AppendValue(dst, field.Field, val)
}

// appendHead begins the object of the i-th field.
func appendHead(dst []byte, i int, f *field) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return append(dst, f.head...)
}

// appendField appends "value" and the members that describe it.
func (p *Printer) appendField(dst []byte, f *field, r *render.Record) []byte {
	if f.Plain {
		return p.appendInteger(dst, &f.Type, f.Number(r))
	}
	return p.AppendValue(dst, f.Field, f.Value(r))
}

// appendStack appends the stack as a member.
func (p *Printer) appendStack(dst []byte, c *calls.Call) []byte {
	stack := render.StackOf(c)
	if len(stack) == 0 {
		return dst
	}
	dst = append(dst, `,"stack":[`...)
	for i, addr := range stack {
		if i > 0 {
			dst = append(dst, ',')
		}
		p.value.text = p.here.frames.Append(p.value.text[:0], i, addr)
		dst, _ = appendString(dst, p.value.text)
	}
	return append(dst, ']')
}
