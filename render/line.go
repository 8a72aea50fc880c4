// Package render makes what users read: calls as lines of text or JSON, values
// by their C types and FORMATs, and pictures of what is wrong in a spec.
//
// Nothing that comes from the kernel is trusted: every string is escaped, so
// that no task, file or device can be named so as to act on the terminal or to
// look like another line.
package render

import (
	"encoding/binary"
	"strconv"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Options say how calls are shown.
type Options struct {
	JSON    bool // lines of JSON instead of text
	Color   bool // in text
	Verbose bool // callers, and the functions of stacks, with the offset of the call

	Time  TimeMode
	Start uint64         // ns on the trace clock: the zero of TimeRel
	Clock int64          // ns to add to the trace clock for the time since 1970, for TimeClock
	Zone  *time.Location // for TimeClock; nil for local time

	// Symbol names what lies at an address of the kernel. module is "" for
	// the kernel itself. It may be nil: addresses are shown as numbers then.
	Symbol func(addr uint64) (name, module string, off uint64, ok bool)

	Order binary.ByteOrder // of the records; nil for little endian
}

// A Source is a plan whose calls are to be shown, with the decoders of its
// probes. A decoder is nil where the plan has no probe.
type Source struct {
	Plan          *fetchargs.Plan
	Entry, Return *value.Decoder
}

// A Printer shows calls, one line each. It allocates nothing for a call.
type Printer struct {
	opts    Options
	sources []source
	last    uint64 // time of the line before, for TimeDelta
	text    []byte // scratch
	faults  []byte // scratch
	callers textCache
	frames  textCache
	task    taskText
}

// A source is a Source with all that can be decided before its calls come.
type source struct {
	name       string // of the function
	title      string // that, escaped
	json       []byte // "func" and "module" as members of a JSON object
	entry, ret side

	plan    *fetchargs.Plan
	verdict *verdict // nil if it is not known whether calls fail
}

// A side is one of the probes of a source; nothing is in it if there is none.
type side struct {
	probe  *fetchargs.Probe
	dec    *value.Decoder
	result *shown  // the return value itself, nil if it is not shown
	fields []shown // all else
}

// A shown is a field that the user sees.
type shown struct {
	view
	index int  // in Probe.Fields
	plain bool // it is a number that cannot be missing:
	where value.Plain
	label []byte // with the "="
	json  []byte // "name" and "type" as members of a JSON object
	typed []byte // only "type"
	again *shown // what to show if it faulted at entry, as it was at return; may be nil
}

// NewPrinter makes a Printer for calls whose Plan is an index of sources.
func NewPrinter(sources []Source, o Options) *Printer {
	o.Color = o.Color && !o.JSON
	p := &Printer{opts: o}
	for _, s := range sources {
		src := source{name: functionName(s.Plan), json: jsonFunction(s.Plan), plan: s.Plan}
		src.title = string(appendEscaped(nil, []byte(src.name), noQuote))
		src.entry = newSide(s.Plan.Entry, s.Entry, &p.opts)
		src.ret = newSide(s.Plan.Return, s.Return, &p.opts)
		src.findAgain()
		src.verdict = newVerdict(s.Plan.Return, s.Return, &p.opts)
		p.sources = append(p.sources, src)
	}
	return p
}

func newSide(probe *fetchargs.Probe, dec *value.Decoder, o *Options) side {
	if probe == nil || dec == nil {
		return side{}
	}
	s := side{probe: probe, dec: dec}
	for i := range probe.Fields {
		f := &probe.Fields[i]
		if f.Hidden || probe.Return && f.Encoding == value.Nothing {
			continue
		}
		returned := probe.Return && len(f.Guards) == 0 && f.Encoding == value.Integer
		sh := shown{view: newView(f, returned, o), index: i}
		sh.where, sh.plain = dec.Plain(i)
		sh.label = append(appendEscaped(nil, []byte(f.Label), noQuote), '=')
		sh.json, sh.typed = jsonField(f)
		if probe.Return && f.Label == "return" && s.result == nil {
			s.result = &sh
			continue
		}
		s.fields = append(s.fields, sh)
	}
	return s
}

// findAgain finds what the return probe has of the values of the entry.
func (src *source) findAgain() {
	ret := src.ret.probe
	for i := range src.entry.fields {
		f := &src.entry.fields[i]
		if n := f.field.Again; ret != nil && n > 0 && n <= len(ret.Fields) {
			f.again = &shown{view: f.view, index: n - 1}
		}
	}
}

// appendArgs appends the values of the entry. One that could not be read then is
// shown as it was at return, if it could be read there, and marked.
func (src *source) appendArgs(dst []byte, c *calls.Call) []byte {
	for i := range src.entry.fields {
		f := &src.entry.fields[i]
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(dst, f.label...)
		if val, ok := src.atReturn(f, c); ok {
			dst = append(f.again.appendValue(dst, val), " (at return)"...)
			continue
		}
		dst = src.entry.appendField(dst, f, c.Entry.Data)
	}
	return dst
}

// atReturn is what f was at return, if it could only be read then.
func (src *source) atReturn(f *shown, c *calls.Call) (value.Value, bool) {
	if f.again == nil || c.Return == nil || src.entry.dec.Value(f.index, c.Entry.Data).Kind != value.Fault {
		return value.Value{}, false
	}
	val := src.ret.dec.Value(f.again.index, c.Return.Data)
	return val, val.Kind != value.Fault
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

// AppendHeader appends the line above the columns of text, nothing for JSON.
func (p *Printer) AppendHeader(dst []byte) []byte {
	if p.opts.JSON {
		return dst
	}
	dst = p.opts.color(dst, aside)
	if p.opts.Time != TimeNone {
		start := len(dst)
		dst = append(padRight(append(dst, "TIME"...), start, timeModes[p.opts.Time].width), ' ')
	}
	dst = append(dst, "CPU COMM-TID           CALL"...)
	return append(p.opts.reset(dst), '\n')
}

// AppendCall appends the line of c:
//
//	caller -> func(args) = value {other=values} <duration>
//
// The time and CPU are those of the return if it was seen, so that lines come
// in order. Where the return is still to come the value is "?", and where the
// entry was missed the arguments are.
func (p *Printer) AppendCall(dst []byte, c *calls.Call) []byte {
	if p.opts.JSON {
		return p.appendJSON(dst, c)
	}
	src := &p.sources[c.Plan]
	dst = p.appendHead(p.appendColumns(dst, src, c), src, c)
	return p.appendStack(append(p.appendReturn(dst, src, c), '\n'), c)
}

// appendColumns appends what comes before the call: time, CPU and task.
func (p *Printer) appendColumns(dst []byte, src *source, c *calls.Call) []byte {
	e := lastEvent(c)
	if p.opts.Time != TimeNone {
		dst = p.appendTime(p.opts.color(dst, aside), e.Time)
		dst = append(p.opts.reset(dst), ' ')
	}
	start := len(dst)
	dst = append(padLeft(strconv.AppendInt(dst, int64(e.CPU), 10), start, 3), ' ')
	return p.task.append(dst, src.comm(c), e.TID, appendTask)
}

// lastEvent is the one whose time and CPU a line of c shows.
func lastEvent(c *calls.Call) *tracefs.Event {
	if c.Return != nil {
		return c.Return
	}
	return c.Entry
}

// appendHead appends "caller -> func(args)".
func (p *Printer) appendHead(dst []byte, src *source, c *calls.Call) []byte {
	dst = p.appendCaller(dst, src, c)
	dst = append(p.opts.color(dst, heading), src.title...)
	dst = append(p.opts.reset(dst), '(')
	switch {
	case c.Entry != nil:
		dst = src.appendArgs(dst, c)
	case c.Orphan:
		dst = append(dst, "entry not seen"...)
	}
	return append(dst, ')')
}

// appendReturn appends what came back, and when.
func (p *Printer) appendReturn(dst []byte, src *source, c *calls.Call) []byte {
	if c.Unfinished {
		return append(dst, " = ?"...)
	}
	if c.Return == nil {
		return dst
	}
	data := c.Return.Data
	if r := src.ret.result; r != nil {
		dst = src.ret.appendField(append(dst, " = "...), r, data)
	}
	if len(src.ret.fields) > 0 {
		if src.ret.result == nil {
			dst = append(dst, " ="...)
		}
		dst = append(src.ret.appendFields(append(dst, " {"...), data), '}')
	}
	if c.Entry != nil {
		dst = append(appendDuration(append(dst, " <"...), c.Duration), '>')
	}
	return dst
}

// appendFields appends "name=value, name=value".
func (s *side) appendFields(dst, data []byte) []byte {
	for i := range s.fields {
		f := &s.fields[i]
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = s.appendField(append(dst, f.label...), f, data)
	}
	return dst
}

func (s *side) appendField(dst []byte, f *shown, data []byte) []byte {
	if f.plain {
		return f.text(&f.view, dst, f.number(f.where.Load(data)))
	}
	return f.appendValue(dst, s.dec.Value(f.index, data))
}
