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
	text, ends := make([]byte, 0, 24*len(addrs)), make([]int, 0, len(addrs)) // names that share their memory
	kept := make([]uint64, 0, len(addrs))
	at, first, last := m.addr(0), 0, 0 // the address of symbols that is not after the site, and which they are
	next := at
	var name symbolCursor
	for _, site := range addrs {
		for ; next <= site; last++ {
			if next != at {
				at, first = next, last
			}
			if next = math.MaxUint64; last+1 < m.n {
				next = m.addr(last + 1)
			}
		}
		var listed []byte
		if len(begin) > 0 {
			listed, begin, _ = bytes.Cut(begin, []byte("\n"))
		}
		if site-at > farthest {
			if site = 0; invalid {
				continue
			}
		}
		start := len(text)
		for i, t := range name.of(m, first) {
			token := m.tokens[t]
			if i == 0 {
				token = token[min(1, len(token)):] // without its kind
			}
			text = append(text, token...)
		}
		if len(listed) > 0 && !bytes.Equal(listed, text[start:]) {
			return nil
		}
		kept, ends = append(kept, site), append(ends, len(text))
	}
	if len(begin) > 0 {
		return nil
	}
	sites, all, start := make(map[string]uint64, len(kept)), string(text), 0
	for i, end := range ends {
		one := all[start:end]
		known := len(sites)
		if sites[one] = kept[i]; len(sites) == known {
			sites[one] = 0
		}
		start = end
	}
	return sites
}

// A symbolCursor is where a compressed name is: of the first symbol, if it is zero.
type symbolCursor struct{ i, at int }

// of returns the compressed name of symbol i, which is not before that of the last call.
func (c *symbolCursor) of(m *image, i int) []byte {
	if start := i - i%marked; start > c.i {
		c.i, c.at = start, int(m.marks[i/marked])
	}
	for ; ; c.i++ {
		name, next, _ := m.compressed(c.at) // mark has checked all names
		if c.i == i {
			return name
		}
		c.at = next
	}
}
