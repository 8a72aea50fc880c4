package symbols

import (
	"errors"
	"math"
	"slices"
	"sort"
	"sync"
)

// marked is the number of symbols between marks.
const marked = 64

var errCut = errors.New("kallsyms_names is cut")

// addr returns the address of a symbol.
func (m *image) addr(i int) uint64 {
	off := uint64(m.offsets[i])
	switch {
	case m.itself:
		return m.base + 4*uint64(i) + off
	case !m.small:
		return m.base + off
	case int64(off) < 0:
		return m.base - 1 - off
	}
	return off
}

// sorted reports whether the symbols are sorted by address.
func (m *image) sorted() bool {
	if m.itself {
		for i := 1; i < m.n; i++ {
			if m.addr(i) < m.addr(i-1) {
				return false
			}
		}
		return true
	}
	last := uint32(0)
	for _, off := range m.offsets {
		distance := uint32(off)
		if off < 0 { // after the small addresses, and from the base downwards
			distance = ^distance | 1<<31
		}
		if distance < last {
			return false
		}
		last = distance
	}
	return m.base+uint64(last&math.MaxInt32) >= m.base
}

// compressed returns the compressed name at offset at, which includes the symbol's
// kind, and the offset of the next one. A compressed name is a length, in one byte or
// two, and that many tokens.
func (m *image) compressed(at int) (name []byte, next int, err error) {
	if len(m.names) < at+2 {
		return nil, 0, errCut
	}
	n := int(m.names[at])
	at++
	if n&0x80 != 0 { // since 6.1
		n = n&0x7f | int(m.names[at])<<7
		at++
	}
	if n > len(m.names)-at {
		return nil, 0, errCut
	}
	return m.names[at : at+n], at + n, nil
}

// mark checks all names and sets the marks. It does the work of compressed itself in
// most cases, because there are a hundred thousand names.
func (m *image) mark() error {
	var full [256]bool // tokens that hold a kind and at least one letter
	for t, token := range m.tokens {
		full[t] = len(token) > 1
	}
	m.marks = make([]uint32, 0, m.n/marked+1)
	names, at := m.names, 0
	for i := range m.n {
		if i%marked == 0 {
			m.marks = append(m.marks, uint32(at))
		}
		if at+1 >= len(names) {
			return errCut
		}
		n, first := int(names[at]), names[at+1]
		at++
		if n&0x80 != 0 {
			name, next, err := m.compressed(at - 1)
			if err != nil {
				return err
			}
			if n, at = len(name), next-len(name); n == 1 {
				first = name[0]
			}
		}
		if n < 2 && (n == 0 || !full[first]) {
			return errors.New("a symbol without a name")
		}
		at += n
	}
	if at > len(names) {
		return errCut
	}
	return nil
}

// from yields the symbols starting with first, which must have a mark.
func (m *image) from(first int) func(yield func(i int, name []byte) bool) {
	return func(yield func(int, []byte) bool) {
		at := int(m.marks[first/marked])
		for i := first; i < m.n; i++ {
			name, next, _ := m.compressed(at) // mark has checked all names
			if !yield(i, name) {
				return
			}
			at = next
		}
	}
}

// line returns a symbol as a line of /proc/kallsyms. Its name is stored in b, which
// grows as needed.
func (m *image) line(i int, name []byte, b *[]byte) line {
	full := (*b)[:0]
	for _, t := range name {
		full = append(full, m.tokens[t]...)
	}
	*b = full
	l := line{addr: m.addr(i)}
	if len(full) > 0 { // the tokens may be damaged
		l.kind, l.name = full[0], full[1:]
	}
	return l
}

// at returns the line of symbol i.
func (m *image) at(i int) (l line) {
	for j, name := range m.from(i - i%marked) {
		if j == i {
			return m.line(i, name, new([]byte))
		}
	}
	return l
}

// begins reports whether a name begins with word, after its kind.
func (m *image) begins(name []byte, word string) bool {
	for i, t := range name {
		token := m.tokens[t]
		if i == 0 {
			token = token[min(1, len(token)):]
		}
		n := min(len(token), len(word))
		if string(token[:n]) != word[:n] {
			return false
		}
		if word = word[n:]; word == "" {
			return true
		}
	}
	return false
}

// beginning calls found for the symbols that begin with one of words. A line is valid
// until the next call.
func (m *image) beginning(words []string, found func(*line)) {
	// The first token is enough to reject most symbols. If that is only the kind, the
	// second one is.
	const no, second, yes = 0, 1, 2
	var first [256]uint8
	var next [256]bool
	for t, token := range m.tokens {
		for _, w := range words {
			if fits(token[min(1, len(token)):], w) {
				first[t] = yes
			}
			next[t] = next[t] || fits(token, w)
		}
		if len(token) < 2 {
			first[t] = second
		}
	}
	var b []byte
	var l line // one for all: what found gets is on the heap
	names, at := m.names, 0
	for i := range m.n {
		var name []byte
		if n := int(names[at]); n&0x80 == 0 {
			from := at + 1
			if at = from + n; first[names[from]] == no {
				continue
			}
			name = names[from:at]
		} else {
			name, at, _ = m.compressed(at) // mark has checked all names
		}
		if f := first[name[0]]; f == no || f == second && !next[name[1]] {
			continue
		}
		if slices.ContainsFunc(words, func(w string) bool { return m.begins(name, w) }) {
			l = m.line(i, name, &b)
			found(&l)
		}
	}
}

// fits reports whether one of a token and a word begins with the other.
func fits(token []byte, word string) bool {
	n := min(len(token), len(word))
	return string(token[:n]) == word[:n]
}

