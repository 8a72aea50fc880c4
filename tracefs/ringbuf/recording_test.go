package ringbuf_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// A recording is testdata/KERNEL.txtar; see testdata/README.md.
type recording struct {
	layout    ringbuf.Layout
	formats   map[uint16]*tracefs.Format
	scenarios map[string]*scenario
}

type scenario struct {
	pages [][]byte
	trace []line
	calls map[int64][2]uint64 // by dfd: the clock before and after, in ns
	lost  uint64              // overrun of per_cpu/cpu0/stats
}

// A line is what the kernel's own reader makes of a record.
type line struct {
	Microseconds uint64
	Text         string // EVENT ARGUMENTS
}

var kernels = []string{"5.10", "6.1", "6.12", "newest", "arm64"}

func load(t testing.TB, kernel string) *recording {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", kernel+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	rec := &recording{formats: map[uint16]*tracefs.Format{}, scenarios: map[string]*scenario{}}
	for _, file := range archive.Files {
		dir, name, _ := strings.Cut(file.Name, "/")
		text := string(file.Data)
		switch {
		case dir == "header_page":
			size := regexp.MustCompile(`commit;\s+offset:8;\s+size:(\d+)`).FindStringSubmatch(text)
			rec.layout.LongSize = number[int](t, size[1])
		case dir == "format":
			f, err := tracefs.ParseFormat(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			rec.formats[uint16(f.ID)] = f
		default:
			if rec.scenarios[dir] == nil {
				rec.scenarios[dir] = &scenario{calls: map[int64][2]uint64{}}
			}
			rec.scenarios[dir].load(t, name, text)
		}
	}
	return rec
}

var (
	traceLine = regexp.MustCompile(`(?m)^ +record-\d+ +\[000\] \S+ +(\d+)\.(\d{6}): (\w+):(?: \(\S+\))?( .*)$`)
	callLine  = regexp.MustCompile(`(?m)^(-?\d+) (\d+) (\d+)$`)
	statsLine = regexp.MustCompile(`(?m)^overrun: (\d+)$`)
)

func (s *scenario) load(t testing.TB, name, text string) {
	t.Helper()
	switch name {
	case "trace":
		for _, m := range traceLine.FindAllStringSubmatch(text, -1) {
			s.trace = append(s.trace, line{number[uint64](t, m[1]+m[2]), m[3] + m[4]})
		}
	case "calls":
		for _, m := range callLine.FindAllStringSubmatch(text, -1) {
			s.calls[number[int64](t, m[1])] = [2]uint64{number[uint64](t, m[2]), number[uint64](t, m[3])}
		}
	case "stats":
		s.lost = number[uint64](t, statsLine.FindStringSubmatch(text)[1])
	default:
		s.pages = append(s.pages, undump(t, text))
	}
}

// undump reads what testdata/record writes: OFFSET BYTES, * for lines like the
// one before, OFFSET in the end.
func undump(t testing.TB, text string) (page []byte) {
	t.Helper()
	var last []byte
	for l := range strings.Lines(text) {
		offset, data, _ := strings.Cut(strings.TrimSpace(l), " ")
		if offset == "*" {
			continue
		}
		at, err := strconv.ParseUint(offset, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		for len(page) < int(at) {
			page = append(page, last...)
		}
		if last, err = hex.DecodeString(data); err != nil {
			t.Fatal(err)
		}
		page = append(page, last...)
	}
	return page
}

func number[T int | int64 | uint64](t testing.TB, s string) (n T) {
	t.Helper()
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return n
}

// An item is a record of a little endian page with longs of 8 bytes, as walk
// finds them in the plainest way.
type item struct {
	at, size    int
	kind, delta uint32
}

func walk(b []byte) (items []item) {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }
	for i, end := 16, 16+int(word(8)&0x3fffffff); i < end; {
		it := item{i, 8, word(i) & 31, word(i) >> 5}
		if it.kind == 0 || it.kind == 29 {
			it.size = 4 + int(word(i+4))
		} else if it.kind < 29 {
			it.size = 4 + 4*int(it.kind)
		}
		items = append(items, it)
		i += it.size
	}
	return items
}

// survey counts the forms of records and returns, for each data record, the
// deltas of the discarded events before it.
func survey(b []byte, found map[string]int) (discarded []uint64) {
	names := map[uint32]string{0: "long", 29: "padding", 30: "extend", 31: "stamp"}
	var sum uint64
	for _, it := range walk(b) {
		name, ok := names[it.kind]
		if !ok {
			name = "data"
		}
		found[name]++
		switch {
		case it.kind == 29 && it.delta != 1:
			sum += uint64(it.delta)
		case it.kind == 31:
			sum = 0
		case it.kind < 29:
			discarded = append(discarded, sum)
		}
	}
	return discarded
}

// convert gives a recorded page another layout; payloads stay as they are.
func convert(l ringbuf.Layout, b []byte) []byte {
	var data []element
	for _, it := range walk(b) {
		head, words := 4, []uint32(nil)
		if it.kind == 0 || it.kind >= 29 {
			head, words = 8, []uint32{binary.LittleEndian.Uint32(b[it.at+4:])}
		}
		data = append(data, entry(it.kind, it.delta, words...), raw(string(b[it.at+head:it.at+it.size])))
	}
	commit := binary.LittleEndian.Uint32(b[8:])
	end := b[16+commit&0x3fffffff:]
	var behind []element
	if len(end) >= 8 {
		behind = append(behind, long(binary.LittleEndian.Uint64(end)), raw(string(end[8:])))
	}
	return build(l, binary.LittleEndian.Uint64(b), commit&^0x3fffffff, data, behind...)
}
