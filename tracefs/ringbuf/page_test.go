package ringbuf_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

var layouts = []ringbuf.Layout{
	{LongSize: 8}, {LongSize: 4}, {BigEndian: true, LongSize: 8}, {BigEndian: true, LongSize: 4},
}

func layoutName(l ringbuf.Layout) string {
	if l.BigEndian {
		return fmt.Sprintf("big%d", 8*l.LongSize)
	}
	return fmt.Sprintf("little%d", 8*l.LongSize)
}

// order is the byte order of a layout.
func order(l ringbuf.Layout) binary.AppendByteOrder {
	if l.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// An element is a piece of a page: a record, or bytes as they are.
type element func(l ringbuf.Layout) []byte

// entry is a record's first word, args the words after it.
func entry(kind, delta uint32, args ...uint32) element {
	return func(l ringbuf.Layout) []byte {
		w := kind | delta<<5
		if l.BigEndian {
			w = kind<<27 | delta
		}
		b := order(l).AppendUint32(nil, w)
		for _, a := range args {
			b = order(l).AppendUint32(b, a)
		}
		return b
	}
}

func raw(s string) element { return func(ringbuf.Layout) []byte { return []byte(s) } }

// long is a number after the data.
func long(n uint64) element {
	return func(l ringbuf.Layout) []byte {
		if l.LongSize == 4 {
			return order(l).AppendUint32(nil, uint32(n))
		}
		return order(l).AppendUint64(nil, n)
	}
}

const start = 1_000_000 // time of the pages

// build makes a page whose data are the elements; after is what follows them.
func build(l ringbuf.Layout, time uint64, flags uint32, data []element, after ...element) []byte {
	var body []byte
	for _, e := range data {
		body = append(body, e(l)...)
	}
	page := order(l).AppendUint64(nil, time)
	commit := uint64(int32(flags | uint32(len(body)))) // sign-extended, as bit 31 is
	page = append(page, long(commit)(l)...)
	page = append(page, body...)
	for _, e := range after {
		page = append(page, e(l)...)
	}
	return page
}

type record struct {
	Stamp uint64
	Data  string
}

// all decodes a page.
func all(l ringbuf.Layout, page []byte) (records []record, err error) {
	var p ringbuf.Page
	if err := p.Reset(l, page); err != nil {
		return nil, err
	}
	for p.Next() {
		records = append(records, record{p.Stamp, string(p.Data)})
	}
	if p.Data != nil || p.Next() {
		return nil, fmt.Errorf("a record after the end")
	}
	return records, p.Err()
}

var max28, max27 = strings.Repeat("abcd", 28), uint32(1<<27 - 1)

// recordTests are pages of records, whole and damaged ones.
var recordTests = []struct {
	name string
	time uint64
	data []element
	want []record
	err  error
	at   int // offset of the error in the data
}{
	{name: "empty"},
	{name: "shortest and longest", data: []element{
		entry(1, 0), raw("abcd"), entry(28, max27), raw(max28)},
		want: []record{{start, "abcd"}, {start + 1<<27 - 1, max28}}},
	{name: "explicit length", data: []element{
		entry(0, 5, 8), raw("abcd"), entry(0, 6, 4+116), raw(max28 + "wxyz"), entry(1, 7), raw("next")},
		want: []record{{start + 5, "abcd"}, {start + 11, max28 + "wxyz"}, {start + 18, "next"}}},
	{name: "extend", data: []element{
		entry(30, 3, 2), entry(1, 4), raw("abcd"), entry(1, 1), raw("efgh")},
		want: []record{{start + 2<<27 + 7, "abcd"}, {start + 2<<27 + 8, "efgh"}}},
	{name: "extend by all bits", time: 1, data: []element{
		entry(30, max27, 1<<32-1), entry(1, 0), raw("abcd")},
		want: []record{{1 << 59, "abcd"}}},
	{name: "absolute", data: []element{
		entry(1, 9), raw("abcd"), entry(31, 3, 2), entry(1, 4), raw("efgh")},
		want: []record{{start + 9, "abcd"}, {2<<27 + 7, "efgh"}}},
	{name: "absolute keeps the top bits", time: 5<<59 + 1, data: []element{
		entry(31, 3, 2), entry(1, 0), raw("abcd")},
		want: []record{{5<<59 + 2<<27 + 3, "abcd"}}},
	{name: "absolute when the top bits change", time: 5<<59 + 4<<27, data: []element{
		entry(31, 3, 2), entry(1, 0), raw("abcd")},
		want: []record{{6<<59 + 2<<27 + 3, "abcd"}}},
	{name: "absolute, the time before", time: 5<<59 + 2<<27 + 3, data: []element{
		entry(31, 3, 2), entry(1, 0), raw("abcd")},
		want: []record{{5<<59 + 2<<27 + 3, "abcd"}}},
	{name: "absolute may go back without top bits", time: 4 << 27, data: []element{
		entry(31, 3, 2), entry(1, 0), raw("abcd")},
		want: []record{{2<<27 + 3, "abcd"}}},
	{name: "discarded", data: []element{
		entry(1, 1), raw("abcd"), entry(29, 10, 12), raw("xxxxyyyy"), entry(1, 2), raw("efgh")},
		want: []record{{start + 1, "abcd"}, {start + 13, "efgh"}}},
	{name: "discarded with a delta that was 0", data: []element{
		entry(29, 1, 4), entry(1, 2), raw("efgh")},
		want: []record{{start + 2, "efgh"}}},
	{name: "discarded to the end", data: []element{
		entry(1, 1), raw("abcd"), entry(29, 1, 8), raw("xxxx")},
		want: []record{{start + 1, "abcd"}}},
	{name: "unused rest", data: []element{
		entry(1, 1), raw("abcd"), entry(29, 0), entry(1, 1), raw("efgh")},
		want: []record{{start + 1, "abcd"}}},
	{name: "unused rest of a word", data: []element{entry(29, 0)}},
	{name: "extend in the end", data: []element{entry(30, 1, 1)}},

	{name: "half a word", data: []element{entry(1, 1), raw("abcdef")},
		want: []record{{start + 1, "abcd"}}, err: ringbuf.ErrTruncated, at: 8},
	{name: "no payload", data: []element{entry(1, 1)}, err: ringbuf.ErrTruncated},
	{name: "payload cut", data: []element{entry(1, 1), raw("abcd"), entry(2, 1), raw("abcd")},
		want: []record{{start + 1, "abcd"}}, err: ringbuf.ErrTruncated, at: 8},
	{name: "no length", data: []element{entry(0, 1)}, err: ringbuf.ErrTruncated},
	{name: "explicit length beyond", data: []element{entry(0, 1, 12), raw("abcd")}, err: ringbuf.ErrTruncated},
	{name: "greatest length", data: []element{entry(0, 1, 1<<32-4), raw("abcd")}, err: ringbuf.ErrTruncated},
	{name: "length 0", data: []element{entry(0, 1, 0), raw("abcd")}, err: ringbuf.ErrLength},
	{name: "length of itself", data: []element{entry(0, 1, 4), raw("abcd")}, err: ringbuf.ErrLength},
	{name: "odd length", data: []element{entry(0, 1, 9), raw("abcdefgh")}, err: ringbuf.ErrLength},
	{name: "no argument of extend", data: []element{entry(30, 1)}, err: ringbuf.ErrTruncated},
	{name: "no argument of absolute", data: []element{entry(31, 1)}, err: ringbuf.ErrTruncated},
	{name: "no length of discarded", data: []element{entry(29, 1)}, err: ringbuf.ErrTruncated},
	{name: "discarded beyond", data: []element{entry(29, 2, 8)}, err: ringbuf.ErrTruncated},
	{name: "discarded of length 0", data: []element{entry(29, 2, 0)}, err: ringbuf.ErrLength},
	{name: "discarded of odd length", data: []element{entry(29, 2, 6), raw("abcd")}, err: ringbuf.ErrLength},
}

func TestRecords(t *testing.T) {
	for _, tt := range recordTests {
		for _, l := range layouts {
			t.Run(tt.name+"/"+layoutName(l), func(t *testing.T) {
				if tt.time == 0 {
					tt.time = start
				}
				page := build(l, tt.time, 0, tt.data, raw("zzzzzzzzzzzzzzzz"))
				got, err := all(l, page)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("page %x (-want +got):\n%s", page, diff)
				}
				if !errors.Is(err, tt.err) {
					t.Fatalf("page %x: error %v, want %v", page, err, tt.err)
				}
				at := fmt.Sprintf(" at byte %d", l.HeaderSize()+tt.at)
				if err != nil && !strings.HasSuffix(err.Error(), at) {
					t.Errorf("page %x: error %q, want one%s", page, err, at)
				}
			})
		}
	}
}

