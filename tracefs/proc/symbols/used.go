package symbols

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Used finds out which lines of /proc/kallsyms are needed to name the addresses
// that are in some memory.
type Used struct {
	text  []byte
	addrs []uint64 // of symbols, each once, in their order
	used  []bool   // by index in addrs
	last  uint64   // the address that was looked up last
}

// NewUsed returns the Used for the text of /proc/kallsyms. None is used yet.
func NewUsed(text []byte) *Used {
	u := &Used{text: text, addrs: make([]uint64, 0, len(text)/40)}
	for l := range lines(text) {
		if l.addr >= minKernel {
			u.addrs = append(u.addrs, l.addr)
		}
	}
	slices.Sort(u.addrs)
	u.addrs = slices.Compact(u.addrs)
	u.used = make([]bool, len(u.addrs))
	return u
}

// Scan takes every eight bytes in b for an address, since the values of events are packed, in the byte
// order that big says. What only
// looks like one costs no more than a line.
func (u *Used) Scan(b []byte, big bool) {
	if len(u.addrs) == 0 {
		return
	}
	low := u.addrs[0]
	span := u.addrs[len(u.addrs)-1] - low + maxOffset
	for i := 0; i+8 <= len(b); i++ {
		addr := binary.LittleEndian.Uint64(b[i:])
		if big {
			addr = bits.ReverseBytes64(addr)
		}
		if addr-low <= span && addr != u.last {
			u.last = addr
			u.use(addr)
			u.use(addr - 1) // where a return address was called from
		}
	}
}

// use marks the symbol that an address is in.
func (u *Used) use(addr uint64) {
	i, found := slices.BinarySearch(u.addrs, addr)
	if !found {
		i--
	}
	if i >= 0 {
		u.used[i] = true
	}
}

// bounds are symbols that tell what an address is by where it lies.
var bounds = map[string]bool{
	"_text": true, "_stext": true, "_etext": true, "_end": true, "__brk_limit": true,
	"__per_cpu_start": true, "__per_cpu_end": true,
}

// Text returns the lines of the symbols that are used, with all their names, and of those
// that follow them, which are where they end.
func (u *Used) Text() []byte {
	keep := make(map[uint64]bool)
	for i, used := range u.used {
		if used {
			keep[u.addrs[i]] = true
			keep[u.addrs[min(i+1, len(u.addrs)-1)]] = true
		}
	}
	var text []byte
	var l line
	for whole := range bytes.Lines(u.text) {
		if l.parse(bytes.TrimSuffix(whole, []byte("\n"))) && (keep[l.addr] || l.module == nil && bounds[string(l.name)]) {
			text = append(text, whole...)
		}
	}
	return text
}
