// Package text shows calls as lines for people: columns for the time, CPU and
// task, then the call as C would write it.
package text

import (
	"strconv"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Printer is the render.Sink of text. What was lost and missed is for stderr: it
// appends nothing for that.
type Printer struct {
	opts      render.Options
	functions []render.Function
	last      uint64 // time of the line before, for TimeDelta
	callers   render.AddressCache
	frames    *render.Frames
	task      render.TaskCache
	tree      tree
	summed    bool // a summary was shown
}

// New makes a Printer for calls whose Plan is an index of sources.
func New(sources []render.Source, o render.Options) *Printer {
	p := &Printer{opts: o, tree: tree{task: -1}}
	p.functions = render.NewFunctions(sources, &p.opts)
	p.frames = render.NewFrames(&p.opts)
	return p
}

// Open appends the line above the columns, with Options.Header.
func (p *Printer) Open(dst []byte) []byte {
	if !p.opts.Header {
		return dst
	}
	dst = p.opts.Paint(dst, render.Aside)
	if p.opts.Time != render.TimeNone {
		start := len(dst)
		dst = append(padRight(append(dst, "TIME"...), start, timeWidths[p.opts.Time]), ' ')
	}
	dst = append(dst, "CPU COMM-TID           CALL"...)
	return append(p.opts.Reset(dst), '\n')
}

// Close appends what was held back.
func (p *Printer) Close(dst []byte) []byte { return p.Idle(dst) }

// Lost appends nothing.
func (p *Printer) Lost(dst []byte, _ *tracefs.Event) []byte { return dst }

// LostTotal appends nothing.
func (p *Printer) LostTotal(dst []byte, _ []tracefs.CPUStats) []byte { return dst }

// Missed appends nothing.
func (p *Printer) Missed(dst []byte, _ string, _ bool, _ uint64) []byte { return dst }

// appendCall appends the line of c:
//
//	caller -> func(args) = value {other=values} <duration>
//
// The time and CPU are those of the return if it was seen, so that lines come
// in order. Where the return is still to come the value is "?", and where the
// entry was missed the arguments are.
func (p *Printer) appendCall(dst []byte, c *calls.Call) []byte {
	f := &p.functions[c.Plan]
	dst = p.appendHead(p.appendColumns(dst, f, c), f, c)
	dst = append(p.appendReturn(dst, f, c), '\n')
	if f.Entry.Dumps || f.Return.Dumps {
		dst = appendReturnTrees(appendEntryTrees(dst, f, c), f, c)
	}
	return p.appendStack(dst, c)
}

// appendColumns appends what comes before the call: time, CPU and task.
func (p *Printer) appendColumns(dst []byte, f *render.Function, c *calls.Call) []byte {
	e := c.Last()
	if p.opts.Time != render.TimeNone {
		dst = p.appendTime(p.opts.Paint(dst, render.Aside), e.Time)
		dst = append(p.opts.Reset(dst), ' ')
	}
	start := len(dst)
	dst = append(padLeft(strconv.AppendInt(dst, int64(e.CPU), 10), start, 3), ' ')
	return p.task.Append(dst, f.Comm(c), e.TID, appendTask)
}

// appendHead appends "caller -> func(args)".
func (p *Printer) appendHead(dst []byte, f *render.Function, c *calls.Call) []byte {
	if addr := f.ReturnAddress(c); addr != 0 {
		dst = p.callers.Append(dst, addr, p.appendCaller)
	}
	dst = append(p.opts.Paint(dst, render.Heading), f.Title...)
	dst = append(p.opts.Reset(dst), '(')
	switch {
	case c.Entry != nil:
		dst = appendArgs(dst, f, c)
	case c.Orphan:
		dst = append(dst, "entry not seen"...)
	}
	return append(dst, ')')
}

// appendCaller appends "caller -> ", nothing if it is not known who returns to
// addr.
func (p *Printer) appendCaller(dst []byte, addr uint64) []byte {
	by, ok := p.opts.ReturnsTo(addr)
	if !ok {
		return dst
	}
	if !p.opts.Verbose {
		by.Off = 0
	}
	dst = render.AppendSymbol(p.opts.Paint(dst, render.Aside), by.Name, by.Module, by.Off)
	return append(p.opts.Reset(dst), " -> "...)
}

// appendArgs appends the values of the entry. One that could not be read then is
// shown as it was at return, if it could be read there, and marked.
func appendArgs(dst []byte, f *render.Function, c *calls.Call) []byte {
	for i := range f.Entry.Fields {
		field := &f.Entry.Fields[i]
		dst = appendLabel(dst, i, field)
		if val, ok := f.AtReturn(field, c); ok {
			dst = append(field.AppendValue(dst, val), " (at return)"...)
			continue
		}
		dst = f.Entry.AppendField(dst, field, c)
	}
	return dst
}

// appendReturn appends what came back, and when.
func (p *Printer) appendReturn(dst []byte, f *render.Function, c *calls.Call) []byte {
	if c.Unfinished {
		return append(dst, " = ?"...)
	}
	if c.Return == nil {
		return dst
	}
	ret := &f.Return
	if ret.Result != nil {
		dst = ret.AppendField(append(dst, " = "...), ret.Result, c)
	}
	if len(ret.Fields) > 0 {
		if ret.Result == nil {
			dst = append(dst, " ="...)
		}
		dst = append(dst, " {"...)
		for i := range ret.Fields {
			dst = ret.AppendField(appendLabel(dst, i, &ret.Fields[i]), &ret.Fields[i], c)
		}
		dst = append(dst, '}')
	}
	if c.Entry != nil {
		dst = append(render.AppendDuration(append(dst, " <"...), c.Duration), '>')
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

// appendEntryTrees appends the objects of the entry.
func appendEntryTrees(dst []byte, f *render.Function, c *calls.Call) []byte {
	if c.Entry == nil || !f.Entry.Dumps {
		return dst
	}
	for i := range f.Entry.Fields {
		field := &f.Entry.Fields[i]
		if !field.Dump {
			continue
		}
		val, ok := f.AtReturn(field, c)
		if !ok {
			val = f.Entry.Value(field, c)
		}
		dst = field.AppendTree(dst, &val, c.Depth)
	}
	return dst
}

// appendReturnTrees appends the objects of the return.
func appendReturnTrees(dst []byte, f *render.Function, c *calls.Call) []byte {
	ret := &f.Return
	if c.Return == nil || c.Unfinished || !ret.Dumps {
		return dst
	}
	if r := ret.Result; r != nil && r.Dump {
		val := ret.Value(r, c)
		dst = r.AppendTree(dst, &val, c.Depth)
	}
	for i := range ret.Fields {
		if field := &ret.Fields[i]; field.Dump {
			val := ret.Value(field, c)
			dst = field.AppendTree(dst, &val, c.Depth)
		}
	}
	return dst
}

// appendStack appends a line for each function on the stack, the innermost first.
func (p *Printer) appendStack(dst []byte, c *calls.Call) []byte {
	for i, addr := range render.StackOf(c) {
		dst = p.appendNoTime(dst)
		dst = append(p.opts.Paint(dst, render.Aside), "      => "...)
		dst = append(p.opts.Reset(p.frames.Append(dst, i, addr)), '\n')
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