func TestLost(t *testing.T) {
	const missed, stored = 1 << 31, 1 << 30
	data := []element{entry(1, 0), raw("abcd")}
	tests := []struct {
		name  string
		flags uint32
		after []element
		want  uint64
	}{
		{"none", 0, []element{long(7)}, 0},
		{"stored", missed | stored, []element{long(50059)}, 50059},
		{"not stored", missed, []element{long(7)}, ringbuf.LostUnknown},
		{"no room", missed | stored, []element{raw("abc")}, ringbuf.LostUnknown},
		{"none is a contradiction", missed | stored, []element{long(0)}, ringbuf.LostUnknown},
		{"stored but not missed", stored, []element{long(7)}, 0},
	}
	for _, tt := range tests {
		for _, l := range layouts {
			page := build(l, start, tt.flags, data, tt.after...)
			var p ringbuf.Page
			if err := p.Reset(l, page); err != nil {
				t.Errorf("%s, %s: %v", tt.name, layoutName(l), err)
				continue
			}
			if p.Lost() != tt.want || p.Time() != start || !p.Next() || p.Next() || p.Err() != nil {
				t.Errorf("%s, %s: page %x: lost %d, time %d, error %v; want %d lost at %d and one record",
					tt.name, layoutName(l), page, p.Lost(), p.Time(), p.Err(), tt.want, start)
			}
		}
	}
}

