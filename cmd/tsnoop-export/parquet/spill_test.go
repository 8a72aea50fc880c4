package parquet

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// Calls for which memory has no room wait in the spill file: none is lost, and each function's
// are in their order.
func TestSpill(t *testing.T) {
	const functions, each = 60, 200
	w, dir := opened(t)
	w.mostWaiting, w.enough = 30_000, 3000
	trace := newTrace("h")
	must(t, w.Begin(trace))
	var all []*call.Func
	for i := range functions {
		all = append(all, &call.Func{Name: fmt.Sprintf("f%03d", i)})
	}
	for i := range each {
		for j, f := range all {
			c := &call.Call{Trace: trace, Func: f, Time: uint64(i), TID: j, Args: []call.Value{number("n", "int", int64(i*j))}}
			must(t, w.Call(c))
		}
	}
	if w.end == 0 {
		t.Error("nothing was spilled")
	}
	must(t, w.End(trace))
	must(t, w.Close(nil))
	for j := range functions {
		parts, err := filepath.Glob(fmt.Sprintf("%s/host=h/func=f%03d/*.parquet", dir, j))
		must(t, err)
		n := 0
		for _, name := range parts {
			for _, row := range readBack(t, name).rows {
				if row["ts_ns"] != strconv.Itoa(n) || row["n"] != strconv.Itoa(n*j) || row["tid"] != strconv.Itoa(j) {
					t.Fatalf("%s: call %d is %v", name, n, row)
				}
				n++
			}
		}
		if n != each {
			t.Errorf("%d of %d calls of %s", n, each, all[j].Name)
		}
	}
}

// More functions than memory has room for are refused.
func TestManyFunctions(t *testing.T) {
	w, dir := opened(t)
	w.mostTables = 3
	trace := newTrace("h")
	must(t, w.Begin(trace))
	var err error
	for i := 0; err == nil; i++ {
		if i > 3 {
			t.Fatal("no error")
		}
		err = w.Call(&call.Call{Trace: trace, Func: &call.Func{Name: strconv.Itoa(i)}})
	}
	if got := w.Close(err); !errors.Is(got, err) || len(files(t, filepath.Dir(dir))) > 0 {
		t.Errorf("%v, and files %q", got, files(t, filepath.Dir(dir)))
	}
}

// A file has row groups of a limited size, and a limited number of them.
func TestGroups(t *testing.T) {
	w, dir := opened(t)
	f := &call.Func{Name: "f"}
	trace := newTrace("h")
	must(t, w.Begin(trace))
	for i := range groupRows + 5000 {
		must(t, w.Call(&call.Call{Trace: trace, Func: f, Time: uint64(i)}))
	}
	must(t, w.End(trace))
	must(t, w.Close(nil))
	file := readBack(t, dir+"/host=h/func=f/part-000001.parquet")
	if len(file.rows) != groupRows+5000 || file.groups != 2 {
		t.Errorf("%d rows in %d groups", len(file.rows), file.groups)
	}
}
