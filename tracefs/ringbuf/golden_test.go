package ringbuf_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

func TestRecordedPages(t *testing.T) {
	// These forms must occur in each scenario, lest a test of nothing passes.
	forms := map[string]string{
		"mixed": "data long extend", "overflow": "long", "brimful": "long", "subbuf": "long",
		"absolute": "data stamp", "tai": "data stamp", "discard": "data padding",
	}
	missing := map[string]int{"5.10": 4, "6.1": 1, "arm64": 1}
	for _, kernel := range kernels {
		rec := load(t, kernel)
		for name, must := range forms {
			s := rec.scenarios[name]
			if s == nil {
				missing[kernel]--
				continue
			}
			t.Run(kernel+"/"+name, func(t *testing.T) {
				s.test(t, rec, must)
				lost := map[string]uint64{"overflow": s.lost, "brimful": ringbuf.LostUnknown}[name]
				testLost(t, rec.layout, s.pages, lost)
			})
		}
		if missing[kernel] != 0 {
			t.Errorf("%s: %d scenarios more or fewer than expected are missing", kernel, missing[kernel])
		}
	}
}

// test compares all records of the pages to the kernel's text.
func (s *scenario) test(t *testing.T, rec *recording, must string) {
	var got, want []line
	found := map[string]int{}
	var p ringbuf.Page
	for i, b := range s.pages {
		discarded := survey(b, found)
		if err := p.Reset(rec.layout, b); err != nil {
			t.Fatalf("page %d: Reset: %v", i, err)
		}
		for n := 0; p.Next(); n++ {
			f := rec.formats[binary.LittleEndian.Uint16(p.Data)]
			if f == nil {
				t.Fatalf("page %d: record %d is of no known event: %x", i, n, p.Data)
			}
			// The text comes from a reader that leaves out the deltas of
			// discarded events. ns2usecs rounds to the nearest.
			got = append(got, line{(p.Stamp - discarded[n] + 500) / 1000, f.Name + arguments(f, p.Data)})
			s.testTime(t, f, &p)
		}
		if err := p.Err(); err != nil {
			t.Errorf("page %d: %v", i, err)
		}
	}
	want = s.trace
	for i := range min(len(got), len(want)) {
		if strings.HasPrefix(got[i].Text, "page_fault") {
			got[i].Text, want[i].Text = "page_fault", "page_fault" // of a print format of its own
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records are not those of trace (-trace +pages):\n%s", diff)
	}
	for _, form := range strings.Fields(must) {
		if found[form] == 0 {
			t.Errorf("no record of form %s; found %v", form, found)
		}
	}
}

// testTime tests that the call was going on at the record's time.
func (s *scenario) testTime(t *testing.T, f *tracefs.Format, p *ringbuf.Page) {
	for _, field := range f.Fields {
		if field.Name != "dfd" {
			continue
		}
		dfd := int64(int32(binary.LittleEndian.Uint32(p.Data[field.Offset:])))
		call, ok := s.calls[dfd]
		if !ok || p.Stamp < call[0] || p.Stamp > call[1] {
			t.Errorf("%s of dfd %d at %d, the call was at %d", f.Name, dfd, p.Stamp, call)
		}
	}
}

func testLost(t *testing.T, l ringbuf.Layout, pages [][]byte, first uint64) {
	var p ringbuf.Page
	for i, b := range pages {
		want := uint64(0)
		if i == 0 {
			want = first
		}
		if err := p.Reset(l, b); err != nil || p.Lost() != want {
			t.Errorf("page %d: %d lost, error %v; want %d", i, p.Lost(), err, want)
		}
	}
}

// arguments prints a probe's arguments as the kernel does.
func arguments(f *tracefs.Format, data []byte) string {
	var text strings.Builder
	for _, field := range f.Fields {
		if strings.HasPrefix(field.Name, "common_") || strings.HasPrefix(field.Name, "__probe_") {
			continue
		}
		var word [8]byte
		copy(word[:], data[field.Offset:field.Offset+field.Size])
		v := binary.LittleEndian.Uint64(word[:])
		switch start, size := v&0xffff, v>>16; {
		case field.DataLoc && size == 0:
			fmt.Fprintf(&text, " %s=(fault)", field.Name)
		case field.DataLoc:
			fmt.Fprintf(&text, " %s=\"%s\"", field.Name, data[start:start+size-1])
		case field.Signed:
			shift := 64 - 8*field.Size
			fmt.Fprintf(&text, " %s=%d", field.Name, int64(v<<shift)>>shift)
		default:
			fmt.Fprintf(&text, " %s=%d", field.Name, v)
		}
	}
	return squeeze(text.String())
}

// squeeze writes long runs of x as testdata/record does.
func squeeze(s string) string {
	return regexp.MustCompile(`x{20,}`).ReplaceAllStringFunc(s, func(s string) string { return fmt.Sprintf("x{%d}", len(s)) })
}

// TestConvertedPages reads the recorded pages as other architectures write them.
func TestConvertedPages(t *testing.T) {
	for _, kernel := range kernels {
		rec := load(t, kernel)
		for name, s := range rec.scenarios {
			for i, b := range s.pages {
				want, err := all(rec.layout, b)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range layouts {
					page := convert(l, b)
					if l == rec.layout && (!bytes.Equal(page[:12], b[:12]) || !bytes.Equal(page[16:], b[16:])) {
						t.Errorf("%s/%s: page %d converted to its own layout differs", kernel, name, i)
					}
					got, err := all(l, page)
					if diff := cmp.Diff(want, got); diff != "" || err != nil {
						t.Errorf("%s/%s: page %d in %s: %v\n%s", kernel, name, i, layoutName(l), err, diff)
					}
				}
			}
		}
	}
}
