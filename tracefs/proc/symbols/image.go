package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"

	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// errNoImage says that the kernel's own symbol table cannot be read from its memory:
// /proc/kcore does not exist or may not be read, or the table is not found in it.
var errNoImage = errors.New("the symbol table in the kernel's image cannot be read")

// An image is the symbol table of the kernel itself, without the symbols of modules and
// those that the kernel creates while it runs. /proc/kallsyms begins with it. It is
// kept in the kernel's own form, with compressed names. Only names that are asked for
// are expanded: to expand all takes longer than everything else until a trace is armed.
// Its methods may be called by several goroutines at once.
type image struct {
	// number of symbols
	n       int
	offsets []int32 // of addresses; see addr
	names   []byte
	tokens  *[256][]byte
	marks   []uint32 // offset in names of every marked-th symbol

	base   uint64 // what offsets are relative to
	itself bool   // offsets are relative to their own place; base is the place of the first
	small  bool   // offsets that are not negative are addresses

	stext uint64
	ends  func() ends

	whole func() *list // the whole table, parsed
	mu    sync.Mutex
	named map[uint64]symbolName // results of Name, by address
}

// ends are addresses where parts of the kernel end.
type ends struct {
	code   uint64 // 0 if not known
	perCPU uint64 // the per-CPU variables, 0 if they have no addresses
}

// readImage reads the table from the kernel's memory. That takes a small part of the
// time that the kernel needs to write /proc/kallsyms.
//
// The error wraps errNoImage if the table cannot be read, or if /proc/kallsyms begins
// differently: addresses that are hidden stay hidden.
func readImage() (*image, error) {
	core, err := os.Open("/proc/kcore")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoImage, err)
	}
	defer core.Close()
	list, err := os.Open(kallsyms)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoImage, err)
	}
	defer list.Close()
	begin := make([]byte, 4096) // the kernel returns whole lines, one page of them at most
	n, err := list.Read(begin)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoImage, err)
	}
	m, err := parseImage(core, readConstantsBehind)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoImage, err)
	}
	if !bytes.HasPrefix(m.text(n), begin[:n]) {
		return nil, fmt.Errorf("%w: %s begins with other lines", errNoImage, kallsyms)
	}
	return m, nil
}

// A core is the kernel's memory, and the addresses of some symbols.
type core struct {
	proc.Core
	known map[string]uint64 // addresses by symbol
}

// parseImage reads the symbol table from an ELF core of the kernel. For its form see
// kernel/kallsyms.c and scripts/kallsyms.c. If the core does not say where the table is,
// it is searched for, at least constants() bytes after the start of the code.
func parseImage(r io.ReaderAt, constants func() uint64) (*image, error) {
	memory, err := proc.ParseCore(r)
	if err != nil {
		return nil, err
	}
	if memory.Class != elf.ELFCLASS64 {
		return nil, errors.New("it is of 32 bits")
	}
	c := core{Core: memory}
	if err := c.readNotes(); err != nil {
		return nil, err
	}
	if _, told := c.known["kallsyms_names"]; !told {
		if err := c.find(constants()); err != nil {
			return nil, err
		}
	}
	count, err := c.whole("kallsyms_num_syms", 4)
	if err != nil {
		return nil, err
	}
	m := &image{n: int(c.ByteOrder.Uint32(count)), stext: c.known["_stext"]}
	if m.n == 0 || m.n > 1<<22 {
		return nil, fmt.Errorf("%d symbols", m.n)
	}
	if m.tokens, err = c.tokens(); err != nil {
		return nil, err
	}
	if err := c.addresses(m); err != nil {
		return nil, err
	}
	if err := c.compressed(m); err != nil {
		return nil, err
	}
	if !m.has("_stext", m.stext) {
		return nil, errors.New("_stext is elsewhere")
	}
	m.later()
	return m, nil
}

