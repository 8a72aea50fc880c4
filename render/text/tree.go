package text

import (
	"strconv"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A tree is what a Printer knows of calls that have begun and not ended. It shows a line
// when a call begins, indented by its depth, and one when it ends, or one line for both
// if nothing happened in between:
//
//	caller -> f(args) {
//	  f -> g(args) = value <duration>
//	} = value <duration>  // f
//
// A line that is not complete yet is held back.
type tree struct {
	begun bool   // some call has begun; what follows is only for trees
	held  []byte // the line of a call that has begun, up to ")"
	below []byte // the lines below it: its objects and its stack
	stack int    // start of the stack in below
	id    uint64 // of the call that is held back, 0 if there is none
	task  int    // TID of the last line, -1 before the first
	at    *site  // of the last line
	open  bool   // a call of that task is still active after the last line
	last  []byte // the task of the last line, as text
}

// Begin holds back the line of a call that begins.
func (p *Printer) Begin(dst []byte, c *calls.Call) []byte {
	t, f := &p.tree, &p.functions[c.Plan]
	p.here = p.sites[c.Plan]
	dst = p.appendChange(p.Idle(dst), f, c)
	t.held = p.appendHead(p.appendIndent(p.appendColumns(t.held[:0], f, c), c.Depth), f, c)
	t.below = p.appendTrees(t.below[:0], c)
	t.stack = len(t.below)
	t.below = p.appendStack(t.below, c)
	t.begun, t.id, t.open = true, c.ID, true
	return dst
}

// End appends the line of a call that is over, or its end.
func (p *Printer) End(dst []byte, c *calls.Call) []byte {
	t, f := &p.tree, &p.functions[c.Plan]
	p.here = p.sites[c.Plan]
	if !t.begun {
		if p.opts.Group != render.GroupNone {
			dst = p.appendGroup(dst, f, c)
		}
		return p.appendCall(dst, c)
	}
	if c.ID != 0 && c.ID == t.id {
		dst = append(dst, t.held...)
		t.held, t.id, t.open = t.held[:0], 0, c.Depth > 0
		dst = append(append(p.appendReturn(dst, f, c), '\n'), t.below[:t.stack]...)
		return append(p.appendTrees(dst, c), t.below[t.stack:]...)
	}
	dst = p.appendChange(p.Idle(dst), f, c)
	t.open = c.Depth > 0
	if c.ID == 0 { // only one side is traced, or the entry was not seen
		return p.appendCall(dst, c)
	}
	return p.appendEnd(dst, f, c)
}

// Idle appends the line that was held back.
func (p *Printer) Idle(dst []byte) []byte {
	t := &p.tree
	if t.id == 0 {
		return dst
	}
	dst = append(append(append(dst, t.held...), " {\n"...), t.below...)
	t.held, t.id = t.held[:0], 0
	return dst
}

// appendChange appends a mark if the next line is of another task in the middle of a
// call.
func (p *Printer) appendChange(dst []byte, f *render.Function, c *calls.Call) []byte {
	if p.opts.Group == render.GroupTask {
		return p.appendGroup(dst, f, c)
	}
	t, e := &p.tree, c.Last()
	if t.task != e.TID || t.at != p.here {
		if t.task >= 0 && (t.open || c.Depth > 0 || c.ID != 0 && !c.Begun) {
			dst = p.appendNoTime(p.opts.Paint(dst, render.Aside))
			dst = append(append(append(dst, "    ---- "...), t.last...), " => "...)
			dst = append(p.here.appendTaskOf(dst, f.Comm(c), e.TID), " ----"...)
			dst = append(p.opts.Reset(dst), '\n')
		}
		t.task, t.at = e.TID, p.here
	}
	t.last = p.here.appendTaskOf(t.last[:0], f.Comm(c), e.TID)
	return dst
}

// appendEnd appends the line that closes a call.
func (p *Printer) appendEnd(dst []byte, f *render.Function, c *calls.Call) []byte {
	dst = append(p.appendIndent(p.appendColumns(dst, f, c), c.Depth), '}')
	dst = p.opts.Paint(p.appendReturn(dst, f, c), render.Aside)
	dst = append(append(dst, "  // "...), f.Title...)
	dst = append(p.opts.Reset(dst), '\n')
	return p.appendTrees(dst, c)
}

// appendIndent appends the indentation of a call. If a terminal has no room for all of
// it, it also appends how many levels are missing.
func (p *Printer) appendIndent(dst []byte, depth int) []byte {
	for range min(depth, p.levels) {
		dst = append(dst, "  "...)
	}
	if depth > p.levels && p.levels < render.MaxIndent {
		dst = strconv.AppendInt(append(p.opts.Paint(dst, render.Aside), '+'), int64(depth-p.levels), 10)
		dst = append(p.opts.Reset(dst), ' ')
	}
	return dst
}
