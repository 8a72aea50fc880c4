// Package parquet writes calls as Parquet files, for SQL: a directory for each host and
// function, a row for each call, a column for each value.
//
// Calls are kept as rows, which are small, for each function until there are enough for a row
// group. Rows for which memory has no room wait in a spill file. A goroutine turns them into
// columns and writes these.
package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
)

// Options are the flags of this output.
type Options struct {
	Out string // the directory
}

const example = "tsnoop-export parquet --out calls trace.dat"

// Flags returns the flags that set o.
func Flags(o *Options) []program.Row {
	return []program.Row{{Name: "out", Form: " DIR", Text: "write files below DIR, which is new or empty: host=HOST/func=FUNCTION/*.parquet, and losses.parquet",
		Value: program.Word(&o.Out), Takes: "takes the name of a directory", Example: example}}
}

const (
	// mostWaiting is how many bytes the rows may take that wait in memory.
	mostWaiting = 16 << 20
	// enough is how many bytes of rows of a function are written at once.
	enough = 2 << 20
	// mostTables is how many functions there may be, of all traces that have not ended.
	mostTables = 8192
	// mostMemory is what Go is to keep within. The program itself takes more.
	mostMemory = 88 << 20
)

// A writer is the [output.Output].
type writer struct {
	dir    *directory
	spill  *os.File
	end    int64 // of spill
	tables map[tableKey]*table
	shared map[sharedKey]*table // the same, by what the calls of a trace share
	n      int                  // of all tables so far
	size   int                  // of the rows in memory
	enc    *encoder
	losses losses
	began  map[*call.Trace][]pair // the metadata of traces that have not ended
	err    error                  // of what this package does
	traces int
	free   chan []byte

	mostWaiting, enough, mostTables int
}

type tableKey struct {
	trace *call.Trace
	fn    call.Func
}

type sharedKey struct {
	trace *call.Trace
	fn    *call.Func
}

// A table is the calls of a function in a trace.
type table struct {
	key     tableKey
	id      int
	columns *columns
	rows    []byte
	n       int     // of the rows in memory
	spilled []chunk // before those
	out     int64   // bytes of spilled
	file    *file
}

// A chunk is rows in the spill file.
type chunk struct {
	at   int64
	size int
}

// New returns the output.
func New(to output.To, o Options) (output.Output, error) {
	if o.Out == "" {
		return nil, program.Errorf("run "+example, "parquet needs a directory to write to: --out DIR")
	}
	dir, err := newDirectory(o.Out)
	if err != nil {
		return nil, err
	}
	debug.SetMemoryLimit(mostMemory)
	w := &writer{dir: dir, tables: map[tableKey]*table{}, shared: map[sharedKey]*table{}, began: map[*call.Trace][]pair{}, mostWaiting: mostWaiting, enough: enough, mostTables: mostTables, free: make(chan []byte, 2)}
	if w.spill, err = dir.spill(); err != nil {
		return nil, errors.Join(err, dir.discard())
	}
	w.enc = newEncoder(dir, w.spill, w.free)
	return w, nil
}

func (w *writer) Begin(t *call.Trace) error {
	w.traces++
	w.began[t] = metadata(t, nil)
	return nil
}

func (w *writer) Call(c *call.Call) error {
	t := w.shared[sharedKey{c.Trace, c.Func}]
	if t == nil {
		var err error
		if t, err = w.table(c); err != nil {
			return err
		}
	}
	before := len(t.rows)
	t.rows = appendRow(t.rows, c, t.columns.slot)
	t.n++
	w.size += len(t.rows) - before
	if len(t.rows) >= w.enough || t.n >= groupRows {
		w.flush(t)
	}
	for w.size > w.mostWaiting && w.err == nil {
		w.relieve()
	}
	return cmp.Or(w.err, w.enc.failed())
}

// table returns the table for a call.
func (w *writer) table(c *call.Call) (*table, error) {
	key := tableKey{c.Trace, *c.Func}
	t := w.tables[key]
	if t == nil {
		if len(w.tables) >= w.mostTables {
			w.err = fmt.Errorf("there are calls of more than %d functions: export the recordings themselves, or fewer functions", w.mostTables)
			return nil, w.err
		}
		w.n++
		t = &table{key: key, id: w.n, columns: newColumns(), file: &file{
			dir: partition(c.Trace.Origin.Host, c.Func.Name), constants: newConstants(c.Trace, c.Func), metadata: w.began[c.Trace]}}
		w.tables[key] = t
	}
	if len(w.shared) >= 2*w.mostTables { // lines have others in the end
		clear(w.shared)
	}
	w.shared[sharedKey{c.Trace, c.Func}] = t
	return t, nil
}

// flush has the rows of a table written.
func (w *writer) flush(t *table) {
	if t.n == 0 && len(t.spilled) == 0 {
		return
	}
	w.enc.write(job{file: t.file, columns: t.columns.snapshot(), chunks: t.spilled, rows: t.rows})
	w.size -= len(t.rows)
	t.rows, t.n, t.spilled, t.out = nil, 0, nil, 0
	select {
	case t.rows = <-w.free:
		t.rows = t.rows[:0]
	default:
	}
}

// relieve takes the rows of the table with the most out of memory.
func (w *writer) relieve() {
	var most *table
	for _, t := range w.tables {
		if most == nil || len(t.rows) > len(most.rows) {
			most = t
		}
	}
	if most.out+int64(len(most.rows)) >= int64(2*w.enough) {
		w.flush(most)
		return
	}
	if _, err := w.spill.WriteAt(most.rows, w.end); err != nil {
		w.err = err
		return
	}
	most.spilled = append(most.spilled, chunk{w.end, len(most.rows)})
	w.end += int64(len(most.rows))
	most.out += int64(len(most.rows))
	w.size -= len(most.rows)
	most.rows, most.n = nil, 0
}

// finish writes all that there is of a trace, or of all, and closes the files.
func (w *writer) finish(of *call.Trace) {
	var all []*table
	for key, t := range w.tables {
		if of == nil || key.trace == of {
			all = append(all, t)
			delete(w.tables, key)
		}
	}
	slices.SortFunc(all, func(a, b *table) int { return a.id - b.id })
	for _, t := range all {
		w.flush(t)
		w.enc.write(job{file: t.file, last: true, metadata: metadata(t.key.trace, &w.losses)})
	}
	clear(w.shared)
}

func (w *writer) Loss(l *call.Loss) error {
	w.losses.add(l)
	return cmp.Or(w.err, w.enc.failed())
}

func (w *writer) End(t *call.Trace) error {
	w.finish(t)
	delete(w.began, t)
	return cmp.Or(w.err, w.enc.failed())
}

func (w *writer) Close(missing error) error {
	if !errors.Is(missing, context.Canceled) {
		w.finish(nil)
	}
	err := cmp.Or(w.enc.close(), w.err)
	w.spill.Close()
	if err == nil && missing != nil && !errors.Is(missing, context.Canceled) {
		w.losses.damaged(missing)
	}
	if err == nil && !errors.Is(missing, context.Canceled) && w.traces > 0 {
		if err = w.losses.write(w.dir); err == nil {
			err = w.dir.publish()
		}
		if err == nil {
			return nil
		}
	}
	if failed := w.dir.discard(); failed != nil {
		err = errors.Join(err, fmt.Errorf("cannot remove %s: %w", w.dir.work, failed))
	}
	return err
}
