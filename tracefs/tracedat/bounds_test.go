package tracedat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// manyChunks is a file of some 10 KB with a chunk of 1 MiB for each of many CPUs.
func manyChunks(t testing.TB, version7 []byte, cpus int) []byte {
	t.Helper()
	const page = 1 << 20
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := enc.EncodeAll(make([]byte, page), nil)
	var chunk []byte
	for _, n := range []int{1, len(packed), page} {
		chunk = binary.LittleEndian.AppendUint32(chunk, uint32(n))
	}
	chunk = append(chunk, packed...)
	// Another section of options, at the end of the chain, has another buffer.
	done := []byte{optDone, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	at := bytes.LastIndex(version7, done)
	if at < 0 {
		t.Fatal("no end of the options")
	}
	b := bytes.Clone(version7)
	pages := int64(len(b))
	e := (&Header{}).encoder()
	e.sectionHeader(optBuffer, true, 0, int64(cpus*len(chunk)))
	e.text(string(bytes.Repeat(chunk, cpus)))
	options := pages + int64(len(e.b))
	body := (&Header{}).encoder()
	body.u64(pages)
	body.cString("inst")
	body.cString("mono")
	body.u32(page)
	body.u32(cpus)
	for i := range cpus {
		body.u32(i)
		body.u64(pages + sectionSize + int64(i*len(chunk)))
		body.u64(int64(len(chunk) - 4))
	}
	all := (&Header{}).encoder()
	all.option(optBuffer, string(body.b))
	all.option(optDone, string(make([]byte, 8)))
	e.section(optDone, 0, all.b, nil)
	putU64(&Header{}, b[at+6:], options)
	return append(b, e.b...)
}

// smallV7 is a compressed file without pages.
func smallV7(t testing.TB) []byte {
	h := testHeader(7)
	h.PageSize, h.HeaderPage, h.Zstd = 256, "", true
	return write(t, h, nil)
}

// TestManyChunks: the chunks of all CPUs together are bounded, whatever their number. One
// that goes beyond is reported with its place; those before it are read.
func TestManyChunks(t *testing.T) {
	const cpus = 120
	b := manyChunks(t, smallV7(t), cpus)
	f := open(t, b)
	before := allocated()
	pages, refused := 0, 0
	var readers []*PageReader
	all := f.Buffers[len(f.Buffers)-1].CPUs
	for i := range all {
		p := all[i].Pages()
		readers = append(readers, p) // as who merges them does
		_, err := p.Next()
		var bound *BoundError
		var at *Error
		switch {
		case err == nil:
			pages++
		case errors.As(err, &bound) && errors.As(err, &at) && at.Offset > 0 && bound.Bound == uint64(maxChunks+2*len(b)) && errors.Is(err, ErrDamaged):
			refused++
		default:
			t.Fatal(err)
		}
	}
	if used := allocated() - before; used > 64<<20 {
		t.Errorf("%d bytes allocated for a file of %d", used, len(b))
	}
	if pages != maxChunks>>20 || pages+refused != cpus {
		t.Errorf("%d pages and %d refused", pages, refused)
	}
	// The memory of one that has ended is for others.
	for range 2 {
		if _, err := readers[0].Next(); err == nil {
			t.Fatal("another page")
		}
	}
	if _, err := all[cpus-1].Pages().Next(); err != nil {
		t.Error(err)
	}
	t.Logf("%d bytes: %d pages of 1 MiB in memory, %d refused", len(b), pages, refused)
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

func TestQuota(t *testing.T) {
	q := quota{bound: 10}
	var e *BoundError
	if q.take(4, "") != nil || !errors.As(q.take(7, "bytes"), &e) || e.Value != 11 || q.take(6, "") != nil || q.take(1, "") == nil {
		t.Errorf("of 10 %d are used, %v", q.used.Load(), e)
	}
	if q.give(3); q.take(3, "") != nil || q.take(1, "") == nil {
		t.Errorf("of 10 %d are used", q.used.Load())
	}
}

// TestShare: the more CPUs there are, the less is read at a time.
func TestShare(t *testing.T) {
	for cpus, want := range map[int]int64{1: 1 << 20, 256: 1 << 20, 257: 1 << 19, 1024: 1 << 18, 1025: 1 << 17, 8192: 1 << 16} {
		f := &File{Buffers: []Buffer{{CPUs: make([]CPU, cpus+1)}}} // the last is empty
		for i := range cpus {
			f.Buffers[0].CPUs[i].offset, f.Buffers[0].CPUs[i].Size = int64(i), 1
		}
		if f.share(); f.readSize != want || f.Damage != nil {
			t.Errorf("%d CPUs: %d bytes, want %d; %v", cpus, f.readSize, want, f.Damage)
		}
	}
}
