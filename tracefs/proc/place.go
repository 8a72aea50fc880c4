package proc

import (
	"bytes"
	"slices"
)

// A Place is where the kernel has what goes by one name, as far as
// /proc/kallsyms tells.
type Place struct {
	Addrs    []uint64 // each once; empty if the name is not there
	Hidden   bool     // addresses are shown to others only
	Function bool     // the first is code
	PerCPU   bool     // the first is the template of a variable that each CPU has
	Module   bool     // the first is in a module
	Room     uint64   // bytes from the first to the next symbol; 0 if not known
}

// LookupPlace finds a function or variable in the text of /proc/kallsyms.
//
// The letters of that file are not enough: on x86, Linux 7.x has T for most data.
func LookupPlace(text []byte, name string) Place {
	p, first := lookupAddrs(text, name)
	if len(p.Addrs) == 0 {
		return p
	}
	if p.Hidden = addrOf(text, "_stext") == 0; p.Hidden {
		return p
	}
	at := p.Addrs[0]
	p.Module = first.module != nil
	within := func(from, to string) bool { return at < addrOf(text, to) && addrOf(text, from) <= at }
	p.PerCPU = within("__per_cpu_start", "__per_cpu_end")
	p.Function = within("_stext", "_etext") || within("_sinittext", "_einittext") ||
		p.Module && first.text()
	p.Room = room(text, at)
	return p
}

// LookupAddrs is LookupPlace for who wants Addrs and no more, which is a small part of
// its work.
func LookupAddrs(text []byte, name string) Place {
	p, _ := lookupAddrs(text, name)
	return p
}

// lookupAddrs finds the addresses of a symbol, and the first line of its name.
func lookupAddrs(text []byte, name string) (p Place, first line) {
	for l := range linesWith(text, name) {
		if string(l.name) == name && !slices.Contains(p.Addrs, l.addr) {
			if p.Addrs = append(p.Addrs, l.addr); len(p.Addrs) == 1 {
				first = *l
			}
		}
	}
	return p, first
}

// room is the distance from a symbol to the next one.
func room(text []byte, at uint64) uint64 {
	next := uint64(0)
	for len(text) > 0 {
		if addr, _ := address(text); addr > at && (next == 0 || addr < next) {
			next = addr
		}
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	if next == 0 {
		return 0
	}
	return next - at
}
