// Package recordings has a recording for tests: see README.md.
package recordings

import (
	"bytes"
	_ "embed"

	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

//go:embed read.trace.dat
var read []byte

// PageSize is the size of the pages that Read returns, in bytes.
const PageSize = 4096

// Read returns what is in read.trace.dat: a header, a new one each time, and the pages of
// its calls.
func Read() (h *tracedat.Header, pages []byte, err error) {
	file, err := tracedat.Open(bytes.NewReader(read), int64(len(read)))
	if err != nil {
		return nil, nil, err
	}
	for i := range file.Buffers[0].CPUs {
		r := file.Buffers[0].CPUs[i].Pages()
		for b, err := r.Next(); err == nil; b, err = r.Next() {
			pages = append(pages, b...)
		}
	}
	h, err = file.Header()
	return h, pages, err
}
