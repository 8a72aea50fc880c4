package render

import "github.com/tsnoop/tsnoop/tracefs/calls"

// A caller is where a call came from.
type caller struct {
	name, module string
	off          uint64 // bytes from the start of the function to the return address
}

// trampolines are the symbols that the kernel itself puts in the place of a
// return address where the return is traced. The caller is not known then.
var trampolines = map[string]bool{
	"arch_rethook_trampoline": true, // x86-64 since 5.18
	"__kretprobe_trampoline":  true, // since 5.16
	"kretprobe_trampoline":    true,
	"return_to_handler":       true, // function graph tracer
}

// returnAddress is where c returns to, 0 if that is not known.
func (src *source) returnAddress(c *calls.Call) uint64 {
	if e := c.Entry; e != nil && src.entry.probe != nil && src.entry.probe.Caller >= 0 {
		return src.entry.dec.Arg(src.entry.probe.Caller, e.Data)
	}
	if e := c.Return; e != nil && src.ret.probe != nil && src.ret.probe.Caller >= 0 {
		return src.ret.dec.Arg(src.ret.probe.Caller, e.Data)
	}
	return 0
}

// appendCaller appends what a line says of the caller, nothing if it is not known.
func (p *Printer) appendCaller(dst []byte, src *source, c *calls.Call) []byte {
	addr := src.returnAddress(c)
	if addr == 0 || p.opts.Symbol == nil {
		return dst
	}
	return append(dst, p.callers.text(addr, p.opts.appendCaller)...)
}

// A textCache keeps what was written about addresses: few call a function again
// and again, and looking an address up takes longer than all the rest of a line.
type textCache [256]struct {
	addr uint64
	text []byte
}

// text is what write appends about addr.
func (c *textCache) text(addr uint64, write func(dst []byte, addr uint64) []byte) []byte {
	e := &c[(addr^addr>>8)%uint64(len(c))]
	if e.addr != addr {
		e.addr, e.text = addr, write(e.text[:0], addr)
	}
	return e.text
}

// returnsTo names what is behind a return address: the instruction after the call,
// which is another function's if the called one never returns; so the byte before
// it is looked up, as the kernel's %pB does. Trampolines are returned to at their
// first byte, and nobody knows who called.
func (o *Options) returnsTo(addr uint64) (name, module string, off uint64, ok bool) {
	if o.Symbol == nil {
		return "", "", 0, false
	}
	if name, _, off, ok := o.Symbol(addr); ok && off == 0 && trampolines[name] {
		return name, "", 0, false
	}
	name, module, off, ok = o.Symbol(addr - 1)
	return name, module, off + 1, ok && !trampolines[name]
}

// appendCaller appends "caller -> ", or the members of JSON, nothing if it is not
// known who returns to addr.
func (o *Options) appendCaller(dst []byte, addr uint64) []byte {
	name, module, off, ok := o.returnsTo(addr)
	if !ok {
		return dst
	}
	by := caller{name, module, off}
	if o.JSON {
		return appendJSONCaller(dst, by, o)
	}
	if !o.Verbose {
		by.off = 0
	}
	dst = appendSymbol(o.color(dst, aside), by.name, by.module, by.off)
	return append(o.reset(dst), " -> "...)
}
