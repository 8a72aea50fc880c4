package replay

import (
	"testing"

	"github.com/tsnoop/tsnoop/testdata/recordings"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

const pageSize = recordings.PageSize

// readFixture returns a header, a new one each time, and the pages of its calls.
func readFixture(t testing.TB) (*tracedat.Header, []byte) {
	t.Helper()
	h, pages, err := recordings.Read()
	if err != nil {
		t.Fatal(err)
	}
	return h, pages
}
