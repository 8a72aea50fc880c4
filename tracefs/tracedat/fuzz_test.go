package tracedat

import (
	"bytes"
	"testing"

	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// FuzzOpen opens anything and reads the first pages of the first CPUs.
func FuzzOpen(f *testing.F) {
	// Small ones only: go test minimizes what it finds for up to a minute.
	h := testHeader(6)
	h.PageSize, h.HeaderPage = 256, ""
	for _, form := range []struct {
		version int
		zstd    bool
	}{{6, false}, {7, false}, {7, true}} {
		h.Version, h.Zstd = form.version, form.zstd
		f.Add(write(f, h, sources(map[int][]byte{0: make([]byte, 512), 2: make([]byte, 256)})))
	}
	f.Add(manyChunks(f, smallV7(f), 120))
	badinput.Fuzz(f, func(t *testing.T, b []byte) {
		file, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if file.Damage != nil && !asError(file.Damage) {
			t.Errorf("damage %v", file.Damage)
		}
		file.Time(1 << 63)
		file.Nanoseconds()
		left := 200
		var readers []*PageReader // all at the same time, as who merges them has them
		for i := range file.Buffers {
			for j := range file.Buffers[i].CPUs {
				p := file.Buffers[i].CPUs[j].Pages()
				readers = append(readers, p)
				if len(readers) > 1000 {
					return
				}
				for n := 0; left > 0 && n < 2; left, n = left-1, n+1 {
					page, err := p.Next()
					if err != nil {
						break
					}
					if len(page) != file.Buffers[i].PageSize {
						t.Fatalf("page of %d bytes, want %d", len(page), file.Buffers[i].PageSize)
					}
				}
			}
		}
	})
}
