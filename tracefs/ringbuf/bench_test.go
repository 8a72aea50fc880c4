package ringbuf_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// BenchmarkPage decodes a page of small and large records, and one whose events
// have absolute times, so that half of its records are not data.
func BenchmarkPage(b *testing.B) {
	rec := load(b, "6.12")
	for _, name := range []string{"mixed", "absolute"} {
		page := rec.scenarios[name].pages[0]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			records := 0
			var p ringbuf.Page
			for b.Loop() {
				if err := p.Reset(rec.layout, page); err != nil {
					b.Fatal(err)
				}
				for p.Next() {
					records++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
		})
	}
}