// readNotes reads addresses from the note VMCOREINFO of the core, which has lines like
// "SYMBOL(kallsyms_names)=ffffffff82a1b2c3".
func (c *core) readNotes() error {
	c.known = map[string]uint64{}
	for _, p := range c.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > 1<<20 {
			continue
		}
		b := make([]byte, p.Filesz)
		if _, err := p.ReadAt(b, 0); err != nil && err != io.EOF {
			return err
		}
		for len(b) >= 12 {
			name, desc := uint64(c.ByteOrder.Uint32(b)), uint64(c.ByteOrder.Uint32(b[4:]))
			at, next := 12+(name+3)&^3, 12+(name+3)&^3+(desc+3)&^3
			if at+desc > uint64(len(b)) {
				break
			}
			if bytes.HasPrefix(b[12:], []byte("VMCOREINFO\x00")) {
				c.parseNote(b[at : at+desc])
			}
			b = b[min(next, uint64(len(b))):]
		}
	}
	return nil
}

func (c *core) parseNote(desc []byte) {
	for line := range bytes.Lines(desc) {
		rest, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("SYMBOL("))
		if !ok {
			continue
		}
		name, value, _ := bytes.Cut(rest, []byte(")="))
		if addr, err := strconv.ParseUint(string(value), 16, 64); err == nil {
			c.known[string(name)] = addr
		}
	}
}

// read reads up to n bytes at a symbol. It is an error if there are none.
func (c *core) read(symbol string, n int) ([]byte, error) {
	addr, ok := c.known[symbol]
	if !ok {
		return nil, fmt.Errorf("where %s is is not known", symbol)
	}
	b, err := c.Bytes(addr, n)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", symbol, err)
	}
	return b, nil
}

// whole is like read, but it is an error if there are fewer than n bytes.
func (c *core) whole(symbol string, n int) ([]byte, error) {
	b, err := c.read(symbol, n)
	if err == nil && len(b) < n {
		err = fmt.Errorf("%s is cut", symbol)
	}
	return b, err
}

// addresses reads the addresses of the symbols. The kernel stores them as offsets from
// a base; since 7.0 each is an offset from its own place. If per-CPU variables have
// small numbers as addresses, those are stored as they are, and other offsets are
// negative (x86 until 6.14). The addresses must be sorted; otherwise this kernel's form
// is not supported.
func (c *core) addresses(m *image) error {
	b, err := c.whole("kallsyms_offsets", 4*m.n)
	if err != nil {
		return err
	}
	offsets, signs := make([]int32, m.n), int32(0)
	if c.ByteOrder == binary.LittleEndian { // a call of an interface for each takes five times as long
		for i := range offsets {
			offsets[i] = int32(binary.LittleEndian.Uint32(b))
			signs |= offsets[i]
			b = b[4:]
		}
	} else {
		for i := range offsets {
			offsets[i] = int32(binary.BigEndian.Uint32(b))
			signs |= offsets[i]
			b = b[4:]
		}
	}
	m.offsets = offsets
	if _, ok := c.known["kallsyms_relative_base"]; ok {
		b, err := c.whole("kallsyms_relative_base", 8)
		if err != nil {
			return err
		}
		m.base, m.small = c.ByteOrder.Uint64(b), signs < 0
	} else {
		m.base, m.itself = c.known["kallsyms_offsets"], true
	}
	if !m.sorted() {
		return errors.New("the addresses are not in order")
	}
	return nil
}

// tokens returns what the bytes of a compressed name stand for.
func (c *core) tokens() (*[256][]byte, error) {
	const longest = 512
	index, err := c.whole("kallsyms_token_index", 2*256)
	if err != nil {
		return nil, err
	}
	at := func(i int) int { return int(c.ByteOrder.Uint16(index[2*i:])) }
	table, err := c.read("kallsyms_token_table", at(255)+longest)
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

// compressed reads the names.
func (c *core) compressed(m *image) (err error) {
	const perName = 18 // more than the average name has
	for room := perName * m.n; ; room *= 2 {
		if m.names, err = c.read("kallsyms_names", room); err != nil {
			return err
		}
		if err = m.mark(); err != errCut || len(m.names) < room {
			return err
		}
	}
}
