// Package names knows the name of each task at each moment of a trace, without a fetch at each
// hit of its probes. It takes the names that there are from /proc when the trace begins, and
// has the kernel record in an instance of its own, for all tasks, who starts another one, who
// is renamed, and which thread takes the ID of another because it executes a program. Where
// anything of that may be missing, no name is known, rather than a wrong one.
package names

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"golang.org/x/sys/unix"
)

// renameEvent is the event of a task that gets a name: include/trace/events/task.h.
const renameEvent = "task/task_rename"

// Swap is the spec of the function by which a thread that executes a program gets the ID of
// the first thread of its process (kernel/pid.c, since 5.7). The fields of its probe have
// these names.
const Swap = "exchange_tids(left=left->pid, right=right->pid)"

// bufferKB is the size of each CPU's buffer: 1,000 events.
const bufferKB = 64

// wakeAt is how full a buffer is, in percent, before it is read though nothing is hit.
const wakeAt = 25

// ErrUnavailable is wrapped by the error of Open: names are to be fetched.
var ErrUnavailable = errors.New("names of tasks cannot be followed")

// Names are those of the tasks of a trace. Close may be called from any goroutine, other
// methods from that which reads the events.
type Names struct {
	table
	session *tracefs.Session
	watch   *tracefs.Watch
	opens   map[string]int // how often each pipe was opened, by anyone
	o       Options

	birth, rename, swap record
	learned             uint64 // when /proc was read last
	gaps                bool   // events were lost, which was reported

	clock   atomic.Bool // the clock of the trace was changed
	checked uint64      // when it was checked last that nothing was changed
	changed bool        // another program has interfered: no name is known from then on
}

// A record is where the events of a kind have what matters.
type record struct{ id, pid, comm, left, right int }

// Offered reports whether this host can show names: the kernel has the events, and IDs in
// /proc are those of the kernel, for tasks of all users.
func Offered(fs *tracefs.FS) bool {
	_, err := os.ReadFile("/proc/1/comm")
	return err == nil && fs.HasNewTasks() && fs.Exists("events/"+renameEvent+"/format") && tracefs.InitPIDNamespace() && isSMP()
}

// isSMP reports whether the kernel names the idle task of each CPU.
func isSMP() bool {
	var u unix.Utsname
	return unix.Uname(&u) == nil && strings.Contains(unix.ByteSliceToString(u.Version[:]), " SMP")
}

// Options are those of the trace whose names are wanted.
type Options struct {
	Clock  string
	Now    func() uint64 // its time
	Warner tracefs.Warner
	Log    func(string, ...any)
}

// Open has the kernel record whatever names depend on, if there are plans that do not fetch
// them. swap returns the plan for Swap.
func Open(fs *tracefs.FS, plans []*plan.Plan, swap func() *plan.Plan, o Options) (*Names, error) {
	if !slices.ContainsFunc(plans, func(p *plan.Plan) bool { return p.NamesKnown }) {
		return nil, nil
	}
	n := &Names{table: table{from: unknown}, o: o, opens: map[string]int{}}
	if err := n.open(fs, swap()); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrUnavailable, err), n.Close())
	}
	return n, nil
}

func (n *Names) open(fs *tracefs.FS, swap *plan.Plan) (err error) {
	if n.session, err = fs.NewSession(tracefs.Options{Clock: n.o.Clock, BufferKB: bufferKB, WakeAt: wakeAt, Log: n.o.Log}); err != nil {
		return err
	}
	probe := swap.Entry()
	for _, def := range probe.Placed(n.session.Group()) {
		if err := n.session.Define(probe.Kind.File(), def); err != nil {
			return err
		}
	}
	for _, event := range []string{tracefs.NewTaskEvent, renameEvent} {
		if err := n.session.Use(event); err != nil {
			return err
		}
	}
	for _, of := range []struct {
		event string
		to    *record
	}{{tracefs.NewTaskEvent, &n.birth}, {renameEvent, &n.rename}, {probe.Event, &n.swap}} {
		f, err := n.session.Format(of.event)
		if err != nil {
			return err
		}
		if *of.to, err = recordOf(f); err != nil {
			return err
		}
	}
	if n.watch, err = n.session.Watch(); err != nil {
		return err
	}
	n.watch.AddSystem(n.session, "task")
	if len(n.watch.Failed) > 0 {
		return n.watch.Failed[0]
	}
	if err := n.session.Enable(context.Background()); err != nil {
		return err
	}
	return awaitOthers()
}

