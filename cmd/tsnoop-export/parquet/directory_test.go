package parquet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/tracefs"
)

// No name of a host or function leads out of the directory, and each has one of its own.
func TestHostileNames(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "calls")
	out, err := New(output.To{}, Options{Out: dir})
	must(t, err)
	names := []string{"", ".", "..", "../../x", "/etc/passwd", "a/b", "a%2Fb", "a\x00b", "a\nb", "*", "é", "\xff", "\xfe", "a b", "host=h", "[mod]:f", "-rf",
		strings.Repeat("a/", 500), strings.Repeat("a/", 500) + "b", strings.Repeat("é", 99)}
	for _, name := range names {
		trace := newTrace(name)
		export(t, out.(*writer), trace, &call.Call{Func: &call.Func{Name: name}, TID: 1})
	}
	must(t, out.Close(nil))
	entries, err := os.ReadDir(parent)
	must(t, err)
	if len(entries) != 1 || entries[0].Name() != "calls" {
		t.Errorf("beside it: %q", entries)
	}
	all := files(t, dir)
	found := map[string]bool{}
	for _, name := range all {
		if parts := strings.Split(name, "/"); name != "losses.parquet" {
			if len(parts) != 3 || len(parts[0]) > 225 || len(parts[1]) > 225 || parts[0][5:] != parts[1][5:] {
				t.Errorf("file %q", name)
			}
			found[parts[0]] = true
			row := readBack(t, dir+"/"+name).rows[0]
			if host := strings.ToValidUTF8(strings.Join(names, "|"), "\ufffd"); !strings.Contains(host, row["host"]) || row["host"] != row["func"] {
				t.Errorf("%s has the host %q and function %q", name, row["host"], row["func"])
			}
		}
	}
	if len(found) != len(names)-1 { // those that are not UTF-8 are in one
		t.Errorf("%d directories for %d names: %q", len(found), len(names), all)
	}
}

// A directory that has files is refused, and stays as it is. An empty one is filled.
func TestExisting(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(dir+"/x", []byte("mine"), 0o600))
	var wrong *program.Error
	if _, err := New(output.To{}, Options{Out: dir}); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("error %v", err)
	}
	if _, err := New(output.To{}, Options{Out: dir + "/x"}); !errors.As(err, &wrong) {
		t.Errorf("a file: error %v", err)
	}
	if _, err := New(output.To{}, Options{Out: dir + "/no/such"}); !errors.As(err, &wrong) {
		t.Errorf("no parent: error %v", err)
	}
	if got := files(t, dir); len(got) != 1 {
		t.Errorf("files %q", got)
	}

	empty := t.TempDir()
	out, err := New(output.To{}, Options{Out: empty})
	must(t, err)
	export(t, out.(*writer), newTrace("h"), &call.Call{Func: &call.Func{Name: "f"}})
	must(t, out.Close(nil))
	want := []string{"host=h/func=f/part-000001.parquet", "losses.parquet"}
	if diff := cmp.Diff(want, files(t, empty)); diff != "" {
		t.Error(diff)
	}
}

// Files that others put into an empty directory in the meantime are not replaced.
func TestFilled(t *testing.T) {
	dir := t.TempDir()
	out, err := New(output.To{}, Options{Out: dir})
	must(t, err)
	export(t, out.(*writer), newTrace("h"), &call.Call{Func: &call.Func{Name: "f"}})
	must(t, os.WriteFile(dir+"/losses.parquet", []byte("mine"), 0o600))
	if err := out.Close(nil); err == nil || !strings.Contains(err.Error(), "losses.parquet exists now") {
		t.Errorf("error %v", err)
	}
	if b, err := os.ReadFile(dir + "/losses.parquet"); string(b) != "mine" {
		t.Errorf("%q, %v", b, err)
	}
	for _, name := range files(t, dir) {
		if strings.Contains(name, partial) {
			t.Errorf("%s is left", name)
		}
	}
}

