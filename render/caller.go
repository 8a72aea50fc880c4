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

// caller finds out who made c. The return address is that of the instruction
// behind the call, which is another function's if the called one never
// returns; so the byte before it is looked up, as the kernel's %pB does.
func (p *Printer) caller(src *source, c *calls.Call) (caller, bool) {
	if p.opts.Symbol == nil {
		return caller{}, false
	}
	var addr uint64
	if e := c.Entry; e != nil && src.entry.probe != nil && src.entry.probe.Caller >= 0 {
		addr = src.entry.dec.Arg(src.entry.probe.Caller, e.Data)
	} else if e := c.Return; e != nil && src.ret.probe != nil && src.ret.probe.Caller >= 0 {
		addr = src.ret.dec.Arg(src.ret.probe.Caller, e.Data)
	}
	if addr == 0 {
		return caller{}, false
	}
	return p.callers.find(addr, p.opts.Symbol)
}

// A callerCache keeps who the callers were: few call a function again and again,
// and looking an address up takes longer than all the rest of a line.
type callerCache [256]struct {
	addr uint64
	by   caller
	ok   bool
}

func (c *callerCache) find(addr uint64, symbol func(uint64) (string, string, uint64, bool)) (caller, bool) {
	e := &c[(addr^addr>>8)%uint64(len(c))]
	if e.addr != addr {
		name, module, off, ok := symbol(addr - 1)
		e.addr, e.by, e.ok = addr, caller{name, module, off + 1}, ok && !trampolines[name]
	}
	return e.by, e.ok
}

// appendCaller appends "caller -> ", or nothing if the caller is not known.
func (p *Printer) appendCaller(dst []byte, src *source, c *calls.Call) []byte {
	by, ok := p.caller(src, c)
	if !ok {
		return dst
	}
	if !p.opts.Verbose {
		by.off = 0
	}
	dst = appendSymbol(p.opts.color(dst, aside), by.name, by.module, by.off)
	return append(p.opts.reset(dst), " -> "...)
}
