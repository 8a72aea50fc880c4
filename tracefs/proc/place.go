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
	Room     uint64   // bytes from the first to the next symbol; 0 if not known
}

// LookupPlace finds a function or variable in the text of /proc/kallsyms.
//
// The letters of that file are not enough: on x86, Linux 7.x has T for most data.
func LookupPlace(text []byte, name string) Place {
	var p Place
	var module bool
	var kind byte
	marks := map[string]uint64{"_stext": 0, "_etext": 0, "_sinittext": 0, "_einittext": 0, "__per_cpu_start": 0, "__per_cpu_end": 0}
	for l := range lines(bytes.NewReader(text)) {
		if l == nil {
			break
		}
		if _, ok := marks[string(l.name)]; ok && l.module == nil {
			marks[string(l.name)] = l.addr
		}
		if string(l.name) == name && !slices.Contains(p.Addrs, l.addr) {
			if p.Addrs = append(p.Addrs, l.addr); len(p.Addrs) == 1 {
				kind, module = l.kind, l.module != nil
			}
		}
	}
	if len(p.Addrs) == 0 {
		return p
	}
	at := p.Addrs[0]
	within := func(from, to string) bool { return marks[from] <= at && at < marks[to] }
	if p.Hidden = marks["_stext"] == 0; p.Hidden {
		return p
	}
	p.PerCPU = within("__per_cpu_start", "__per_cpu_end")
	p.Function = within("_stext", "_etext") || within("_sinittext", "_einittext") ||
		module && bytes.IndexByte([]byte("tTwW"), kind) >= 0
	p.Room = room(text, at)
	return p
}

// room is the distance from a symbol to the next one.
func room(text []byte, at uint64) uint64 {
	next := uint64(0)
	for l := range lines(bytes.NewReader(text)) {
		if l != nil && l.addr > at && (next == 0 || l.addr < next) {
			next = l.addr
		}
	}
	if next == 0 {
		return 0
	}
	return next - at
}
