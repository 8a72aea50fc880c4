package parquet_test

import (
	"cmp"
	"context"
	"os"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/parquet"
	"github.com/tsnoop/tsnoop/tracefs"
)

// BenchmarkExport exports the recording TSNOOP_BENCH_FILE, and reads it without an output.
func BenchmarkExport(b *testing.B) {
	name := cmp.Or(os.Getenv("TSNOOP_BENCH_FILE"), "../../../testdata/recordings/read.trace.dat")
	for _, way := range []string{"read", "parquet"} {
		b.Run(way, func(b *testing.B) {
			calls := 0
			for b.Loop() {
				out := output.Output(nothing{})
				if way == "parquet" {
					var err error
					if out, err = parquet.New(output.To{}, parquet.Options{Out: b.TempDir()}); err != nil {
						b.Fatal(err)
					}
				}
				counted := &counter{Output: out}
				read(b, name, counted)
				calls += counted.n
				if err := out.Close(nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(calls)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
		})
	}
}

type nothing struct{}

func (nothing) Begin(*call.Trace) error { return nil }
func (nothing) Call(*call.Call) error   { return nil }
func (nothing) Loss(*call.Loss) error   { return nil }
func (nothing) End(*call.Trace) error   { return nil }
func (nothing) Close(error) error       { return nil }

type counter struct {
	output.Output
	n int
}

func (c *counter) Call(one *call.Call) error {
	c.n++
	return c.Output.Call(one)
}

func read(t testing.TB, name string, out output.Output) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := input.Recording(context.Background(), f, info.Size(), name, out, func(tracefs.Warning) {}); err != nil {
		t.Fatal(err)
	}
}
