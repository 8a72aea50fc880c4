package symbols

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"
)

// A list has the functions and variables of the running kernel and its modules, by
// address.
type list struct {
	text    string   // content of /proc/kallsyms
	syms    []symbol // by address; at the same address in the order of the file
	modules []string // indexed by syms[i].module-1
	etext   uint64   // end of the kernel's own code, 0 if not known
	perCPU  uint64   // end of its per-CPU variables, 0 if they have no addresses

	sortNames sync.Once
	byName    []int32 // indexes in syms, by name
}

type symbol struct {
	addr   uint64
	name   uint32 // offset in text
	len    uint16 // with the flag isCode
	module uint16 // 0 is the kernel itself
}

// isCode is a flag in the length of a symbol's name: the symbol is a function.
const isCode = 1 << 15

// parseList parses the text of /proc/kallsyms. The error is ErrHidden if it has no
// addresses.
func parseList(text []byte) (*list, error) {
	s := &list{syms: make([]symbol, 0, bytes.Count(text, []byte("\n"))+1)}
	modules := make(map[string]uint16)
	hidden, sorted, last := true, true, uint64(0)
	var l line
	for pos := 0; pos < len(text); {
		end := bytes.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text) - pos
		}
		start := pos
		pos += end + 1
		if !l.parse(text[start : start+end]) {
			continue
		}
		if l.addr != 0 {
			hidden = false
		}
		// 'a' is a number, not an address; so are the offsets of per-CPU data.
		if l.addr < minKernel || l.kind == 'a' || l.kind == 'A' || len(l.name) >= isCode || uint64(start) > 0xffff_0000 {
			continue
		}
		var m uint16
		if l.module != nil {
			m = s.module(modules, l.module)
		}
		sorted = sorted && last <= l.addr
		last = l.addr
		sym := symbol{addr: l.addr, name: uint32(start + l.at), len: uint16(len(l.name)), module: m}
		if l.text() {
			sym.len |= isCode
		}
		switch {
		case m > 0:
		case string(l.name) == "_etext":
			s.etext = l.addr
		case string(l.name) == "__per_cpu_end":
			s.perCPU = l.addr
		}
		s.syms = append(s.syms, sym)
	}
	if hidden {
		return nil, ErrHidden
	}
	s.text = string(text)
	if !sorted { // only the kernel's own symbols are
		slices.SortStableFunc(s.syms, func(a, b symbol) int { return cmp.Compare(a.addr, b.addr) })
	}
	return s, nil
}

// module returns the number of a module, or 0 if there are too many.
func (s *list) module(known map[string]uint16, name []byte) uint16 {
	m, ok := known[string(name)]
	if !ok && len(s.modules) < 0xffff {
		s.modules = append(s.modules, string(name))
		m = uint16(len(s.modules))
		known[string(name)] = m
	}
	return m
}

// names returns the indexes of all symbols, by name. The kernel's own symbol precedes
// those of modules with the same name; otherwise they are sorted by address.
func (s *list) names() []int32 {
	s.sortNames.Do(func() {
		s.byName = make([]int32, len(s.syms))
		for i := range s.byName {
			s.byName[i] = int32(i)
		}
		slices.SortFunc(s.byName, func(a, b int32) int {
			if c := strings.Compare(s.name(int(a)), s.name(int(b))); c != 0 {
				return c
			}
			return cmp.Or(cmp.Compare(s.syms[a].module, s.syms[b].module), cmp.Compare(a, b))
		})
	})
	return s.byName
}

// minKernel is below every kernel address, even on 32-bit machines.
const minKernel = 1 << 20

// maxOffset is more than the size in bytes of any function and of nearly any variable.
// An address that is farther from the symbol below it is in a gap.
const maxOffset = 1 << 20

// perCPUHeap is more than the size in bytes of the per-CPU variables that are allocated
// at boot, which follow the kernel's own. Pointers to them have addresses at which
// other variables lie ("percpu: Embedded 63 pages/cpu s221184 r8192 d28672").
const perCPUHeap = 64 << 10

func (s *list) name(i int) string {
	sym := &s.syms[i]
	return s.text[sym.name:][:sym.len&^isCode]
}

// Name returns the nearest symbol at or below addr, its module ("" for the kernel
// itself), and the offset of addr in it, in bytes. ok is false if addr is not in a
// known part of the kernel, or may be the address of a per-CPU object.
func (s *list) Name(addr uint64) (name, module string, off uint64, ok bool) {
	i := s.below(addr)
	if i < 0 {
		return "", "", 0, false
	}
	sym := s.syms[i]
	if off = addr - sym.addr; off > maxOffset || s.perCPU > 0 && addr-s.perCPU < perCPUHeap {
		return "", "", 0, false
	}
	for i > 0 && s.syms[i-1].addr == sym.addr {
		i-- // the kernel also shows the first of several names
	}
	name = s.name(i)
	if name == "_end" || name == "__brk_limit" {
		return "", "", 0, false
	}
	if m := s.syms[i].module; m > 0 {
		module = s.modules[m-1]
	}
	return name, module, off, true
}

// IsCode reports whether the nearest symbol at or below addr is a function. The kind
// does not suffice: in 7.3 variables of the kernel are also of kind T.
func (s *list) IsCode(addr uint64) bool {
	i := s.below(addr)
	if i < 0 || addr-s.syms[i].addr > maxOffset || s.syms[i].len&isCode == 0 {
		return false
	}
	return s.syms[i].module > 0 || s.etext == 0 || addr < s.etext
}

// below returns the index of the last symbol that is not after addr, or -1.
func (s *list) below(addr uint64) int {
	return sort.Search(len(s.syms), func(i int) bool { return s.syms[i].addr > addr }) - 1
}

// Addr returns the address of a symbol. If several have the name it returns the lowest,
// preferring the kernel's own to those of modules.
func (s *list) Addr(name string) (uint64, bool) {
	names := s.names()
	i := sort.Search(len(names), func(i int) bool { return s.name(int(names[i])) >= name })
	if i == len(names) || s.name(int(names[i])) != name {
		return 0, false
	}
	return s.syms[names[i]].addr, true
}
