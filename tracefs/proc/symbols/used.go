package symbols

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"
	"sort"
)

// Used finds out which lines of /proc/kallsyms are needed to name the addresses
// that are in some memory.
type Used struct {
	addrs []uint64 // of symbols, each once, in their order
	state []uint8  // by index in addrs
	fresh []int    // indexes in addrs that are used since the last call of Text
	last  uint64   // the address that was looked up last

	lines  func(addrs []uint64) []byte // of the symbols at these addresses, which are sorted
	bounds func() []uint64             // addresses of bounds; nil once Text was called

	near  bool // symbols that are not in addrs may be near to those
	other bool // there was an address of one
}

const (
	isUsed = 1 << iota
	isListed
)

// NewUsed returns the Used for the text of /proc/kallsyms. None is used yet.
func NewUsed(text []byte) *Used {
	u := &Used{addrs: make([]uint64, 0, len(text)/40)}
	for l := range lines(text) {
		if l.addr >= minKernel {
			u.addrs = append(u.addrs, l.addr)
		}
	}
	slices.Sort(u.addrs)
	u.lines = func(addrs []uint64) []byte { return linesAt(text, addrs) }
	u.bounds = func() (addrs []uint64) {
		for l := range lines(text) {
			if l.module == nil && bounds[string(l.name)] {
				addrs = append(addrs, l.addr)
			}
		}
		return addrs
	}
	return u.ready()
}

// Used returns the Used for the symbols of the kernel itself. Other reports whether there
// were addresses of others. If the kernel's own cannot be read alone, all are others.
func (t *Table) Used() *Used {
	m := t.image()
	if m == nil {
		u := NewUsed(nil)
		u.other = true
		return u
	}
	u := &Used{addrs: make([]uint64, 0, m.n), lines: m.linesAt, bounds: m.bounds, near: true}
	for i := range m.n {
		if addr := m.addr(i); addr >= minKernel {
			u.addrs = append(u.addrs, addr)
		}
	}
	return u.ready()
}

func (u *Used) ready() *Used {
	u.addrs = slices.Compact(u.addrs)
	u.state = make([]uint8, len(u.addrs))
	return u
}

// Other reports whether Scan has found an address that may be of a module, or of code that
// the kernel has generated: see Table.Others.
func (u *Used) Other() bool { return u.other }

// nearby is how far from the kernel modules may be: its code reaches them by relative jumps.
// From negative on, numbers are more likely small negative ones than addresses.
const (
	nearby   = 2 << 30
	negative = 1<<64 - 1<<28
)

// Scan takes every eight bytes in b for an address, since the values of events are packed, in
// the byte order that big says. Eight bytes that only look like one cost no more than a line.
func (u *Used) Scan(b []byte, big bool) {
	if len(u.addrs) == 0 {
		return
	}
	low := u.addrs[0]
	span := u.addrs[len(u.addrs)-1] - low + maxOffset
	from, reach := low, span
	if u.near && !u.other {
		from = low - nearby
		reach = min(span+2*nearby, negative-from)
	}
	for i := 0; i+8 <= len(b); i++ {
		addr := binary.LittleEndian.Uint64(b[i:])
		if big {
			addr = bits.ReverseBytes64(addr)
		}
		switch {
		case addr-from > reach || addr == u.last:
		case addr-low <= span:
			u.last = addr
			u.use(addr)
			u.use(addr - 1) // where a return address was called from
		default:
			u.other = true
		}
	}
}

// use marks the symbol that an address is in.
func (u *Used) use(addr uint64) {
	i, found := slices.BinarySearch(u.addrs, addr)
	if !found {
		i--
	}
	if i >= 0 && u.state[i]&isUsed == 0 {
		u.state[i] |= isUsed
		u.fresh = append(u.fresh, i)
	}
}

// bounds are symbols that tell what an address is by where it lies.
var bounds = map[string]bool{
	"_text": true, "_stext": true, "_etext": true, "_end": true, "__brk_limit": true,
	"__per_cpu_start": true, "__per_cpu_end": true,
}

// Text returns the lines of the symbols that are used, with all their names, and of those
// that follow them, which are where they end. It returns none that an earlier call has
// returned.
func (u *Used) Text() []byte {
	var addrs []uint64
	if u.bounds != nil {
		addrs = u.bounds()
		u.bounds = nil
		for _, addr := range addrs {
			if i, found := slices.BinarySearch(u.addrs, addr); found {
				u.state[i] |= isListed
			}
		}
	}
	for _, used := range u.fresh {
		for _, i := range []int{used, min(used+1, len(u.addrs)-1)} {
			if u.state[i]&isListed == 0 {
				u.state[i] |= isListed
				addrs = append(addrs, u.addrs[i])
			}
		}
	}
	u.fresh = u.fresh[:0]
	if len(addrs) == 0 {
		return nil
	}
	slices.Sort(addrs)
	return u.lines(slices.Compact(addrs))
}

// linesAt returns the lines of the symbols at some addresses. It returns only bounds for
// those that are hidden or are not addresses.
func linesAt(all []byte, addrs []uint64) (text []byte) {
	var l line
	for whole := range bytes.Lines(all) {
		if !l.parse(bytes.TrimSuffix(whole, []byte("\n"))) || l.addr < minKernel && !bounds[string(l.name)] {
			continue
		}
		if _, found := slices.BinarySearch(addrs, l.addr); found {
			text = append(text, whole...)
		}
	}
	return text
}

// linesAt is linesAt of the kernel itself.
func (m *image) linesAt(addrs []uint64) (text []byte) {
	var b []byte
	for _, addr := range addrs {
		first := sort.Search(m.n, func(i int) bool { return m.addr(i) >= addr })
		for i, name := range m.from(first - first%marked) {
			if m.addr(i) > addr {
				break
			}
			if l := m.line(i, name, &b); i >= first && (addr >= minKernel || bounds[string(l.name)]) {
				text = l.append(text)
			}
		}
	}
	return text
}

// bounds returns the addresses of bounds.
func (m *image) bounds() (addrs []uint64) {
	m.beginning(slices.Collect(maps.Keys(bounds)), func(l *line) {
		if bounds[string(l.name)] {
			addrs = append(addrs, l.addr)
		}
	})
	return addrs
}