func TestHeader(t *testing.T) {
	type test struct {
		name   string
		layout ringbuf.Layout
		page   []byte
		want   error
	}
	tests := []test{
		{"no layout", ringbuf.Layout{}, make([]byte, 4096), ringbuf.ErrLayout},
		{"negative", ringbuf.Layout{LongSize: -8}, nil, ringbuf.ErrLayout},
	}
	for _, l := range layouts {
		page := build(l, start, 0, []element{entry(1, 0), raw("abcd")})
		tests = append(tests,
			test{"nil", l, nil, ringbuf.ErrShort},
			test{"short", l, page[:l.HeaderSize()-1], ringbuf.ErrShort},
			test{"one byte beyond", l, page[:len(page)-1], ringbuf.ErrCommit},
			test{"most", l, build(l, start, 1<<30-1, nil), ringbuf.ErrCommit},
			test{"whole", l, page, nil},
		)
	}
	for _, tt := range tests {
		var p ringbuf.Page
		err := p.Reset(tt.layout, tt.page)
		if !errors.Is(err, tt.want) || !errors.Is(p.Err(), tt.want) {
			t.Errorf("%s of %+v: errors %v and %v, want %v", tt.name, tt.layout, err, p.Err(), tt.want)
		}
		if err != nil && p.Next() {
			t.Errorf("%s of %+v: a record in spite of %v", tt.name, tt.layout, err)
		}
	}
}

func TestZeroPage(t *testing.T) {
	for n, hole := range map[int]bool{0: false, 15: false, 16: true} { // the first byte that is not 0
		page := make([]byte, 4096)
		page[n] = 1
		if ringbuf.IsHole(page) != hole || ringbuf.IsHole(page[n:n+1]) {
			t.Errorf("a page with a byte at %d is a hole: %v", n, !hole)
		}
	}
	var p ringbuf.Page
	if p.Next() || p.Err() != nil || p.Lost() != 0 || p.Time() != 0 {
		t.Errorf("zero Page: %+v; want no record and no error", p)
	}
}

// TestReset tests that nothing of a page is left for the next one.
func TestReset(t *testing.T) {
	l := layouts[0]
	var p ringbuf.Page
	p.Reset(l, build(l, start, 3<<30, []element{entry(30, 9, 9), entry(1, 1)}, long(5)))
	p.Next()
	if p.Err() == nil || p.Lost() != 5 {
		t.Fatalf("error %v, lost %d; want an error and 5", p.Err(), p.Lost())
	}
	if err := p.Reset(l, build(l, 77, 0, []element{entry(1, 1), raw("abcd")})); err != nil {
		t.Fatal(err)
	}
	if !p.Next() || p.Stamp != 78 || p.Lost() != 0 || p.Err() != nil {
		t.Errorf("after Reset: stamp %d, lost %d, error %v; want 78, 0, nil", p.Stamp, p.Lost(), p.Err())
	}
}
