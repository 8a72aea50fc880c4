package parquet

import (
	"cmp"
	"os"
	"slices"
	"sync/atomic"

	pq "github.com/parquet-go/parquet-go"
)

const (
	// groupRows is how many rows a row group has, which is what a query reads at once.
	groupRows = 128 << 10
	// groupBytes is how many bytes of rows a row group is made of at most.
	groupBytes = 32 << 20
	// mostGroups is how many row groups a file has. The writer keeps their places in memory.
	mostGroups = 64
	// mostBegun is how many row groups are being written at once, and mostOpen how many files.
	mostBegun, mostOpen = 4, 32
	// pageBytes is how many bytes of a column a page has.
	pageBytes = 128 << 10
	// dictionaryBytes is how many bytes the different values of a column take. If they take
	// more, the others are written as they are.
	dictionaryBytes = 512 << 10
)

// A file is the one that the calls of a table are written to, or the one after it.
type file struct {
	dir       string
	constants *constants
	metadata  []pair // when the table began

	// All else is the encoder's.
	columns []column
	f       *os.File
	w       *pq.GenericWriter[any]
	group   *pq.ConcurrentRowGroupWriter // nil if none has begun
	to      []*pq.ColumnWriter           // of group
	block   *block
	rows    int
	bytes   int
	groups  int
}

// A job is rows to be written, or a file to be closed.
type job struct {
	file     *file
	columns  []column
	chunks   []chunk // before rows
	rows     []byte
	last     bool
	metadata []pair // for the last
}

// An encoder writes rows to files, in a goroutine.
type encoder struct {
	dir   *directory
	spill *os.File
	jobs  chan job
	free  chan []byte // where rows that were written go
	err   atomic.Pointer[error]
	done  chan struct{}

	open  []*file // the last one was used last
	bytes []byte  // of a chunk
}

func newEncoder(dir *directory, spill *os.File, free chan []byte) *encoder {
	e := &encoder{dir: dir, spill: spill, free: free, jobs: make(chan job, 1), done: make(chan struct{})}
	go e.run()
	return e
}

// failed returns the first error.
func (e *encoder) failed() error {
	if err := e.err.Load(); err != nil {
		return *err
	}
	return nil
}

// write has a job done.
func (e *encoder) write(j job) { e.jobs <- j }

// close waits until all is done.
func (e *encoder) close() error {
	close(e.jobs)
	<-e.done
	return e.failed()
}

func (e *encoder) run() {
	defer close(e.done)
	for j := range e.jobs {
		if e.failed() != nil {
			continue
		}
		if err := e.do(&j); err != nil {
			e.err.Store(&err)
		}
		select {
		case e.free <- j.rows:
		default:
		}
	}
	for _, f := range e.open { // those of an export that has failed
		f.f.Close()
	}
}

func (e *encoder) do(j *job) error {
	f := j.file
	if j.last {
		return e.end(f, j.metadata)
	}
	if len(j.columns) > len(f.columns) {
		if err := e.end(f, nil); err != nil {
			return err
		}
		f.columns = append(f.columns, j.columns[len(f.columns):]...)
		decide(f.columns)
	}
	for _, c := range j.chunks {
		e.bytes = slices.Grow(e.bytes[:0], c.size)[:c.size]
		if _, err := e.spill.ReadAt(e.bytes, c.at); err != nil {
			return err
		}
		if err := e.add(f, e.bytes); err != nil {
			return err
		}
	}
	return e.add(f, j.rows)
}

// add adds rows to a file.
func (e *encoder) add(f *file, rows []byte) error {
	r := reader{rows}
	for len(r.b) > 0 {
		if err := e.begin(f); err != nil {
			return err
		}
		before := len(r.b)
		for len(r.b) > 0 && f.block.rows < atOnce && before-len(r.b) < pageBytes {
			f.block.row(&r)
		}
		f.rows += f.block.rows
		f.bytes += before - len(r.b)
		if err := f.block.write(f.to); err != nil {
			return err
		}
		if f.rows >= groupRows || f.bytes >= groupBytes {
			if err := e.commit(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin opens the file and begins a row group, unless that is done. If there are too many of
// either, one that was used long ago ends.
func (e *encoder) begin(f *file) error {
	if f.w != nil && f.group != nil {
		if last := len(e.open) - 1; e.open[last] != f {
			e.open = append(slices.DeleteFunc(e.open, func(o *file) bool { return o == f }), f)
		}
		return nil
	}
	if f.w == nil {
		if len(e.open) >= mostOpen {
			if err := e.end(e.open[0], nil); err != nil {
				return err
			}
		}
		if err := f.open(e.dir); err != nil {
			return err
		}
	} else {
		e.open = slices.DeleteFunc(e.open, func(o *file) bool { return o == f })
	}
	e.open = append(e.open, f)
	var begun []*file
	for _, o := range e.open {
		if o.group != nil {
			begun = append(begun, o)
		}
	}
	if len(begun) >= mostBegun {
		if err := e.commit(begun[0]); err != nil {
			return err
		}
	}
	f.group = f.w.BeginRowGroup()
	f.to, f.block = f.group.ColumnWriters(), newBlock(f.columns, f.constants)
	return nil
}

func (f *file) open(dir *directory) (err error) {
	if f.f, err = dir.create(f.dir); err != nil {
		return err
	}
	f.w = pq.NewGenericWriter[any](f.f, options(schemaOf(f.columns))...)
	for _, m := range append(f.metadata, pair{[]byte("tsnoop.columns"), marshal(f.columns)}) {
		f.w.SetKeyValueMetadata(string(m.name), string(m.text))
	}
	return nil
}

func options(s *pq.Schema) []pq.WriterOption {
	return []pq.WriterOption{s, pq.Compression(&pq.Zstd), pq.DataPageStatistics(false), pq.PageBufferSize(pageBytes), pq.DictionaryMaxBytes(dictionaryBytes), pq.CreatedBy("tsnoop-export", "", "")}
}

// commit ends the row group of a file, and the file if it has enough.
func (e *encoder) commit(f *file) error {
	if f.group == nil {
		return nil
	}
	_, err := f.group.Commit()
	f.group, f.to, f.block, f.rows, f.bytes = nil, nil, nil, 0, 0
	f.groups++
	if err == nil && f.groups >= mostGroups {
		return e.end(f, nil)
	}
	return err
}

// end closes the file, if it is open. More rows go into another one.
func (e *encoder) end(f *file, metadata []pair) error {
	if f.w == nil {
		return nil
	}
	if f.group != nil {
		f.groups = 0
		if err := e.commit(f); err != nil {
			return err
		}
	}
	for _, m := range metadata {
		f.w.SetKeyValueMetadata(string(m.name), string(m.text))
	}
	err := cmp.Or(f.w.Close(), f.f.Close())
	e.open = slices.DeleteFunc(e.open, func(o *file) bool { return o == f })
	f.w, f.f, f.groups = nil, nil, 0
	return err
}