// has reports whether a symbol of this name is at an address.
func (m *image) has(name string, addr uint64) bool {
	for i := sort.Search(m.n, func(i int) bool { return m.addr(i) >= addr }); i < m.n && m.addr(i) == addr; i++ {
		if l := m.at(i); isPlace(&l) && string(l.name) == name {
			return true
		}
	}
	return false
}

// later prepares what is computed when it is needed.
func (m *image) later() {
	m.ends = sync.OnceValue(func() (e ends) {
		m.beginning([]string{"_etext", "__per_cpu_end"}, func(l *line) {
			switch {
			case !isPlace(l):
			case string(l.name) == "_etext":
				e.code = l.addr
			case string(l.name) == "__per_cpu_end":
				e.perCPU = l.addr
			}
		})
		return e
	})
	m.named = map[uint64]symbolName{}
	m.whole = sync.OnceValue(func() *list {
		s, _ := parseList(m.text(math.MaxInt)) // there is at least _stext
		return s
	})
}

// isPlace reports whether a symbol is the name of a place in the kernel. Kind 'a' is a
// number, and the offsets of per-CPU variables are numbers too.
func isPlace(l *line) bool { return l.addr >= minKernel && l.kind != 'a' && l.kind != 'A' }

// text returns the start of /proc/kallsyms: at least this many bytes, or all of them.
func (m *image) text(atLeast int) []byte {
	var text, b []byte
	for i, name := range m.from(0) {
		if len(text) >= atLeast {
			break
		}
		l := m.line(i, name, &b)
		text = l.append(text)
	}
	return text
}

// Facts is lookupFacts for the kernel itself.
func (m *image) Facts(names []string) (facts map[string]Facts, stext uint64) {
	found := make(map[string]*Facts, len(names))
	for _, n := range names {
		found[n] = new(Facts)
	}
	m.beginning(beginnings(names), func(l *line) { collect(found, l) })
	facts = make(map[string]Facts, len(found))
	for n, f := range found {
		facts[n] = *f
	}
	return facts, m.stext
}

// beginnings returns few words that names begin with: the names themselves, or so many of
// their letters that at most fewNames differ. The names of a glob have a beginning of their own.
func beginnings(names []string) []string {
	words := slices.Compact(slices.Sorted(slices.Values(names)))
	for n := 16; len(words) > fewNames; n-- {
		for i, w := range words {
			words[i] = w[:min(n, len(w))]
		}
		words = slices.Compact(words)
	}
	return words
}

// Addrs is lookupAddrs of the kernel itself.
func (m *image) Addrs(name string) (addrs []uint64) {
	m.beginning([]string{name}, func(l *line) {
		if string(l.name) == name && !slices.Contains(addrs, l.addr) {
			addrs = append(addrs, l.addr)
		}
	})
	return addrs
}

// isLocal reports whether all functions of a name are static: seen by the file alone that
// each is in.
func (m *image) isLocal(name string) bool {
	some, all := false, true
	m.beginning([]string{name}, func(l *line) {
		if string(l.name) == name && l.text() {
			some, all = true, all && l.kind == 't'
		}
	})
	return some && all
}

// A symbolName is a result of Name.
type symbolName struct {
	name string
	off  uint64
}

// Name is like list.Name. It allocates nothing for an address that was asked for
// before.
func (m *image) Name(addr uint64) (name, module string, off uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.named[addr]; ok {
		return s.name, "", s.off, true
	}
	l := m.below(addr)
	if l.name == nil || addr-l.addr > maxOffset {
		return "", "", 0, false
	}
	if perCPU := m.ends().perCPU; perCPU > 0 && addr-perCPU < perCPUHeap {
		return "", "", 0, false
	}
	// The kernel also shows the first of several names.
	for i := sort.Search(m.n, func(i int) bool { return m.addr(i) >= l.addr }); i < m.n; i++ {
		if first := m.at(i); isPlace(&first) {
			l = first
			break
		}
	}
	if name = string(l.name); name == "_end" || name == "__brk_limit" {
		return "", "", 0, false
	}
	const most = 1 << 16 // more than the addresses that come repeatedly
	if len(m.named) >= most {
		clear(m.named)
	}
	off = addr - l.addr
	m.named[addr] = symbolName{name, off}
	return name, "", off, true
}

// IsCode is like list.IsCode.
func (m *image) IsCode(addr uint64) bool {
	l := m.below(addr)
	if l.name == nil || addr-l.addr > maxOffset || !l.text() {
		return false
	}
	etext := m.ends().code
	return etext == 0 || addr < etext
}

// below returns the last symbol that is not after addr. It has no name if there is
// none.
func (m *image) below(addr uint64) line {
	for i := sort.Search(m.n, func(i int) bool { return m.addr(i) > addr }) - 1; i >= 0; i-- {
		if l := m.at(i); isPlace(&l) {
			return l
		}
		if m.addr(i) < minKernel {
			break
		}
	}
	return line{}
}

// Addr is like list.Addr. The first call takes long.
func (m *image) Addr(name string) (uint64, bool) { return m.whole().Addr(name) }

// append appends a line of the kernel itself.
func (l *line) append(text []byte) []byte {
	text = append(appendHex(text, l.addr), ' ', l.kind, ' ')
	return append(append(text, l.name...), '\n')
}

// appendHex appends the 16 digits of an address.
func appendHex(text []byte, addr uint64) []byte {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[addr>>(60-4*i)&15]
	}
	return append(text, b[:]...)
}
