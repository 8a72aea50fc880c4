package text

import (
	"bytes"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A group is the group of the last heading.
type group struct {
	any       bool // there was a heading
	continues bool // the next line belongs to the group
	name      []byte
	tid       int
	at        *site
}

// appendGroup appends a heading, with an empty line above it, if c is of another group
// than the last line.
func (p *Printer) appendGroup(dst []byte, f *render.Function, c *calls.Call) []byte {
	g := &p.group
	tid := 0
	if p.opts.Group == render.GroupTask {
		comm := f.Comm(c)
		tid = c.Last().TID
		if g.continues && g.tid == tid && g.at == p.here && bytes.Equal(g.name, comm) {
			return dst
		}
		g.name = append(g.name[:0], comm...)
	} else {
		if g.continues && string(g.name) == f.Title {
			return dst
		}
		g.name = append(g.name[:0], f.Title...)
	}
	if g.any {
		dst = append(dst, '\n')
	}
	g.any, g.continues, g.tid, g.at = true, true, tid, p.here
	dst = p.opts.Paint(dst, render.Group)
	if p.opts.Group == render.GroupTask {
		dst = p.here.appendTaskOf(dst, g.name, tid)
	} else {
		dst = append(dst, g.name...)
	}
	return append(p.opts.Reset(dst), '\n')
}
