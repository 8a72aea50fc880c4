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
	return append(dst, p.callers.find(addr, &p.opts)...)
}

// A callerCache keeps who the callers were: few call a function again and again,
// and looking an address up takes longer than all the rest of a line.
type callerCache [256]struct {
	addr uint64
	text []byte // as it stands in a line; nothing if the caller is not known
}

// find looks an address up. It is that of the instruction behind the call, which
// is another function's if the called one never returns; so the byte before it is
// looked up, as the kernel's %pB does.
func (c *callerCache) find(addr uint64, o *Options) []byte {
	e := &c[(addr^addr>>8)%uint64(len(c))]
	if e.addr == addr {
		return e.text
	}
	name, module, off, ok := o.Symbol(addr - 1)
	e.addr, e.text = addr, e.text[:0]
	if ok && !trampolines[name] {
		e.text = o.appendCaller(e.text, caller{name, module, off + 1})
	}
	return e.text
}

// appendCaller appends "caller -> ", or the members of JSON.
func (o *Options) appendCaller(dst []byte, by caller) []byte {
	if o.JSON {
		return appendJSONCaller(dst, by, o)
	}
	shown := by.off
	if !o.Verbose {
		shown = 0
	}
	dst = appendSymbol(o.color(dst, aside), by.name, by.module, shown)
	return append(o.reset(dst), " -> "...)
}
