package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// StackOf is the stack to show with c: the entry's. By the time of the return the
// kernel may not find its way past the return probe.
func StackOf(c *calls.Call) []uint64 {
	if c.Entry != nil && (len(c.Entry.Stack) > 0 || c.Return == nil) {
		return c.Entry.Stack
	}
	return c.Return.Stack
}

// A Frames shows the functions of stacks.
type Frames struct {
	opts  *Options
	cache AddressCache
}

// NewFrames makes a Frames, which uses o as long as it is used.
func NewFrames(o *Options) *Frames { return &Frames{opts: o} }

// Append appends the function of a stack's i-th address, "func [module]", with
// Options.Verbose "func+0x10 [module]". The first is where the probe hit, the
// others are where calls return to.
func (f *Frames) Append(dst []byte, i int, addr uint64) []byte {
	if i == 0 && f.opts.Symbol != nil {
		if name, module, off, ok := f.opts.Symbol(addr); ok {
			return f.opts.appendPlace(dst, name, module, off)
		}
	}
	return f.cache.Append(dst, addr, f.opts.appendReturnTo)
}

// appendReturnTo appends the function that returns to addr.
func (o *Options) appendReturnTo(dst []byte, addr uint64) []byte {
	by, ok := o.ReturnsTo(addr)
	switch {
	case ok:
		return o.appendPlace(dst, by.Name, by.Module, by.Off)
	case trampolines[by.Name]:
		return append(dst, "[unknown/kretprobe'd]"...) // the kernel's words
	}
	return strconv.AppendUint(append(dst, "0x"...), addr, 16)
}

func (o *Options) appendPlace(dst []byte, name, module string, off uint64) []byte {
	if !o.Verbose {
		off = 0
	}
	return AppendSymbol(dst, name, module, off)
}