// An export that is interrupted or fails leaves nothing. Before its end no file has a name that
// *.parquet matches.
func TestInterrupted(t *testing.T) {
	for _, exists := range []bool{false, true} {
		for _, why := range []error{context.Canceled, errSpill} {
			parent := t.TempDir()
			dir := parent + "/calls"
			if exists {
				must(t, os.Mkdir(dir, 0o700))
			}
			out, err := New(output.To{}, Options{Out: dir})
			must(t, err)
			w := out.(*writer)
			w.enough = 1
			export(t, w, newTrace("h"), &call.Call{Func: &call.Func{Name: "f"}})
			second := newTrace("h")
			must(t, w.Begin(second))
			must(t, w.Call(&call.Call{Trace: second, Func: &call.Func{Name: "f"}}))
			all := files(t, parent)
			for _, name := range all {
				if strings.HasSuffix(name, ".parquet") {
					t.Errorf("%s has its name before the end", name)
				}
			}
			if len(all) == 0 {
				t.Error("no file is being written")
			}
			if why == errSpill {
				w.spill.Close() // as if the disk were full
				w.mostWaiting, w.enough = 0, 1<<20
				if err := w.Call(&call.Call{Trace: second, Func: &call.Func{Name: "f"}}); err == nil {
					t.Error("no error for rows that could not be written")
				}
				if err := w.Close(nil); err == nil {
					t.Error("no error at the end")
				}
			} else {
				must(t, w.Close(why))
			}
			if left := files(t, parent); len(left) > 0 {
				t.Errorf("%q are left", left)
			}
			if _, err := os.Stat(dir); exists != (err == nil) {
				t.Errorf("the directory existed: %t, now: %v", exists, err)
			}
		}
	}
}

var errSpill = errors.New("spill")

// If an input is damaged, the calls that could be read are there, and losses.parquet has why
// there are no more. If no trace could be read at all, there is nothing.
func TestDamaged(t *testing.T) {
	w, dir := opened(t)
	export(t, w, newTrace("h"), &call.Call{Func: &call.Func{Name: "f"}})
	must(t, w.Close(errors.New("a.dat: page 7 is damaged")))
	if got := readBack(t, dir+"/losses.parquet").show("host", "kind", "count", "text"); got != "null damaged null a.dat: page 7 is damaged\n" {
		t.Errorf("%q", got)
	}
	w, dir = opened(t)
	must(t, w.Close(errors.New("a.dat is empty")))
	if left := files(t, filepath.Dir(dir)); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// Each loss is a row, and is in the metadata of the files of its trace.
func TestLosses(t *testing.T) {
	w, dir := opened(t)
	a, b := newTrace("a"), newTrace("b")
	a.Origin = &tracefs.Origin{Host: "a", Kernel: "6.12", Specs: []string{"f(x) if x > 1"}, Clock: "mono", Began: &tracefs.Moment{Wall: 5, Trace: 1}}
	must(t, w.Begin(a))
	must(t, w.Begin(b))
	must(t, w.Call(&call.Call{Trace: a, Func: &call.Func{Name: "f"}, Time: 1}))
	must(t, w.Call(&call.Call{Trace: b, Func: &call.Func{Name: "f"}, Time: 1}))
	for _, l := range []call.Loss{
		{Trace: a, Kind: call.LostHere, Time: 9, CPU: 0, Count: 3, Known: true},
		{Trace: a, Kind: call.LostHere, Time: 10, CPU: 1},
		{Trace: b, Kind: call.MissedCalls, Func: "f", Count: 4, Known: true, AtMost: true},
		{Trace: b, Kind: call.EarlierCalls, Func: "f", Count: 5, Known: true},
		{Trace: b, Kind: call.SwitchedOff, Func: "f", Time: 11, SwitchedOff: &tracefs.SwitchOff{Func: "f", Spec: "f()"}},
		{Trace: b, Kind: call.Interfered, Interference: &tracefs.Interference{Text: "tracing was stopped", Cost: tracefs.Cost{Reported: true, Exact: true, Events: 6}}},
	} {
		must(t, w.Loss(&l))
	}
	a.Origin.Ended = &tracefs.Moment{Wall: 50, Trace: 46}
	must(t, w.End(a))
	must(t, w.End(b))
	must(t, w.Close(nil))
	check(t, readBack(t, dir+"/losses.parquet").show("host", "file", "kind", "func", "ts_ns", "cpu", "count", "at_most", "earlier", "text"), `
a a.dat lost null 9 0 3 false false null
a a.dat lost null 10 1 null false false null
b a.dat missed_calls f null null 4 true false null
b a.dat unfinished_calls f null null 5 false true null
b a.dat switched_off f 11 null null false false f()
b a.dat interference null null null 6 false false tracing was stopped
`)
	got := readBack(t, dir+"/host=a/func=f/part-000001.parquet").metadata
	want := map[string]string{
		"tsnoop.file": "a.dat", "tsnoop.host": "a", "tsnoop.kernel": "6.12", "tsnoop.specs": `["f(x) if x > 1"]`, "tsnoop.clock": "mono",
		"tsnoop.began":   `{"wall_ns":5,"ts_ns":1,"max_error_ns":null,"synchronized":false}`,
		"tsnoop.ended":   `{"wall_ns":50,"ts_ns":46,"max_error_ns":null,"synchronized":false}`,
		"tsnoop.losses":  `[{"kind":"lost","ts_ns":9,"cpu":0,"count":3},{"kind":"lost","ts_ns":10,"cpu":1}]`,
		"tsnoop.columns": `[{"name":"ret","item":"return","in":"ret"}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
