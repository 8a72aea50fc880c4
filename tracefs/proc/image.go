package proc

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
)

// ErrNoImage says that the kernel's own table of symbols cannot be read from its
// memory: /proc/kcore is not there or not for us, or does not tell where it lies,
// as before 6.0.
var ErrNoImage = errors.New("the symbol table in the kernel's image cannot be read")

// ReadImage reads the symbols of the kernel itself, without those of modules and of
// what it makes while it runs: the lines that /proc/kallsyms begins with. It takes
// them from where the kernel has them, in a tenth of the time that the kernel needs
// to write that file.
//
// It returns an error that wraps ErrNoImage if they cannot be had so, or if
// /proc/kallsyms begins in another way: where addresses are hidden they stay hidden.
func ReadImage() ([]byte, error) {
	core, err := os.Open("/proc/kcore")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	defer core.Close()
	list, err := os.Open(kallsyms)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	defer list.Close()
	begin := make([]byte, 4096) // the kernel gives whole lines, a page of them at most
	n, err := list.Read(begin)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	text, err := parseImage(core)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoImage, err)
	}
	if !bytes.HasPrefix(text, begin[:n]) {
		return nil, fmt.Errorf("%w: %s begins with other lines", ErrNoImage, kallsyms)
	}
	return text, nil
}

// An image is the kernel's memory as an ELF core has it, and where things are there.
type image struct {
	r     io.ReaderAt
	core  *elf.File
	known map[string]uint64 // addresses, by symbol
}

// parseImage reads the table of symbols of an ELF core of the kernel. For its form see
// kernel/kallsyms.c and scripts/kallsyms.c.
func parseImage(r io.ReaderAt) ([]byte, error) {
	core, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	if core.Class != elf.ELFCLASS64 {
		return nil, errors.New("it is of 32 bits")
	}
	m := image{r: r, core: core}
	if err := m.readNotes(); err != nil {
		return nil, err
	}
	count, err := m.whole("kallsyms_num_syms", 4)
	if err != nil {
		return nil, err
	}
	n := int(core.ByteOrder.Uint32(count))
	if n == 0 || n > 1<<22 {
		return nil, fmt.Errorf("%d symbols", n)
	}
	addrs, err := m.addresses(n)
	if err != nil {
		return nil, err
	}
	tokens, err := m.tokens()
	if err != nil {
		return nil, err
	}
	text, err := m.lines(addrs, tokens)
	if err != nil {
		return nil, err
	}
	if stext := m.known["_stext"]; stext == 0 || addrOf(text, "_stext") != stext {
		return nil, errors.New("_stext is elsewhere")
	}
	return text, nil
}

// readNotes takes the addresses from the core's note VMCOREINFO, which has lines of
// "SYMBOL(kallsyms_names)=ffffffff82a1b2c3".
func (m *image) readNotes() error {
	m.known = map[string]uint64{}
	for _, p := range m.core.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<20 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := m.r.ReadAt(b, int64(p.Off)); err != nil && err != io.EOF {
			return err
		}
		for len(b) >= 12 {
			name, desc := uint64(m.core.ByteOrder.Uint32(b)), uint64(m.core.ByteOrder.Uint32(b[4:]))
			at, next := 12+(name+3)&^3, 12+(name+3)&^3+(desc+3)&^3
			if at+desc > uint64(len(b)) {
				break
			}
			if bytes.HasPrefix(b[12:], []byte("VMCOREINFO\x00")) {
				m.parseNote(b[at : at+desc])
			}
			b = b[min(next, uint64(len(b))):]
		}
	}
	return nil
}

func (m *image) parseNote(desc []byte) {
	for line := range bytes.Lines(desc) {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("SYMBOL("))
		if !ok {
			continue
		}
		name, value, _ := bytes.Cut(rest, []byte(")="))
		if addr, err := strconv.ParseUint(string(value), 16, 64); err == nil {
			m.known[string(name)] = addr
		}
	}
}

