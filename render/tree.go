package render

import "github.com/tsnoop/tsnoop/tracefs/calls"

// A Tree shows calls of a Pairer with Options.Begin: a line when a call begins,
// indented by its depth, and one when it ends; one for both if nothing happened
// in between.
//
//	caller -> f(args) {
//	  f -> g(args) = value <duration>
//	} = value <duration>  // f
//
// A line that is not complete yet is held back. In JSON nothing is: "call" joins
// the two objects of a call.
type Tree struct {
	p     *Printer
	held  []byte // the line of a call that has begun, up to ")"
	below []byte // the lines below it: its stack
	id    uint64 // of that call
	task  int    // TID of the last line
	open  bool   // after it some call of that task is active
	last  []byte // the task of the last line, as text
}

// NewTree makes a Tree that shows calls as p does.
func NewTree(p *Printer) *Tree { return &Tree{p: p, task: -1} }

// Append appends what c, that begins or ends, adds.
func (t *Tree) Append(dst []byte, c *calls.Call) []byte {
	if t.p.opts.JSON {
		return t.p.appendJSON(dst, c)
	}
	src := &t.p.sources[c.Plan]
	if c.ID != 0 && c.ID == t.id {
		dst = append(dst, t.held...)
		t.held, t.id, t.open = t.held[:0], 0, c.Depth > 0
		return append(append(t.p.appendReturn(dst, src, c), '\n'), t.below...)
	}
	dst = t.Flush(dst)
	dst = t.change(dst, src, c)
	if c.Begun {
		t.held, t.id = t.p.appendBegin(t.held[:0], src, c), c.ID
		t.below = t.p.appendStack(t.below[:0], c)
		t.open = true
		return dst
	}
	t.open = c.Depth > 0
	if c.ID == 0 { // one-sided, or the entry was not seen
		return t.p.AppendCall(dst, c)
	}
	return t.p.appendEnd(dst, src, c)
}

// Flush appends the line that was held back.
func (t *Tree) Flush(dst []byte) []byte {
	if t.id == 0 {
		return dst
	}
	dst = append(append(append(dst, t.held...), " {\n"...), t.below...)
	t.held, t.id = t.held[:0], 0
	return dst
}

// change marks that another task's lines follow in the middle of a call.
func (t *Tree) change(dst []byte, src *source, c *calls.Call) []byte {
	e := lastEvent(c)
	if t.task != e.TID {
		if t.task >= 0 && (t.open || c.Depth > 0 || c.ID != 0 && !c.Begun) {
			dst = t.p.opts.color(dst, aside)
			if t.p.opts.Time != TimeNone {
				dst = padRight(dst, len(dst), timeModes[t.p.opts.Time].width+1)
			}
			dst = append(append(append(dst, "    ---- "...), t.last...), " => "...)
			dst = append(appendTaskName(dst, src.comm(c), e.TID), " ----"...)
			dst = append(t.p.opts.reset(dst), '\n')
		}
		t.task = e.TID
	}
	t.last = appendTaskName(t.last[:0], src.comm(c), e.TID)
	return dst
}

// appendBegin appends the line of a call that has begun, up to the arguments.
func (p *Printer) appendBegin(dst []byte, src *source, c *calls.Call) []byte {
	return p.appendHead(appendIndent(p.appendColumns(dst, src, c), c.Depth), src, c)
}

// appendEnd appends the line that closes a call.
func (p *Printer) appendEnd(dst []byte, src *source, c *calls.Call) []byte {
	dst = append(appendIndent(p.appendColumns(dst, src, c), c.Depth), '}')
	dst = p.opts.color(p.appendReturn(dst, src, c), aside)
	dst = append(append(dst, "  // "...), src.title...)
	return append(p.opts.reset(dst), '\n')
}

func appendIndent(dst []byte, depth int) []byte {
	for range min(depth, maxIndent) {
		dst = append(dst, "  "...)
	}
	return dst
}

// maxIndent keeps lines readable, however deep a recursion is.
const maxIndent = 64
