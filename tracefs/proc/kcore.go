package proc

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
)

// ErrNoRanges says that the kernel's address ranges cannot be read: without root, under
// lockdown, or without CONFIG_PROC_KCORE.
var ErrNoRanges = errors.New("kernel address ranges are unknown")

// Ranges are the parts of the address space that the kernel has mapped or reserves for
// mappings, sorted and disjoint. The zero value is empty.
type Ranges []Range

// A Range is the addresses from Start to End, not including End.
type Range struct{ Start, End uint64 }

// LoadRanges reads the program headers of /proc/kcore.
//
// The error wraps ErrNoRanges if they cannot be read.
func LoadRanges() (Ranges, error) {
	f, err := os.Open("/proc/kcore")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRanges, err)
	}
	defer f.Close()
	return ParseRanges(f)
}

// ParseRanges returns the ranges in the program headers of an ELF core.
func ParseRanges(r io.ReaderAt) (Ranges, error) {
	core, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRanges, err)
	}
	var all Ranges
	for _, p := range core.Progs {
		// A core of the kernel begins with PT_NOTE. Those of text and data overlap
		// others.
		if p.Type == elf.PT_LOAD && p.Memsz > 0 && p.Vaddr+p.Memsz-1 >= p.Vaddr {
			all = append(all, Range{p.Vaddr, p.Vaddr + p.Memsz})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: no segments", ErrNoRanges)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Start < all[j].Start })
	merged := all[:1]
	for _, x := range all[1:] {
		last := &merged[len(merged)-1]
		if x.Start > last.End-1 && x.Start != last.End {
			merged = append(merged, x)
		} else if x.End-1 > last.End-1 {
			last.End = x.End
		}
	}
	return merged, nil
}

// Contains reports whether addr is in one of the ranges. Something need not be mapped
// there.
func (r Ranges) Contains(addr uint64) bool {
	i := sort.Search(len(r), func(i int) bool { return r[i].End-1 >= addr })
	return i < len(r) && r[i].Start <= addr
}

// A Core is the kernel's memory as an ELF core.
type Core struct{ *elf.File }

// ParseCore reads the headers of an ELF core.
func ParseCore(r io.ReaderAt) (Core, error) {
	f, err := elf.NewFile(r)
	return Core{f}, err
}

// Bytes reads up to n bytes at an address; it is an error if there are none.
func (c Core) Bytes(addr uint64, n int) ([]byte, error) {
	for _, p := range c.Progs {
		if p.Type != elf.PT_LOAD || addr < p.Vaddr || addr-p.Vaddr >= p.Filesz {
			continue
		}
		b := make([]byte, min(uint64(n), p.Filesz-(addr-p.Vaddr)))
		got, err := p.ReadAt(b, int64(addr-p.Vaddr))
		if got == 0 {
			return nil, err
		}
		return b[:got], nil
	}
	return nil, fmt.Errorf("nothing is at %#x", addr)
}

// ReadWord reads 8 bytes of the kernel's memory, as a number in the machine's byte order.
func ReadWord(addr uint64) (uint64, error) {
	f, err := os.Open("/proc/kcore")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	core, err := ParseCore(f)
	if err != nil {
		return 0, fmt.Errorf("/proc/kcore: %w", err)
	}
	b, err := core.Bytes(addr, 8)
	if err != nil || len(b) < 8 {
		return 0, fmt.Errorf("/proc/kcore has nothing at %#x", addr)
	}
	return core.ByteOrder.Uint64(b), nil
}
