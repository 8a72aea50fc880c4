package text

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/testdata/badinput"
	"github.com/tsnoop/tsnoop/tracefs"
)

// render writes a random line the way the kernel does, and what it means to want.
func render(r *rand.Rand, want *testEvent) string {
	str := func(n int) string {
		const nasty = "\"\n ab=:(),{}[]-<>\\\x01\xff%'0 s1_k3x8=fault"
		b := make([]byte, r.IntN(n))
		for i := range b {
			b[i] = nasty[r.IntN(len(nasty))]
		}
		return string(b)
	}
	var ev testEvent
	ev.Name, ev.CPU, ev.TID = "e0_k3x9", r.IntN(300), r.IntN(4<<20)
	usec := r.Uint64N(1e12)
	ev.Time = usec * 1000
	comm := str(16)
	ev.Comm = strings.TrimLeft(comm, " ")
	fd, ptr := int32(r.Uint32()), r.Uint64()
	b := [4]uint16{uint16(r.Uint32()), uint16(r.Uint32()), 0, 1}
	c, n := byte(r.Uint32()), byte(r.Uint32())
	strs := make([]any, 2)
	shown := make([]string, 2)
	for i := range strs {
		if r.IntN(5) == 0 {
			shown[i] = "(fault)"
			continue
		}
		s := str(60)
		strs[i], shown[i] = s, `"`+s+`"`
	}
	ev.Data = entry(ev.TID, testSymbols["vfs_open"], fd, ptr, b, c, n, strs...)
	if want != nil {
		*want = ev
	}
	return fmt.Sprintf("%16s-%-7d [%03d] d.h1. %5d.%06d: e0_k3x9: (vfs_open+0x0/0xf0) fd=%d ptr=0x%x b={%d,%d,%d,%d} c='%s' n=%d s1_k3x9=%s s2_k3x9=%s\n",
		comm, ev.TID, ev.CPU, usec/1e6, usec%1e6, fd, ptr, b[0], b[1], b[2], b[3], []byte{c}, n, shown[0], shown[1])
}

// FuzzRoundTrip renders random events as the kernel does and wants them back.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint64(1), uint64(2), 3)
	badinput.Fuzz(f, func(t *testing.T, seed1, seed2 uint64, cut int) {
		r := rand.New(rand.NewPCG(seed1, seed2))
		var text strings.Builder
		var want []testEvent
		for range 1 + r.IntN(8) {
			var ev testEvent
			line := render(r, &ev)
			if r.IntN(8) == 0 {
				fmt.Fprintf(&text, "CPU:%d [LOST %d EVENTS]\n", ev.CPU, 9)
				ev.Lost = 9
			}
			text.WriteString(line)
			want = append(want, ev)
		}
		var in io.Reader = strings.NewReader(text.String())
		if cut%2 == 0 {
			in = iotest.HalfReader(in)
		}
		got, counts := parseAll(t, in)
		if !reflect.DeepEqual(want, got) || counts != (Counts{}) {
			t.Fatalf("text %q: counts %+v (-want +got)\n%s", text.String(), counts, cmp.Diff(want, got))
		}
	})
}

// FuzzParser feeds anything, in pieces, and asks for what every event must be.
func FuzzParser(f *testing.F) {
	f.Add([]byte("CPU:1 [LOST 3 EVENTS]\n"+render(rand.New(rand.NewPCG(1, 2)), nil)), 7)
	badinput.Fuzz(f, func(t *testing.T, text []byte, piece int) {
		p := newTestParser()
		piece = piece&0xff + 1
		text = text[:min(len(text), 1<<14)] // asking again after every byte is quadratic
		for len(text) > 0 {
			n := copy(p.Space(piece)[:piece], text)
			p.Fed(n)
			text = text[n:]
			for ev := p.Next(n%2 == 0); ev != nil; ev = p.Next(n%2 == 0) {
				if len(ev.Data) < ev.Format.Size || len(ev.Comm) > commWidth {
					t.Fatalf("got event %+v", ev)
				}
			}
		}
	})
}

// FuzzFormat has text read as any format says.
func FuzzFormat(f *testing.F) {
	files, err := filepath.Glob("../../testdata/tracefs/*/instances/*/events/*/*/format")
	if err != nil || len(files) == 0 {
		f.Fatalf("no recorded formats: %v", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	badinput.Fuzz(f, func(t *testing.T, b []byte) {
		v, err := tracefs.ParseFormat(bytes.NewReader(b))
		if err != nil {
			return
		}
		p := NewParser(Options{Formats: []*tracefs.Format{v}})
		line := "             cat-42      [003] .....    12.345678: " + v.Name + ": (f+0x0/0x1) fd=1 b={1,2} s1_k3x9=\"a\"\n"
		for ev := range eventsOf(p, strings.NewReader(line)) {
			if len(ev.Data) < v.Size {
				t.Errorf("got %d bytes of %d", len(ev.Data), v.Size)
			}
		}
	})
}

func BenchmarkParser(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	const lines = 1000
	for range lines {
		text.WriteString(render(r, nil))
	}
	b.ReportAllocs()
	b.SetBytes(int64(text.Len()))
	p := newTestParser()
	for b.Loop() {
		rest := text.String()
		for len(rest) > 0 {
			n := copy(p.Space(8192)[:8192], rest)
			p.Fed(n)
			rest = rest[n:]
			for ev := p.Next(false); ev != nil; ev = p.Next(false) {
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*lines), "ns/event")
}
