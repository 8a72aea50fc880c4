package parquet

import (
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// BenchmarkFunctions exports one call of each of many functions.
func BenchmarkFunctions(b *testing.B) {
	w, _ := opened(b)
	trace := newTrace("h")
	must(b, w.Begin(trace))
	w.mostTables = 1 << 30
	for b.Loop() {
		must(b, w.Call(&call.Call{Trace: trace, Func: &call.Func{Name: strconv.Itoa(w.n)}, Args: []call.Value{number("x", "int", 5)}}))
	}
	must(b, w.End(trace))
	must(b, w.Close(nil))
}