// recordOf returns where the records of a format have what matters.
func recordOf(f *tracefs.Format) (record, error) {
	r := record{id: f.ID}
	for _, of := range []struct {
		name string
		size int
		to   *int
	}{{"pid", 4, &r.pid}, {"comm", commLen + 1, &r.comm}, {"newcomm", commLen + 1, &r.comm}, {"left", 4, &r.left}, {"right", 4, &r.right}} {
		if field := f.Field(of.name); field != nil && field.Size == of.size && !field.DataLoc {
			*of.to = field.Offset
		}
	}
	if (r.pid == 0 || r.comm == 0) && (r.left == 0 || r.right == 0) {
		return r, fmt.Errorf("the event %s is not as expected", f.Name)
	}
	return r, nil
}

// awaitOthers waits until no CPU is within a section of the kernel that it had begun before:
// one that gives a name traces it first, perhaps before the event was enabled.
func awaitOthers() error {
	const global = 1 // MEMBARRIER_CMD_GLOBAL, see membarrier(2): an RCU grace period
	if _, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, global, 0, 0); errno != 0 {
		return os.NewSyscallError("membarrier", errno)
	}
	return nil
}

// Aside returns what reads the events, nil if n is nil.
func (n *Names) Aside() *read.Aside {
	if n == nil {
		return nil
	}
	return &read.Aside{Session: n.session, Event: n.event, Lost: n.gap, Look: n.look}
}

// Learn reads the names of all tasks. Names are known from then on, until something is
// missing.
func (n *Names) Learn() {
	if n == nil {
		return
	}
	began := n.o.Now()
	comms := snapshot()
	n.learned = n.o.Now()
	n.begin(comms, began, n.learned)
}

// event adds an event of the session, in the order of time.
func (n *Names) event(id, by int, time uint64, data []byte) {
	switch id {
	case n.birth.id:
		n.born(n.birth.number(n.birth.pid, data), n.birth.text(data), time)
	case n.rename.id:
		n.renamed(n.rename.number(n.rename.pid, data), by, n.rename.text(data), time)
	case n.swap.id:
		n.swapped(n.swap.number(n.swap.left, data), n.swap.number(n.swap.right, data), time)
	}
}

func (r *record) number(at int, data []byte) int {
	if len(data) < at+4 {
		return -1
	}
	return int(int32(binary.NativeEndian.Uint32(data[at:])))
}

func (r *record) text(data []byte) []byte {
	if len(data) < r.comm+commLen {
		return nil
	}
	text, _, _ := bytes.Cut(data[r.comm:r.comm+commLen], []byte{0})
	return text
}

// gap notes that events were lost that are earlier than before.
func (n *Names) gap(before uint64) {
	if !n.lost(before) {
		return
	}
	const text = "names of tasks are not known for a moment: too many tasks were started or renamed at once"
	n.o.Warner.Warn(tracefs.Warning{Text: text, Detail: n.gaps})
	n.gaps = true
}

// Follow gives events the names of their tasks. A nil *Names gives none.
func (n *Names) Follow(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	if n == nil {
		return events
	}
	return func(yield func(*tracefs.Event, error) bool) {
		for e, err := range events {
			if err == nil {
				e.Comm = n.of(e.TID, e.CPU, e.Time)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Close has the kernel record nothing more, and undoes all of it. A nil *Names has nothing to
// undo.
func (n *Names) Close() error {
	if n == nil || n.session == nil {
		return nil
	}
	if n.watch != nil {
		n.watch.Close()
	}
	return n.session.Close()
}
