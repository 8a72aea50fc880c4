package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/record"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// How many CPUs the recording that is damaged has, and how many pages each of them.
const (
	damageCPUs  = 3
	damagePages = 4
)

// recordThreeCPUs makes a recording in which each page has the calls of the fixture, at
// times of its own, and returns its bytes, the number of events in a page and the time
// from its begin to its last event.
func recordThreeCPUs(t *testing.T, o record.Options) (file []byte, events uint64, length uint64) {
	t.Helper()
	h, pages := readFixture(t)
	h.Tsnoop = regexp.MustCompile(`,"End":\d+}$`).ReplaceAll(h.Tsnoop, []byte("}")) // calls that begin later are also shown
	page := pages[:pageSize]
	var p ringbuf.Page
	if err := p.Reset(ringbuf.Layout{LongSize: 8}, page); err != nil {
		t.Fatal(err)
	}
	begin := binary.LittleEndian.Uint64(page)
	for p.Next() {
		events, length = events+1, p.Stamp-begin
	}
	name := filepath.Join(t.TempDir(), "t.dat")
	rec, err := record.New(name, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Begin(h, nil); err != nil {
		t.Fatal(err)
	}
	taken := func(yield func(read.Page, error) bool) {
		for n := range damagePages * damageCPUs {
			shifted := bytes.Clone(page)
			binary.LittleEndian.PutUint64(shifted, begin+uint64(n)*uint64(time.Second))
			if !yield(read.Page{CPU: n % damageCPUs, Data: shifted}, nil) {
				return
			}
		}
	}
	if err := rec.Take(taken, func() uint64 { return 0 }, -1, func() {}); err != nil {
		t.Fatal(err)
	}
	if err := rec.Close(rec.Save(h)); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b, events, length
}

// showDamaged returns a line for each call of a recording, and where it is damaged.
func showDamaged(t *testing.T, b []byte) (lines []string, err error) {
	t.Helper()
	r, err := Open(bytes.NewReader(b), int64(len(b)), Options{Name: "t.dat"})
	if err != nil {
		return nil, err
	}
	for c, err := range r.Calls(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprint(c.Entry.CPU, c.Entry.Time, c.Return.Time)
		for f, v := range r.Values(c) {
			line += fmt.Sprint(" ", f.Name, v)
		}
		lines = append(lines, line)
	}
	return lines, r.Damage()
}

// pagesIn returns where in a recording that is not compressed each page is: that of CPU c
// with index i at [i*damageCPUs+c].
func pagesIn(t *testing.T, b []byte) (at []int) {
	t.Helper()
	file, err := tracedat.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil || file.Damage != nil {
		t.Fatal(err, file.Damage)
	}
	for i := range damagePages {
		for c := range damageCPUs {
			p := file.Buffers[0].CPUs[c].Pages()
			var page []byte
			for range i + 1 {
				if page, err = p.Next(); err != nil {
					t.Fatal(err)
				}
			}
			at = append(at, bytes.Index(b, page))
		}
	}
	return at
}

// TestDamagedPages changes every bit of a page's header and bits of all pages, 1,000 at full size, makes a
// page a hole and tears another: each time the page is named, with what it had, no value of
// it is shown, and all other calls are.
func TestDamagedPages(t *testing.T) {
	for _, version := range []int{6, 7} {
		b, events, length := recordThreeCPUs(t, record.Options{})
		random := 200
		if os.Getenv("TSNOOP_TRUST") == "full" {
			random = 1000
		}
		if version == 7 {
			b, random = rewritten(t, b), random/10
		}
		all, err := showDamaged(t, b)
		perPage := len(all) / (damagePages * damageCPUs)
		if err != nil || perPage == 0 || len(all)%(damagePages*damageCPUs) != 0 {
			t.Fatalf("%d calls, %v, %q, events %d length %d", len(all), err, all, events, length)
		}
		pages := pagesIn(t, b)
		tried := map[string]int{}
		check := func(kind, what string, n int) {
			t.Helper()
			tried[kind]++
			what = kind + what
			lines, err := showDamaged(t, b)
			after := uint64(0)
			if n >= damageCPUs {
				after = uint64(n-damageCPUs)*uint64(time.Second) + length
			}
			var d *DamagedPages
			if !errors.As(err, &d) || len(d.Parts) != 1 {
				t.Fatalf("%s of page %d: %v", what, n, err)
			}
			part := d.Parts[0]
			early := int64(part.After) - int64(after) // the trace began before the first event
			if part.CPU != n%damageCPUs || part.Bytes != pageSize || (after == 0) != (part.After == 0) || early < 0 || early > int64(time.Second) || part.Events != (losses.Between{Min: events, Max: events}) {
				t.Fatalf("%s of page %d: %v", what, n, part)
			}
			want := append(append([]string{}, all[:n*perPage]...), all[(n+1)*perPage:]...)
			if fmt.Sprint(lines) != fmt.Sprint(want) {
				t.Fatalf("%s of page %d: %d calls, want %d\n%q", what, n, len(lines), len(want), lines)
			}
		}
		flip := func(kind string, n, bit int) {
			t.Helper()
			b[pages[n]+bit/8] ^= 1 << (bit % 8)
			check(kind, fmt.Sprintf(" (%d)", bit), n)
			b[pages[n]+bit/8] ^= 1 << (bit % 8)
		}
		for bit := range 16 * 8 {
			flip("a bit of a page's header", damageCPUs+1, bit)
		}
		for range random {
			flip("a bit of a page", rand.IntN(len(pages)), rand.IntN(pageSize*8))
		}
		for n := range pages {
			page := b[pages[n] : pages[n]+pageSize]
			was := bytes.Clone(page)
			clear(page)
			check("a hole instead", "", n)
			copy(page, was)
			clear(page[pageSize-512:])
			copy(page[512:1024], b[pages[(n+1)%len(pages)]:])
			check("sectors of others", "", n)
			copy(page, was)
		}
		for kind, n := range tried {
			t.Logf("%s | trace.dat version %d | %d | all other pages | the page, its size and its events", kind, version, n)
		}
	}
}

// rewritten returns a recording as version 7 that is not compressed.
func rewritten(t *testing.T, b []byte) []byte {
	t.Helper()
	file, err := tracedat.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	h, err := file.Header()
	if err != nil {
		t.Fatal(err)
	}
	h.Version = 7
	var cpus []tracedat.CPUSource
	var sums []byte
	for i := range file.Buffers[0].CPUs {
		c := &file.Buffers[0].CPUs[i]
		var pages []byte
		for p := c.Pages(); ; {
			page, err := p.Next()
			if err != nil {
				break
			}
			sums = tracedat.Sum{CPU: c.ID, Page: len(pages) / pageSize, Events: countEvents(page), CRC: tracedat.CRC(page)}.Append(sums, false)
			pages = append(pages, page...)
		}
		cpus = append(cpus, tracedat.CPUSource{ID: c.ID, Size: int64(len(pages)), Pages: bytes.NewReader(pages)})
	}
	h.Sums = bytes.NewReader(sums)
	name := filepath.Join(t.TempDir(), "v7.dat")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := tracedat.Write(f, h, cpus); err != nil {
		t.Fatal(err)
	}
	if b, err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	return b
}

func countEvents(page []byte) (n uint32) {
	var p ringbuf.Page
	p.Reset(ringbuf.Layout{LongSize: 8}, page)
	for p.Next() {
		n++
	}
	return n
}

// TestDamagedBytes changes hundreds of bits anywhere after the texts, also in the table of
// checksums, and in a compressed file: no call is shown that was not recorded, and a call is
// missing only if that is reported.
func TestDamagedBytes(t *testing.T) {
	for _, o := range []record.Options{{}, {Compress: true}} {
		b, _, _ := recordThreeCPUs(t, o)
		all, err := showDamaged(t, b)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, line := range all {
			known[line] = true
		}
		sums := damagePages * damageCPUs * tracedat.SumSize
		from := len(b) - sums - 256
		if !o.Compress {
			from = pagesIn(t, b)[0]
		}
		reported := 0
		for range 300 {
			bit := from*8 + rand.IntN((len(b)-from)*8)
			b[bit/8] ^= 1 << (bit % 8)
			lines, err := showDamaged(t, b)
			b[bit/8] ^= 1 << (bit % 8)
			for _, line := range lines {
				if !known[line] {
					t.Fatalf("compressed %v, bit %d of byte %d of %d: shows %s", o.Compress, bit%8, bit/8, len(b), line)
				}
			}
			if len(lines) != len(all) && err == nil {
				t.Fatalf("compressed %v, bit %d of byte %d of %d: %d calls of %d, and no word", o.Compress, bit%8, bit/8, len(b), len(lines), len(all))
			}
			if err != nil {
				reported++
			}
		}
		t.Logf("a bit after the texts | trace.dat, compressed %t | 300 | no call that was not recorded | %d, and all that cost a call", o.Compress, reported)
	}
}

// TestDamagedNoSums shows a recording of an earlier version, which has no checksums: a hole
// and a header that makes no sense are reported, with bounds.
func TestDamagedNoSums(t *testing.T) {
	b, err := os.ReadFile("../../testdata/recordings/read.trace.dat")
	if err != nil {
		t.Fatal(err)
	}
	_, pages := readFixture(t)
	at := bytes.Index(b, pages[:pageSize])
	for what, change := range map[string]func(page []byte){
		"a hole":       func(page []byte) { clear(page) },
		"a wrong size": func(page []byte) { page[9] = 0x7f },
	} {
		damaged := bytes.Clone(b)
		change(damaged[at : at+pageSize])
		_, err := showDamaged(t, damaged)
		var d *DamagedPages
		if !errors.As(err, &d) || d.Parts[0].Events != (losses.Between{Min: 1, Max: pageSize / smallestRecord}) || d.Parts[0].Bytes != pageSize {
			t.Errorf("%s: %v", what, err)
		}
	}
}