// read reads up to n bytes at a symbol; it is an error if there are none.
func (m *image) read(symbol string, n int) ([]byte, error) {
	addr, ok := m.known[symbol]
	if !ok {
		return nil, fmt.Errorf("where %s is is not known", symbol)
	}
	for _, p := range m.core.Progs {
		if p.Type != elf.PT_LOAD || addr < p.Vaddr || addr-p.Vaddr >= p.Filesz {
			continue
		}
		b := make([]byte, min(uint64(n), p.Filesz-(addr-p.Vaddr)))
		got, err := m.r.ReadAt(b, int64(p.Off+(addr-p.Vaddr)))
		if got == 0 {
			return nil, fmt.Errorf("%s: %w", symbol, err)
		}
		return b[:got], nil
	}
	return nil, fmt.Errorf("%s is not there", symbol)
}

// whole is read where n bytes are needed.
func (m *image) whole(symbol string, n int) ([]byte, error) {
	b, err := m.read(symbol, n)
	if err == nil && len(b) < n {
		err = fmt.Errorf("%s is cut", symbol)
	}
	return b, err
}

// addresses are those of the n symbols. The kernel has them as distances from a base,
// since 7.0 each from where it lies itself. Where variables of each CPU have small
// numbers for addresses, those are as they are, and the others are negative (x86 until
// 6.14).
func (m *image) addresses(n int) ([]uint64, error) {
	b, err := m.whole("kallsyms_offsets", 4*n)
	if err != nil {
		return nil, err
	}
	addrs := make([]uint64, n)
	small := false
	for i := range addrs {
		off := m.core.ByteOrder.Uint32(b[4*i:])
		addrs[i] = uint64(int64(int32(off)))
		small = small || int32(off) < 0
	}
	if _, ok := m.known["kallsyms_relative_base"]; !ok {
		place := m.known["kallsyms_offsets"]
		for i := range addrs {
			addrs[i] += place + 4*uint64(i)
		}
		return addrs, nil
	}
	if b, err = m.whole("kallsyms_relative_base", 8); err != nil {
		return nil, err
	}
	base := m.core.ByteOrder.Uint64(b)
	for i, off := range addrs {
		switch {
		case !small:
			addrs[i] = base + off
		case int64(off) < 0:
			addrs[i] = base - 1 - off
		}
	}
	return addrs, nil
}

// tokens are what the bytes of a compressed name stand for.
func (m *image) tokens() (*[256][]byte, error) {
	const longest = 512
	index, err := m.whole("kallsyms_token_index", 2*256)
	if err != nil {
		return nil, err
	}
	at := func(i int) int { return int(m.core.ByteOrder.Uint16(index[2*i:])) }
	table, err := m.read("kallsyms_token_table", at(255)+longest)
	if err != nil {
		return nil, err
	}
	var tokens [256][]byte
	for i := range tokens {
		if at(i) >= len(table) {
			return nil, errors.New("kallsyms_token_table is cut")
		}
		tokens[i], _, _ = bytes.Cut(table[at(i):], []byte{0})
	}
	return &tokens, nil
}

// lines are the symbols as /proc/kallsyms has them. A compressed name is a length, of
// one byte or two, and so many tokens. Its first letter is the symbol's kind.
func (m *image) lines(addrs []uint64, tokens *[256][]byte) ([]byte, error) {
	const perName = 16 // more than names have on average
	for room := perName * len(addrs); ; room *= 2 {
		names, err := m.read("kallsyms_names", room)
		if err != nil {
			return nil, err
		}
		text, err := expand(addrs, names, tokens)
		if err == nil || len(names) < room {
			return text, err
		}
	}
}

var errCut = errors.New("kallsyms_names is cut")

func expand(addrs []uint64, names []byte, tokens *[256][]byte) ([]byte, error) {
	text := make([]byte, 0, 56*len(addrs)) // a line has about 45 bytes
	for _, addr := range addrs {
		if len(names) < 2 {
			return nil, errCut
		}
		n := int(names[0])
		names = names[1:]
		if n&0x80 != 0 { // since 6.1
			n = n&0x7f | int(names[0])<<7
			names = names[1:]
		}
		if n > len(names) {
			return nil, errCut
		}
		text = append(appendHex(text, addr), ' ')
		kind := len(text)
		for _, t := range names[:n] {
			text = append(text, tokens[t]...)
		}
		names = names[n:]
		if len(text) < kind+2 {
			return nil, errors.New("a symbol without a name")
		}
		// Of "Tvfs_read" the line has "T vfs_read".
		text = append(text, 0)
		copy(text[kind+2:], text[kind+1:])
		text[kind+1] = ' '
		text = append(text, '\n')
	}
	return text, nil
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
