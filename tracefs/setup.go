package tracefs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Options says how to set up a session. The zero value works.
type Options struct {
	Clock    string // a name from trace_clock; "" means "mono" if the kernel has it
	BufferKB int    // KiB per CPU; 0 keeps the kernel's default
	// BufferOrLess halves the size, repeatedly, if the kernel has no memory for
	// BufferKB.
	BufferOrLess bool
	// WakeAt is how full a CPU's buffer is, in percent, when those who wait for it are woken;
	// 0 wakes them for each event.
	WakeAt int

	CPUs    []int // CPUs to trace, nil for all; one that does not exist is a *HostError
	AllCPUs bool  // record all CPUs anyway; CPUs is only checked
	Pids    []int // threads to trace, as numbered in the initial PID namespace; nil for all
	Follow  bool  // also trace what the threads in Pids fork
	// ThreadsNow returns, after Pids was written to the list, the threads that exist now.
	// Those that are not in the list are added. It may be nil.
	ThreadsNow func() ([]int, error)
	// NewTasks records an event for every task that a traced task starts: see
	// NewTaskFormat. With Pids it is also like Follow. FS.HasNewTasks reports whether the
	// kernel can do that.
	NewTasks   bool
	Stacktrace bool // record a kernel stack with every event
	IgnoreSelf bool // do not trace this process's own threads; has no effect if Pids is set

	// Log receives every write. It may be nil.
	Log func(format string, args ...any)
	// Progress is called before each step that takes long if there are many probes,
	// with how many are left: "enabling", "disabling" and "removing". It may be nil.
	Progress func(doing string, probes int)
}

// setUp brings the instance into the state that o and the readers need.
func (s *Session) setUp(o Options) error {
	if err := s.setOptions(o); err != nil {
		return err
	}
	if err := s.setClock(o.Clock); err != nil {
		return err
	}
	if err := s.setBuffer(o); err != nil {
		return err
	}
	// At the default of 50 a reader is not woken before half of a buffer is full, which
	// a few events never fill (5.0).
	if s.fs.Exists(s.path("buffer_percent")) {
		if err := s.set(s.path("buffer_percent"), strconv.Itoa(o.WakeAt)); err != nil {
			return err
		}
	}
	if err := s.setCPUs(o.CPUs, o.AllCPUs); err != nil {
		return err
	}
	s.expectSettings()
	if o.NewTasks && len(o.Pids) == 0 {
		if err := s.recordNewTasks(); err != nil {
			return err
		}
	}
	return s.setThreads(o)
}

// setBuffer sets the size of each CPU's buffer.
func (s *Session) setBuffer(o Options) error {
	if o.BufferKB == 0 {
		return nil
	}
	for kb := o.BufferKB; ; kb /= 2 {
		err := s.set(s.path("buffer_size_kb"), strconv.Itoa(kb))
		switch {
		case !errors.Is(err, unix.ENOMEM):
			return err
		case !o.BufferOrLess || kb < 128:
			return tooLarge(kb, err)
		}
	}
}

// tooLarge returns the error for a buffer that takes more memory than there is. The hint
// is a size for each CPU that takes at most half of what is free.
func tooLarge(kb int, err error) error {
	e := &HostError{Msg: fmt.Sprintf("there is no memory for a buffer of %d MiB for each CPU", kb>>10), Err: err}
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		free := uint64(info.Freeram) * uint64(info.Unit) / uint64(2*runtime.NumCPU())
		e.Hint = fmt.Sprintf("use a smaller buffer: -b %dM", max(1, free>>20))
	}
	return e
}

// BufferKB returns the size of each CPU's buffer in KiB.
func (s *Session) BufferKB() (int, error) { return read(s.fs, s.path("buffer_size_kb"), parseInt) }

