package record

import (
	"io"
	"runtime"
	"sync"

	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/sys/unix"
)

// names are the symbols that the addresses in the pages are shown with. FILE.sym has their
// lines of /proc/kallsyms: after a power cut the next boot has other addresses. They are
// found while the pages are taken, since all symbols are 7 MB on the disk, and to write them
// takes the kernel longer than everything else in a short recording. A nil *names finds none.
type names struct {
	table  *symbols.Table
	used   *symbols.Used
	text   []byte // what the file has of the kernel's own symbols
	others []byte // symbols of modules, once they are needed
	asked  bool   // they were read, or are being read
	reader sync.WaitGroup
}

func newNames(table *symbols.Table) *names {
	return &names{table: table, used: table.Used()}
}

// scan looks for addresses in the data of an event.
func (n *names) scan(data []byte, big bool) {
	if n != nil {
		n.used.Scan(data, big)
	}
}

// addNames writes what names the addresses in the pages so far. rec.mu must be held.
func (rec *Recorder) addNames() error {
	n := rec.names
	if n == nil || rec.syms == nil {
		return nil
	}
	lines := n.used.Text()
	if len(lines) == 0 {
		return nil
	}
	n.text = append(n.text, lines...)
	return rec.syms.write(lines)
}

// addOthers also writes the symbols of modules, in the background, once there are addresses
// of theirs in the pages. That is less urgent than to take pages.
func (rec *Recorder) addOthers() {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	n := rec.names
	if n == nil || rec.syms == nil || n.asked || !n.used.Other() {
		return
	}
	n.asked = true
	n.reader.Go(func() {
		runtime.LockOSThread() // it ends with this goroutine
		unix.Setpriority(unix.PRIO_PROCESS, 0, 19)
		others, err := n.table.Others()
		rec.mu.Lock()
		defer rec.mu.Unlock()
		if err == nil && len(others) > 0 {
			n.others = others
			err = rec.syms.write(others)
			rec.next.Reset(rec.limit / 4) // in case that no page follows
		}
		if err != nil {
			rec.warner.Detailf("after a power cut, symbols of modules would not be known: %v", err)
		}
	})
}

// all returns the symbols at the end. Modules may have been loaded meanwhile.
func (n *names) all() []byte {
	if n == nil {
		return nil
	}
	n.reader.Wait()
	if n.used.Other() {
		if others, err := n.table.Others(); err == nil {
			n.others = others
		}
	}
	return append(symbols.Sort(n.text), n.others...)
}

// mostLeft is more than the bytes of all symbols of any kernel.
const mostLeft = 32 << 20

// addLeftNames adds the symbols that a killed recorder has left to the header. The last
// ones may be incomplete on the disk.
func (rec *Recorder) addLeftNames(h *tracedat.Header) error {
	f, err := rec.dir.Open(rec.symName())
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostLeft))
	if err != nil {
		return err
	}
	h.Kallsyms = symbols.Sort(append(h.Kallsyms, text...))
	return nil
}
