package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// StackOf returns the stack to show with c: that of the entry. At the return, the kernel
// may be unable to unwind past the return probe.
func StackOf(c *calls.Call) []uint64 {
	if c.Entry != nil && (len(c.Entry.Stack) > 0 || c.Return == nil) {
		return c.Entry.Stack
	}
	return c.Return.Stack
}

// Frames shows the functions of stacks.
type Frames struct {
	opts  *Options
	cache AddressCache
}

// NewFrames returns a Frames, which uses o as long as it is used.
func NewFrames(o *Options) *Frames { return &Frames{opts: o} }

// Append appends the function of the i-th address of a stack, "func [module]", or with
// Options.Verbose "func+0x10 [module]". The first address is where the probe hit; the
// others are return addresses.
func (f *Frames) Append(dst []byte, i int, addr uint64) []byte {
	if i == 0 && f.opts.Symbol != nil {
		if name, module, off, ok := f.opts.Symbol(addr); ok {
			return f.opts.appendPlace(dst, name, module, off)
		}
	}
	return f.cache.Append(dst, addr, f.opts.appendReturnTo)
}

// appendReturnTo appends the function that the return address addr belongs to.
func (o *Options) appendReturnTo(dst []byte, addr uint64) []byte {
	by, ok := o.ReturnsTo(addr)
	switch {
	case ok:
		return o.appendPlace(dst, by.Name, by.Module, by.Off)
	case trampolines[by.Name]:
		return append(dst, "[unknown/kretprobe'd]"...) // as the kernel prints it
	}
	return strconv.AppendUint(append(dst, "0x"...), addr, 16)
}

func (o *Options) appendPlace(dst []byte, name, module string, off uint64) []byte {
	if !o.Verbose {
		off = 0
	}
	return AppendSymbol(dst, name, module, off)
}