// setOptions sets the options that change what is printed or recorded. A new instance
// inherits those of the top level, which anybody may have changed.
func (s *Session) setOptions(o Options) error {
	now, err := read(s.fs, s.path("trace_options"), parseOptions)
	if err != nil {
		return err
	}
	for _, want := range []struct {
		name string
		on   bool
	}{
		{"context-info", true}, {"irq-info", true}, {"overwrite", true}, {"print-parent", true},
		{"bin", false}, {"hex", false}, {"raw", false}, {"fields", false}, {"verbose", false},
		{"latency-format", false}, {"sym-addr", false}, {"userstacktrace", false},
		{"stacktrace", o.Stacktrace}, {"event-fork", o.follows()},
	} {
		if on, known := now[want.name]; !known || on == want.on {
			continue // some do not exist on older kernels
		}
		name := want.name
		if !want.on {
			name = "no" + name
		}
		if err := s.set(s.path("trace_options"), name); err != nil {
			return err
		}
	}
	return nil
}

// parseOptions parses trace_options: one name per line, with the prefix "no" if it is
// off.
func parseOptions(r io.Reader) (map[string]bool, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	opts := make(map[string]bool)
	for name := range strings.FieldsSeq(string(b)) {
		off, isOff := strings.CutPrefix(name, "no")
		if isOff {
			name = off
		}
		opts[name] = !isOff
	}
	return opts, nil
}

// setClock chooses the clock. Text shows its times only in µs.
func (s *Session) setClock(name string) error {
	if name == "" {
		clocks, err := read(s.fs, s.path("trace_clock"), parseClocks)
		if err != nil {
			return err
		}
		if !slices.Contains(clocks, "mono") { // before 3.17
			return nil
		}
		name = "mono"
	}
	return s.set(s.path("trace_clock"), name)
}

func (o Options) follows() bool {
	if len(o.Pids) > 0 {
		return o.Follow || o.NewTasks
	}
	return o.IgnoreSelf
}

// setThreads sets which threads are traced. The kernel checks this before it fetches
// arguments, so it is cheaper than a filter.
func (s *Session) setThreads(o Options) error {
	if len(o.Pids) == 0 && !o.IgnoreSelf {
		return nil
	}
	if !InitPIDNamespace() {
		if len(o.Pids) == 0 {
			s.log("cannot keep own threads out: their numbers outside this pid namespace are unknown")
			return nil
		}
		return &HostError{Msg: "process ids mean something else to the kernel: this is not the initial pid namespace",
			Hint: "run in the pid namespace of the host: nsenter -t 1 -p, or docker run --pid=host"}
	}
	if len(o.Pids) > 0 {
		return s.traceThreads(o)
	}
	return s.ignoreSelf()
}

// ignoreSelf keeps this process's threads out of the trace (5.7). With event-fork set,
// the kernel adds the threads that a listed thread starts. ignoreSelf looks again to
// find those that start while the list is written.
func (s *Session) ignoreSelf() error {
	const file = "set_event_notrace_pid"
	if !s.fs.Exists(s.path(file)) {
		s.log("cannot keep own threads out: no %s", file)
		return nil
	}
	done := make(map[int]bool)
	for {
		tids, err := ownThreads()
		if err != nil {
			return err
		}
		tids = slices.DeleteFunc(tids, func(tid int) bool { return done[tid] })
		if len(tids) == 0 {
			s.selfOut = true
			return nil
		}
		for _, tid := range tids {
			done[tid] = true
		}
		if err := s.addThreads(file, tids); err != nil {
			return err
		}
	}
}

// addThreads adds thread IDs to a list, 256 per write.
func (s *Session) addThreads(file string, tids []int) error {
	for chunk := range slices.Chunk(tids, 256) {
		var b strings.Builder
		for _, tid := range chunk {
			fmt.Fprintf(&b, "%d ", tid)
		}
		if err := s.set(s.path(file), strings.TrimSpace(b.String())); err != nil {
			return err
		}
	}
	return nil
}

func ownThreads() ([]int, error) {
	names, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	var tids []int
	for _, n := range names {
		if tid, err := strconv.Atoi(n.Name()); err == nil {
			tids = append(tids, tid)
		}
	}
	if len(tids) == 0 {
		return nil, errors.New("no threads in /proc/self/task")
	}
	return tids, nil
}

// InitPIDNamespace reports whether PIDs here are those that the kernel uses for
// set_event_pid. The number is PROC_PID_INIT_INO of include/linux/proc_ns.h.
func InitPIDNamespace() bool {
	link, err := os.Readlink("/proc/self/ns/pid")
	return err != nil || link == "pid:[4026531836]"
}
