package render

// A Caller is the function that a call came from.
type Caller struct {
	Name, Module string
	Off          uint64 // bytes from the start of the function to the return address
}

// trampolines are symbols that the kernel puts in place of a return address where it
// traces the return. The caller is then not known.
var trampolines = map[string]bool{
	"arch_rethook_trampoline": true, // x86-64 since 5.18
	"__kretprobe_trampoline":  true, // since 5.16
	"kretprobe_trampoline":    true,
	"return_to_handler":       true, // function graph tracer
}

// An AddressCache caches the text for addresses: few callers call a function again and
// again, and looking up an address takes longer than the rest of a line.
type AddressCache [256]struct {
	addr uint64
	text []byte
}

// Append appends the text that write appends for addr. addr must not be 0.
func (c *AddressCache) Append(dst []byte, addr uint64, write func(dst []byte, addr uint64) []byte) []byte {
	e := &c[(addr^addr>>8)%uint64(len(c))]
	if e.addr != addr {
		e.addr, e.text = addr, write(e.text[:0], addr)
	}
	return append(dst, e.text...)
}

// ReturnsTo returns the function that a return address belongs to, if it is known. The
// address is that of the instruction after the call, which belongs to the next function
// if the called one never returns. So the byte before it is looked up, as the kernel's
// %pB does. Trampolines are returned to at their first byte, and their caller is not
// known.
func (o *Options) ReturnsTo(addr uint64) (by Caller, ok bool) {
	if o.Symbol == nil {
		return Caller{}, false
	}
	if name, _, off, ok := o.Symbol(addr); ok && off == 0 && trampolines[name] {
		return Caller{Name: name}, false
	}
	name, module, off, ok := o.Symbol(addr - 1)
	return Caller{name, module, off + 1}, ok && !trampolines[name]
}
