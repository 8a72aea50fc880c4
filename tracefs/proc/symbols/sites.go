package symbols

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Sites returns the addresses at which ftrace changes the functions of the kernel itself, by
// name; 0 for a name that several functions have. They are those of
// available_filter_functions_addrs. That file and available_filter_functions make the kernel
// begin from the start of its records for every page that is read, which takes longer than
// everything else until a trace of a thousand functions is armed.
//
// begin is how available_filter_functions begins, in whole lines. Sites returns nil if the
// records begin in another way, or cannot be read.
func (t *Table) Sites(begin []byte) map[string]uint64 {
	m := t.image()
	if m == nil || len(begin) == 0 {
		return nil
	}
	f, err := os.Open("/proc/kcore")
	if err != nil {
		return nil
	}
	defer f.Close()
	memory, err := proc.ParseCore(f)
	start := m.Addrs("ftrace_pages_start")
	if err != nil || len(start) != 1 {
		return nil
	}
	addrs, err := ftraceRecords(memory, start[0])
	if err != nil {
		return nil
	}
	return m.sites(addrs, begin)
}

// ftraceRecords returns the addresses in the records of ftrace, sorted. start is where the
// kernel has a pointer to the first page of records. They have this form on x86 and arm64, see
// kernel/trace/ftrace.c and include/linux/ftrace.h:
//
//	struct ftrace_page { struct ftrace_page *next; struct dyn_ftrace *records; int index; … };
//	struct dyn_ftrace { unsigned long ip, flags; };
func ftraceRecords(memory proc.Core, start uint64) ([]uint64, error) {
	const (
		pageSize, recordSize   = 20, 16
		mostPages, mostRecords = 1 << 14, 1 << 22
	)
	order := memory.ByteOrder
	whole := func(addr uint64, n int) ([]byte, error) {
		b, err := memory.Bytes(addr, n)
		if err == nil && len(b) < n {
			err = fmt.Errorf("the memory at %#x is cut", addr)
		}
		return b, err
	}
	b, err := whole(start, 8)
	if err != nil {
		return nil, err
	}
	var all []uint64
	for page, n := order.Uint64(b), 0; page != 0; n++ {
		if b, err = whole(page, pageSize); err != nil {
			return nil, err
		}
		records, count := order.Uint64(b[8:]), int(order.Uint32(b[16:]))
		page = order.Uint64(b)
		if n == mostPages || len(all)+count > mostRecords {
			return nil, errors.New("the records of ftrace have no end")
		}
		if count == 0 {
			continue
		}
		if b, err = whole(records, count*recordSize); err != nil {
			return nil, err
		}
		for all = slices.Grow(all, count); len(b) > 0; b = b[recordSize:] {
			all = append(all, order.Uint64(b))
		}
	}
	slices.Sort(all)
	return all, nil
}

// sites names the addresses of ftrace, which are sorted, as kallsyms_lookup does. An address
// that is farther from a symbol than instructions are that precede the call of ftrace is in a
// weak function that another one has replaced: the kernel lists it under the name of the symbol,
// or, since 6.0 on x86, as invalid. Modules are outside the image.
func (m *image) sites(addrs []uint64, begin []byte) map[string]uint64 {
	const farthest = 8 // bytes
	invalid := bytes.Contains(begin, []byte("__ftrace_invalid_address__"))
	for len(addrs) > 0 && addrs[0] < m.addr(0) {
		addrs = addrs[1:]
	}
	for len(addrs) > 0 && addrs[len(addrs)-1] >= m.addr(m.n-1)+farthest {
		addrs = addrs[:len(addrs)-1]
	}
	sites := make(map[string]uint64, len(addrs))
	var l line // the first symbol at its address
	var first, b []byte
	at := uint64(0)
	for i, name := range m.from(0) {
		if addr := m.addr(i); i == 0 || addr != at {
			at, first = addr, name
		}
		end := uint64(math.MaxUint64)
		if i+1 < m.n {
			end = m.addr(i + 1)
		}
		for ; len(addrs) > 0 && addrs[0] < end; addrs = addrs[1:] {
			var listed []byte
			listed, begin, _ = bytes.Cut(begin, []byte("\n"))
			site := addrs[0]
			if site-at > farthest {
				if site = 0; invalid {
					continue
				}
			}
			if l = m.line(i, first, &b); len(listed) > 0 && !bytes.Equal(listed, l.name) {
				return nil
			}
			if _, several := sites[string(l.name)]; several {
				site = 0
			}
			sites[string(l.name)] = site
		}
	}
	if len(begin) > 0 {
		return nil
	}
	return sites
}
