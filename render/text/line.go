// Package text shows calls as lines for people: columns for the time, CPU and task, then
// the call in the syntax of C.
package text

import (
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Printer is the [render.Sink] for text. It shows nothing about lost and missed events,
// which belong on stderr.
type Printer struct {
	opts      render.Options
	functions []render.Function
	sites     []*site                                // one for each function
	here      *site                                  // that of the call
	last      uint64                                 // time of the last line, for TimeDelta
	writeTask func(dst, comm []byte, tid int) []byte // appends the column of the task
	group     group
	levels    int // most levels of depth that lines are indented for
	tree      tree
	objects   []object // of the call so far, whose trees are not shown yet
	summed    bool     // a summary was shown
	heat      heat
}

// An object is a value that is shown as a tree.
type object struct {
	field *render.Field
	val   value.Value
}

// New returns a Printer for calls whose Plan is an index into sources.
func New(sources []render.Source, o render.Options) *Printer {
	p := &Printer{opts: o, tree: tree{task: -1}, writeTask: appendTask, levels: render.MaxIndent}
	if o.Group == render.GroupTask {
		p.writeTask = appendNoTask
	}
	p.Add(sources)
	return p
}

// Add adds plans.
func (p *Printer) Add(sources []render.Source) {
	p.functions = append(p.functions, render.NewFunctions(sources, &p.opts)...)
	p.addSites()
}

// Open appends the header line, if Options.Header is set.
func (p *Printer) Open(dst []byte) []byte {
	if !p.opts.Header {
		return dst
	}
	return p.appendHeader(dst, commWidth)
}

// appendHeader appends the header line. width is the width of the column of the task.
func (p *Printer) appendHeader(dst []byte, width int) []byte {
	dst = p.opts.Paint(dst, render.Aside)
	if p.opts.Time != render.TimeNone {
		start := len(dst)
		dst = append(padRight(append(dst, "TIME"...), start, timeWidths[p.opts.Time]), ' ')
	}
	dst = append(p.appendHostHead(dst), "CPU "...)
	if p.opts.Group != render.GroupTask {
		start := len(dst)
		dst = append(padRight(append(dst, "COMM-TID"...), start, width), ' ')
	}
	return append(p.opts.Reset(append(dst, "CALL"...)), '\n')
}

// Close appends what was held back.
func (p *Printer) Close(dst []byte) []byte { return p.Idle(dst) }

// Lost appends nothing.
func (p *Printer) Lost(dst []byte, _ *tracefs.Event) []byte { return dst }

// Origin appends nothing: it is shown on stderr.
func (p *Printer) Origin(dst []byte, _ *tracefs.Origin) []byte { return dst }

// LostTotal appends nothing.
func (p *Printer) LostTotal(dst []byte, _ []tracefs.CPUStats) []byte { return dst }

// Unfinished appends nothing.
func (p *Printer) Unfinished(dst []byte, _ string, _ uint64, _ bool) []byte { return dst }

// Missed appends nothing.
func (p *Printer) Missed(dst []byte, _ string, _ bool, _ uint64, _ bool) []byte { return dst }

// SwitchedOff appends nothing.
func (p *Printer) SwitchedOff(dst []byte, _ *tracefs.SwitchOff) []byte { return dst }

// Interfered appends nothing.
func (p *Printer) Interfered(dst []byte, _ *tracefs.Interference) []byte { return dst }

// appendCall appends the line of c:
//
//	caller -> func(args) = value {other=values} <duration>
//
// The time and CPU are those of the return if it was seen, so that lines are in order. If
// the return has not been seen, the value is "?"; if the entry was missed, the arguments
// say so.
func (p *Printer) appendCall(dst []byte, c *calls.Call) []byte {
	f := &p.functions[c.Plan]
	dst = p.appendColumns(dst, f, c)
	if c.Depth > 0 {
		dst = p.appendIndent(dst, c.Depth)
	}
	dst = p.appendHead(dst, f, c)
	dst = append(p.appendReturn(dst, f, c), '\n')
	if len(p.objects) > 0 {
		dst = p.appendTrees(dst, c)
	}
	return p.appendStack(dst, c)
}

// appendColumns appends the columns before the call: time, CPU and task.
func (p *Printer) appendColumns(dst []byte, f *render.Function, c *calls.Call) []byte {
	e := c.Last()
	dst = p.opts.Paint(dst, render.Aside)
	if p.opts.Time != render.TimeNone {
		dst = append(p.appendTime(dst, p.here.from.At(e.Time)), ' ')
	}
	dst = append(dst, p.here.host...)
	dst = append(p.opts.Reset(appendRight(dst, uint64(e.CPU), 3)), ' ')
	return p.here.task.Append(dst, f.Comm(c), e.TID, p.writeTask)
}

// appendHead appends "caller -> func(args)".
func (p *Printer) appendHead(dst []byte, f *render.Function, c *calls.Call) []byte {
	if addr := f.ReturnAddress(c); addr != 0 {
		dst = p.here.callers.Append(dst, addr, p.appendCaller)
	}
	if p.opts.Group != render.GroupFunction {
		dst = p.opts.Reset(append(p.opts.Paint(dst, render.Heading), f.Title...))
	}
	dst = append(dst, '(')
	switch {
	case c.Entry != nil:
		dst = p.appendArgs(dst, f, c)
	case c.Orphan:
		dst = append(dst, "entry not seen"...)
	}
	return append(dst, ')')
}

// appendCaller appends "caller -> ", nothing if the function at the return address addr
// is not known.
func (p *Printer) appendCaller(dst []byte, addr uint64) []byte {
	by, ok := p.here.opts.ReturnsTo(addr)
	if !ok {
		return dst
	}
	if !p.opts.Verbose {
		by.Off = 0
	}
	dst = render.AppendSymbol(p.opts.Paint(dst, render.Aside), by.Name, by.Module, by.Off)
	return append(p.opts.Reset(dst), " -> "...)
}

// appendArgs appends the values of the entry.
func (p *Printer) appendArgs(dst []byte, f *render.Function, c *calls.Call) []byte {
	record, n := f.Entry.Record(c), 0
	for i := range f.Entry.Fields {
		field := &f.Entry.Fields[i]
		if field.Plain {
			dst = field.AppendNumber(appendLabel(dst, n, field), record)
			n++
			continue
		}
		val := field.Value(record)
		if val.IsUnused() {
			continue
		}
		dst = p.appendArg(appendLabel(dst, n, field), f, field, val, c)
		n++
	}
	return dst
}

// appendArg appends a value of the entry. If it could not be read at entry, but at
// return, it appends the value at return, and marks it.
func (p *Printer) appendArg(dst []byte, f *render.Function, field *render.Field, val value.Value, c *calls.Call) []byte {
	if later, ok := f.AtReturn(field, c, &val); ok {
		return append(p.appendValue(dst, field, later), " (at return)"...)
	}
	return p.appendValue(dst, field, val)
}

// appendField appends the value of field in r.
func (p *Printer) appendField(dst []byte, field *render.Field, r *render.Record) []byte {
	if field.Plain {
		return field.AppendNumber(dst, r)
	}
	return p.appendValue(dst, field, field.Value(r))
}

// appendValue appends val, and remembers it if it is an object.
func (p *Printer) appendValue(dst []byte, field *render.Field, val value.Value) []byte {
	if val.Kind == value.Dump {
		p.objects = append(p.objects, object{field, val})
	}
	return field.AppendValue(dst, val)
}

// appendReturn appends the values of the return, and the duration.
func (p *Printer) appendReturn(dst []byte, f *render.Function, c *calls.Call) []byte {
	if c.Unfinished {
		return append(dst, " = ?"...)
	}
	if c.Return == nil {
		return dst
	}
	ret := &f.Return
	record := ret.Record(c)
	if ret.Result != nil {
		dst = p.appendField(append(dst, " = "...), ret.Result, record)
	}
	if len(ret.Fields) > 0 {
		if ret.Result == nil {
			dst = append(dst, " ="...)
		}
		dst = append(dst, " {"...)
		for i := range ret.Fields {
			dst = p.appendField(appendLabel(dst, i, &ret.Fields[i]), &ret.Fields[i], record)
		}
		dst = append(dst, '}')
	}
	if c.Entry != nil {
		dst = append(p.opts.AppendDuration(append(dst, " <"...), c.Duration), '>')
	}
	return dst
}

// appendLabel appends "name=" of the i-th field.
func appendLabel(dst []byte, i int, field *render.Field) []byte {
	if i > 0 {
		dst = append(dst, ", "...)
	}
	return append(dst, field.Assign...)
}

// appendTrees appends the objects of c that are not shown yet.
func (p *Printer) appendTrees(dst []byte, c *calls.Call) []byte {
	for i := range p.objects {
		dst = p.objects[i].field.AppendTree(dst, &p.objects[i].val, min(c.Depth, p.levels))
	}
	p.objects = p.objects[:0]
	return dst
}

// appendStack appends a line for each function on the stack, the innermost first.
func (p *Printer) appendStack(dst []byte, c *calls.Call) []byte {
	for i, addr := range render.StackOf(c) {
		dst = p.appendNoTime(dst)
		dst = append(p.opts.Paint(dst, render.Aside), "      => "...)
		dst = append(p.opts.Reset(p.here.frames.Append(dst, i, addr)), '\n')
	}
	return dst
}

// appendNoTime appends an empty TIME column.
func (p *Printer) appendNoTime(dst []byte) []byte {
	if p.opts.Time == render.TimeNone {
		return dst
	}
	return padRight(dst, len(dst), timeWidths[p.opts.Time]+1)
}
