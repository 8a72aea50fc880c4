package tracedat

import (
	"bytes"
	"io"
	"testing"
)

// All pages of a recording of 64 MiB, made of the pages in testdata.
func BenchmarkPages(b *testing.B) {
	recording := open(b, load(b, "v6"))
	pages, err := readAll(&recording.Buffers[0].CPUs[0])
	if err != nil {
		b.Fatal(err)
	}
	pages = bytes.Repeat(pages, (64<<20)/len(pages))
	for _, zstd := range []bool{false, true} {
		name := "plain"
		if zstd {
			name = "zstd"
		}
		b.Run(name, func(b *testing.B) {
			h := testHeader(7)
			h.Zstd = zstd
			f := open(b, write(b, h, sources(map[int][]byte{0: pages})))
			b.SetBytes(int64(len(pages)))
			b.ReportAllocs()
			for b.Loop() {
				p := f.Buffers[0].CPUs[0].Pages()
				for {
					if _, err := p.Next(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
