package proc

import (
	"errors"
	"math"
	"sort"
	"sync"
)

// marked is the number of symbols between marks.
const marked = 64

var errCut = errors.New("kallsyms_names is cut")

// addr returns the address of a symbol.
func (m *Image) addr(i int) uint64 {
	off := m.order.Uint32(m.offsets[4*i:])
	switch {
	case m.itself:
		return m.base + 4*uint64(i) + uint64(int64(int32(off)))
	case !m.small:
		return m.base + uint64(int64(int32(off)))
	case int32(off) < 0:
		return m.base - 1 - uint64(int64(int32(off)))
	}
	return uint64(off)
}

// compressed returns the compressed name at offset at, which includes the symbol's
// kind, and the offset of the next one. A compressed name is a length, in one byte or
// two, and that many tokens.
func (m *Image) compressed(at int) (name []byte, next int, err error) {
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

// mark checks all names and sets the marks.
func (m *Image) mark() error {
	m.marks = make([]uint32, 0, m.n/marked+1)
	at := 0
	for i := range m.n {
		if i%marked == 0 {
			m.marks = append(m.marks, uint32(at))
		}
		name, next, err := m.compressed(at)
		if err != nil {
			return err
		}
		if len(name) == 0 || len(name) == 1 && len(m.tokens[name[0]]) < 2 {
			return errors.New("a symbol without a name")
		}
		at = next
	}
	return nil
}

// from yields the symbols starting with first, which must have a mark.
func (m *Image) from(first int) func(yield func(i int, name []byte) bool) {
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
func (m *Image) line(i int, name []byte, b *[]byte) line {
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
func (m *Image) at(i int) (l line) {
	for j, name := range m.from(i - i%marked) {
		if j == i {
			return m.line(i, name, new([]byte))
		}
	}
	return l
}

// begins reports whether a name begins with word, after its kind.
func (m *Image) begins(name []byte, word string) bool {
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
func (m *Image) beginning(words []string, found func(*line)) {
	// The first token is enough to reject most symbols. If that is only the kind, the
	// first letter after it is.
	var may [256][]string
	var kind [256]bool
	var letter [256]byte
	for t, token := range m.tokens {
		kind[t] = len(token) < 2
		if len(token) > 0 {
			letter[t] = token[0]
		}
		for _, w := range words {
			first := token[min(1, len(token)):]
			if n := min(len(first), len(w)); string(first[:n]) == w[:n] {
				may[t] = append(may[t], w)
			}
		}
	}
	var letters [256]bool
	for _, w := range words {
		for c := range letters {
			letters[c] = letters[c] || w == "" || w[0] == byte(c)
		}
	}
	var b []byte
	at := 0
	for i := range m.n {
		n := int(m.names[at]) // as in compressed, but mark has checked all names
		at++
		if n&0x80 != 0 {
			n = n&0x7f | int(m.names[at])<<7
			at++
		}
		name := m.names[at : at+n]
		at += n
		if kind[name[0]] && !letters[letter[name[1]]] {
			continue
		}
		for _, w := range may[name[0]] {
			if m.begins(name, w) {
				l := m.line(i, name, &b)
				found(&l)
				break
			}
		}
	}
}

// learn finds the addresses that the other methods need.
func (m *Image) learn() {
	m.beginning([]string{"_stext", "_etext", "__per_cpu_end"}, func(l *line) {
		if !isPlace(l) {
			return
		}
		switch string(l.name) {
		case "_stext":
			m.stext = l.addr
		case "_etext":
			m.etext = l.addr
		case "__per_cpu_end":
			m.perCPU = l.addr
		}
	})
	m.named = map[uint64]symbolName{}
	m.whole = sync.OnceValue(func() *Symbols {
		s, _ := ParseSymbols(m.text(math.MaxInt)) // there is at least _stext
		return s
	})
}

// isPlace reports whether a symbol is the name of a place in the kernel. Kind 'a' is a
// number, and the offsets of per-CPU variables are numbers too.
func isPlace(l *line) bool { return l.addr >= minKernel && l.kind != 'a' && l.kind != 'A' }

// text returns the start of /proc/kallsyms: at least this many bytes, or all of them.
func (m *Image) text(atLeast int) []byte {
	var text, b []byte
	for i, name := range m.from(0) {
		if len(text) >= atLeast {
			break
		}
		l := m.line(i, name, &b)
		text = append(appendHex(text, l.addr), ' ', l.kind, ' ')
		text = append(append(text, l.name...), '\n')
	}
	return text
}

// Facts is LookupFacts for the kernel itself.
func (m *Image) Facts(names []string) (facts map[string]Facts, stext uint64) {
	found := make(map[string]*Facts, len(names))
	var words []string
	for _, n := range names {
		found[n] = new(Facts)
		words = append(words, n, string(prefix)+n)
	}
	// every name begins with that
	if len(found) > fewNames {
		words = []string{""} // each begins with it
	}
	m.beginning(words, func(l *line) { collect(found, l) })
	facts = make(map[string]Facts, len(found))
	for n, f := range found {
		facts[n] = *f
	}
	return facts, m.stext
}

// IsLocal reports whether all functions of that name are static.
func (m *Image) IsLocal(name string) bool {
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

// Name is like Symbols.Name. It allocates nothing for an address that was asked for
// before.
func (m *Image) Name(addr uint64) (name, module string, off uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.named[addr]; ok {
		return s.name, "", s.off, true
	}
	l := m.below(addr)
	if l.name == nil || addr-l.addr > maxOffset || m.perCPU > 0 && addr-m.perCPU < perCPUHeap {
		return "", "", 0, false
	}
	// The kernel, too, shows the first of several names.
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

// IsCode is like Symbols.IsCode.
func (m *Image) IsCode(addr uint64) bool {
	l := m.below(addr)
	return l.name != nil && addr-l.addr <= maxOffset && l.text() && (m.etext == 0 || addr < m.etext)
}

// below returns the last symbol that is not after addr. It has no name if there is
// none.
func (m *Image) below(addr uint64) line {
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

// Addr is like Symbols.Addr. The first call takes long.
func (m *Image) Addr(name string) (uint64, bool) { return m.whole().Addr(name) }

// appendHex appends the 16 digits of an address.
func appendHex(text []byte, addr uint64) []byte {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[addr>>(60-4*i)&15]
	}
	return append(text, b[:]...)
}
