package record

import (
	"bufio"
	"io"

	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// mostScanned is how many times more bytes of pages than of /proc/kallsyms are scanned
// for addresses. Leaving out more symbols would hardly make a larger file smaller.
const mostScanned = 16

// usedSymbols returns the part of a header's /proc/kallsyms that names the addresses in
// the pages. All of it takes some 7 MB. It returns all if the pages are many times larger
// or cannot be read, which is reported when they are copied.
func usedSymbols(h *tracedat.Header, cpus []tracedat.CPUSource) []byte {
	size := int64(0)
	for _, cpu := range cpus {
		size += cpu.Size
	}
	if h.LongSize != 8 || size > mostScanned*int64(len(h.Kallsyms)) {
		return h.Kallsyms
	}
	used := symbols.NewUsed(h.Kallsyms)
	for _, cpu := range cpus {
		if cpu.Size > 0 && !scanPages(used, h, cpu) {
			return h.Kallsyms
		}
	}
	return used.Text()
}

// scanPages scans the pages of a CPU, and reports whether that was possible.
func scanPages(used *symbols.Used, h *tracedat.Header, cpu tracedat.CPUSource) bool {
	pages, ok := cpu.Pages.(io.ReaderAt)
	if !ok {
		return false
	}
	r := bufio.NewReaderSize(io.NewSectionReader(pages, 0, cpu.Size), 1<<20)
	page := make([]byte, h.PageSize)
	for range cpu.Size / int64(h.PageSize) {
		if _, err := io.ReadFull(r, page); err != nil {
			return false
		}
		used.Scan(page, h.BigEndian)
	}
	return true
}
