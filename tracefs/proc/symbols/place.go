package symbols

import (
	"bytes"
	"slices"
)

// A Place says where the symbols of one name are, as far as /proc/kallsyms shows.
type Place struct {
	Addrs    []uint64 // each once; empty if there is no such name
	Hidden   bool     // addresses are hidden from this process
	Function bool     // the first is code
	PerCPU   bool     // the first is the template of a per-CPU variable
	Module   bool     // the first is in a module
	Room     uint64   // bytes from the first to the next symbol; 0 if not known
}

// lookupPlace finds a function or variable in the text of /proc/kallsyms.
//
// The letters in that file do not suffice: on x86, Linux 7.x shows most data as T.
func lookupPlace(text []byte, name string) Place {
	p, first := withName(text, name)
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

// lookupAddrs returns only the addresses of lookupPlace, which takes a small part of the
// time.
func lookupAddrs(text []byte, name string) []uint64 {
	p, _ := withName(text, name)
	return p.Addrs
}

// withName returns the addresses of a symbol, and the first line with its name.
func withName(text []byte, name string) (p Place, first line) {
	for l := range linesWith(text, name) {
		if string(l.name) == name && !slices.Contains(p.Addrs, l.addr) {
			if p.Addrs = append(p.Addrs, l.addr); len(p.Addrs) == 1 {
				first = *l
			}
		}
	}
	return p, first
}

// room returns the distance from address at to the next symbol.
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
