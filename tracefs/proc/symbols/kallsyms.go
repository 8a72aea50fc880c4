package symbols

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"os"
	"slices"
)

const kallsyms = "/proc/kallsyms"

// ErrHidden says that /proc/kallsyms does not show addresses. It shows them to those
// with CAP_SYSLOG, and to nobody if kernel.kptr_restrict is 2.
var ErrHidden = errors.New("kernel addresses are hidden (kernel.kptr_restrict, CAP_SYSLOG)")

// A line is one line of /proc/kallsyms:
//
//	ffffffff81000000 T _stext
//	ffffffffc0401000 t ext4_foo	[ext4]
type line struct {
	addr   uint64
	kind   byte
	name   []byte // valid until the next line
	module []byte // nil for the kernel itself
	at     int    // where the name begins in the line
}

// text reports whether the symbol is code: t, T, or weak w and W.
func (l *line) text() bool {
	switch l.kind {
	case 't', 'T', 'w', 'W':
		return true
	}
	return false
}

// lines yields the lines in the text of /proc/kallsyms. It skips malformed lines.
func lines(text []byte) iter.Seq[*line] {
	return func(yield func(*line) bool) {
		var l line
		for len(text) > 0 {
			b, rest, _ := bytes.Cut(text, []byte("\n"))
			if text = rest; l.parse(b) && !yield(&l) {
				return
			}
		}
	}
}

// linesWith yields the lines that contain word. It is much faster than lines.
func linesWith(text []byte, word string) iter.Seq[*line] {
	return func(yield func(*line) bool) {
		var l line
		for {
			at := bytes.Index(text, []byte(word))
			if at < 0 {
				return
			}
			start := bytes.LastIndexByte(text[:at], '\n') + 1
			b, rest, _ := bytes.Cut(text[start:], []byte("\n"))
			if text = rest; l.parse(b) && !yield(&l) {
				return
			}
		}
	}
}

// addrOf returns the address of a symbol of the kernel itself, 0 if there is none or it
// is hidden.
func addrOf(text []byte, symbol string) uint64 {
	for l := range linesWith(text, symbol) {
		if string(l.name) == symbol && l.module == nil {
			return l.addr
		}
	}
	return 0
}

// ofModules returns the lines of symbols of modules and of generated code, which follow
// those of the kernel itself.
func ofModules(text []byte) []byte {
	first := bytes.IndexByte(text, '\t') // before the name of a module
	if first < 0 {
		return nil
	}
	return text[bytes.LastIndexByte(text[:first], '\n')+1:]
}

// Sort returns the lines of a part of /proc/kallsyms by their addresses, without those that
// are not whole.
func Sort(text []byte) []byte {
	type part struct {
		addr uint64
		line []byte
	}
	var parts []part
	var l line
	for whole := range bytes.Lines(text) {
		if b, ended := bytes.CutSuffix(whole, []byte("\n")); ended && l.parse(b) {
			parts = append(parts, part{l.addr, whole})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.addr, b.addr) })
	sorted := make([]byte, 0, len(text))
	for _, p := range parts {
		sorted = append(sorted, p.line...)
	}
	return sorted
}

func (l *line) parse(b []byte) bool {
	var i int
	l.addr, i = address(b)
	if i == 0 || len(b) < i+4 || b[i] != ' ' || b[i+2] != ' ' {
		return false
	}
	l.kind, l.at, l.module = b[i+1], i+3, nil
	l.name = b[l.at:]
	if tab := bytes.IndexByte(l.name, '\t'); tab >= 0 {
		l.module = bytes.Trim(l.name[tab+1:], "[]")
		l.name = l.name[:tab]
	}
	return len(l.name) > 0
}

// address parses the address at the start of a line and returns the number of its
// digits.
func address(b []byte) (addr uint64, digits int) {
	b = b[:min(len(b), 16)]
	for i, c := range b {
		digit := hexDigits[c]
		if digit > 15 {
			return addr, i
		}
		addr = addr<<4 | uint64(digit)
	}
	return addr, len(b)
}

// hexDigits holds the values of hexadecimal digits, and 16 for other bytes.
var hexDigits = func() (t [256]uint8) {
	for i := range t {
		t[i] = 16
	}
	for i := range 10 {
		t['0'+i] = uint8(i)
	}
	for i := range 6 {
		t['a'+i] = uint8(10 + i)
	}
	return t
}()

// readText reads the symbol table, as text for lookupFacts and parseList. The
// kernel takes long to write it; to parse it is fast.
func readText() ([]byte, error) {
	f, err := os.Open(kallsyms)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The file has no size. To grow the buffer step by step would leave several times
	// as much garbage.
	const usual = 8 << 20
	text := bytes.NewBuffer(make([]byte, 0, usual))
	_, err = text.ReadFrom(f)
	return text.Bytes(), err
}
