package parquet

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs"
)

// opened returns an output that writes to a new directory.
func opened(t testing.TB) (w *writer, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "calls")
	out, err := New(output.To{}, Options{Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	return out.(*writer), dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// export writes calls of one trace.
func export(t testing.TB, w *writer, trace *call.Trace, calls ...*call.Call) {
	t.Helper()
	must(t, w.Begin(trace))
	for _, c := range calls {
		c.Trace = trace
		must(t, w.Call(c))
	}
	must(t, w.End(trace))
}

func newTrace(host string) *call.Trace {
	return &call.Trace{Name: "a.dat", Origin: &tracefs.Origin{Host: host, BootID: "b"}}
}

var items = map[call.Item]*call.Item{}

func item(name, typ string) *call.Item {
	i := call.Item{Name: name, Type: typ}
	if items[i] == nil {
		items[i] = &i
	}
	return items[i]
}

func value(i *call.Item, kind json.TypedKind, number uint64, text string) call.Value {
	return call.Value{Item: i, Typed: json.Typed{Kind: kind, Number: number, Text: []byte(text)}}
}

func number(name, typ string, n int64) call.Value {
	return value(item(name, typ), json.Int, uint64(n), "")
}

// files returns the paths of all files below a directory, sorted.
func files(t testing.TB, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			name, _ := filepath.Rel(dir, path)
			all = append(all, name)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

// A read file is what parquet-go reads back.
type readFile struct {
	schema   string
	rows     []map[string]string // what is not null, by the paths of leaf columns
	metadata map[string]string
	groups   int
}

func readBack(t testing.TB, name string) (r readFile) {
	t.Helper()
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	info, err := f.Stat()
	must(t, err)
	file, err := pq.OpenFile(f, info.Size())
	must(t, err)
	r.schema, r.metadata, r.groups = file.Schema().String(), map[string]string{}, len(file.RowGroups())
	for _, kv := range file.Metadata().KeyValueMetadata {
		r.metadata[kv.Key] = kv.Value
	}
	paths := file.Schema().Columns()
	for _, g := range file.RowGroups() {
		rows := g.Rows()
		buf := make([]pq.Row, 100)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				r.rows = append(r.rows, plain(row, paths))
			}
			if err == io.EOF {
				break
			}
			must(t, err)
		}
		must(t, rows.Close())
	}
	return r
}

func plain(row pq.Row, paths [][]string) map[string]string {
	of := map[string]string{}
	row.Range(func(i int, values []pq.Value) bool {
		for _, v := range values {
			path := strings.Join(paths[i], "/")
			switch {
			case v.IsNull():
			case of[path] != "":
				of[path] += "|" + v.String()
			default:
				of[path] = v.String()
			}
		}
		return true
	})
	return of
}

// show returns the values of some columns in each row.
func (r readFile) show(columns ...string) string {
	var b strings.Builder
	for _, row := range r.rows {
		for i, c := range columns {
			text, ok := row[c]
			if !ok {
				text = "null"
			}
			fmt.Fprintf(&b, "%s%s", map[bool]string{true: " "}[i > 0], text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
