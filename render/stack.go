package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// stackOf is the stack to show with c: the entry's. By the time of the return the
// kernel may not find its way past the return probe.
func stackOf(c *calls.Call) []uint64 {
	if c.Entry != nil && (len(c.Entry.Stack) > 0 || c.Return == nil) {
		return c.Entry.Stack
	}
	return c.Return.Stack
}

// appendStack appends a line for each function on the stack, the innermost first.
func (p *Printer) appendStack(dst []byte, c *calls.Call) []byte {
	for i, addr := range stackOf(c) {
		if p.opts.Time != TimeNone {
			dst = padRight(dst, len(dst), timeModes[p.opts.Time].width+1)
		}
		dst = append(p.opts.color(dst, aside), "      => "...)
		dst = append(p.opts.reset(p.appendFrame(dst, i, addr)), '\n')
	}
	return dst
}

// appendJSONStack appends the stack as a member.
func (p *Printer) appendJSONStack(dst []byte, c *calls.Call) []byte {
	stack := stackOf(c)
	if len(stack) == 0 {
		return dst
	}
	dst = append(dst, `,"stack":[`...)
	for i, addr := range stack {
		if i > 0 {
			dst = append(dst, ',')
		}
		p.text = p.appendFrame(p.text[:0], i, addr)
		dst, _ = appendJSONString(dst, p.text)
	}
	return append(dst, ']')
}

// appendFrame appends the function of a stack's i-th address. The first is where
// the probe hit, the others are where calls return to.
func (p *Printer) appendFrame(dst []byte, i int, addr uint64) []byte {
	if i == 0 && p.opts.Symbol != nil {
		if name, module, off, ok := p.opts.Symbol(addr); ok {
			return p.opts.appendPlace(dst, name, module, off)
		}
	}
	return append(dst, p.frames.text(addr, p.opts.appendReturnTo)...)
}

// appendReturnTo appends the function that returns to addr.
func (o *Options) appendReturnTo(dst []byte, addr uint64) []byte {
	name, module, off, ok := o.returnsTo(addr)
	switch {
	case ok:
		return o.appendPlace(dst, name, module, off)
	case trampolines[name]:
		return append(dst, "[unknown/kretprobe'd]"...) // the kernel's words
	}
	return strconv.AppendUint(append(dst, "0x"...), addr, 16)
}

// appendPlace appends "func [module]", with Verbose "func+0x10 [module]".
func (o *Options) appendPlace(dst []byte, name, module string, off uint64) []byte {
	if !o.Verbose {
		off = 0
	}
	return appendSymbol(dst, name, module, off)
}
