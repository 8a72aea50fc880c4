//go:build vm

package suite

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A jsonCall is what a line of JSON says of a call.
type jsonCall struct {
	Time     uint64 `json:"ts_ns"`
	End      uint64 `json:"end_ns"`
	TID      int
	Comm     string
	Func     string
	Args     []jsonValue
	Ret      *jsonValue
	Duration *int64 `json:"duration_ns"`

	Call, Depth int
	Part        string
	Orphan      bool
	Unfinished  bool
	Missed      uint64 `json:"missed_returns"`
}

type jsonValue struct {
	Name  string
	Value any
	Errno string
}

// number is the n-th argument.
func (c *jsonCall) number(n int) int64 {
	if n >= len(c.Args) {
		return -1
	}
	f, _ := c.Args[n].Value.(float64)
	return int64(f)
}

// calls reads the output of a trace with --json.
func (tr *traced) calls() (all []jsonCall) {
	tr.t.Helper()
	tr.lines(func(line []byte) {
		var c jsonCall
		if err := json.Unmarshal(line, &c); err != nil {
			tr.t.Fatalf("%v: %s", err, line)
		}
		if c.Duration != nil && *c.Duration < 0 {
			tr.t.Errorf("a negative duration: %s", line)
		}
		all = append(all, c)
	})
	return all
}

// nestIoctl is an ioctl that nobody knows: what "load nest" asks for.
const nestIoctl = 0x7e57

// TestVMRecursion: each of the nested calls of one function gets its own return.
func TestVMRecursion(t *testing.T) {
	const deepest = 10
	fn, devices := "dm_mod:dm_blk_ioctl", deepest
	if traceableHere(t, "__blkdev_driver_ioctl") {
		// 5.10: there is no BTF of modules, but this function between one call and the
		// next. The first is inlined.
		fn, devices = "__blkdev_driver_ioctl", deepest+1
	}
	l := prepare(t, "nest", "@", strconv.Itoa(devices))
	spec, file := fn+"(bdev->bd_dev, cmd, return)", filepath.Join(t.TempDir(), "nested.dat")
	twice := startTrace(t, "--json", "--tree", "-p", l.pid, fn+"(bdev->bd_dev, cmd)", fn+"(cmd, return)")
	chain := startTrace(t, "--json", "--chain", "-p", l.pid, spec, spec)
	recorder := startTrace(t, "record", "-o", file, "-p", l.pid, spec)
	l.run()
	twice.end()
	chain.end()
	recorder.end()
	if live, said := twice.said()+chain.said(), recorder.said(); live != "" || !strings.HasSuffix(said, ", 0 lost\n") || strings.Contains(said, "missed") {
		t.Errorf("said %q, and the recorder %q", live, said)
	}
	recorded := func(words ...string) []jsonCall {
		tr := beginTrace(t, append([]string{"replay", "--json", file}, words...)...)
		tr.ended()
		return tr.calls()
	}
	checkTwice(t, twice.calls(), deepest)
	checkNest(t, chain.calls(), deepest)
	checkNest(t, recorded("--tree"), deepest)
	all := recorded()
	if len(all) != deepest {
		t.Fatalf("%d calls, want %d", len(all), deepest)
	}
	var inner int64
	for i, c := range all { // they come as they end, the innermost first
		checkNestedCall(t, c, i)
		inner = checkNestedEnd(t, c, inner)
	}
}

// checkTwice checks the tree of nested calls that two specs show: each call has two lines,
// both at its depth.
func checkTwice(t *testing.T, parts []jsonCall, deepest int) {
	t.Helper()
	if len(parts) != 4*deepest {
		t.Fatalf("%d parts of calls, want %d", len(parts), 4*deepest)
	}
	for i, c := range parts {
		if depth := min(i, len(parts)-1-i) / 2; c.Depth != depth || c.Unfinished || c.Orphan {
			t.Errorf("%d: %+v, want depth %d", i, c, depth)
		}
	}
}

// checkNest checks the tree of nested calls, outermost first.
func checkNest(t *testing.T, parts []jsonCall, deepest int) {
	t.Helper()
	if len(parts) != 2*deepest {
		t.Fatalf("%d parts of calls, want %d", len(parts), 2*deepest)
	}
	inner := int64(0)
	for i, c := range parts {
		depth, part := i, "begin"
		if i >= deepest {
			depth, part = 2*deepest-1-i, "end"
		}
		if c.Depth != depth || c.Call != depth+1 || c.Part != part || c.Unfinished || c.Orphan {
			t.Errorf("%d: %+v, want the %s of call %d", i, c, part, depth+1)
		}
		if part == "begin" {
			checkNestedCall(t, c, deepest-1-depth)
		} else {
			inner = checkNestedEnd(t, c, inner)
		}
	}
}

// checkNestedCall checks the arguments of the call for the device with this minor number.
func checkNestedCall(t *testing.T, c jsonCall, minor int) {
	t.Helper()
	if got := c.number(0) & (1<<20 - 1); got != int64(minor) || c.number(1) != nestIoctl {
		t.Errorf("%+v: want device %d and %#x", c, minor, nestIoctl)
	}
}

// checkNestedEnd checks the end of a call and returns its duration in ns, which is
// that of the call in it at least.
func checkNestedEnd(t *testing.T, c jsonCall, inner int64) int64 {
	t.Helper()
	if c.Ret == nil || c.Ret.Errno != "ENOTTY" || c.Duration == nil || *c.Duration < inner {
		t.Fatalf("%+v: want ENOTTY after %d ns or more", c, inner)
	}
	return *c.Duration
}

// traceableHere reports whether the kernel itself has a function that can be traced.
func traceableHere(t *testing.T, fn string) bool {
	t.Helper()
	b, err := os.ReadFile(tracing + "/available_filter_functions")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(b, []byte("\n"+fn+"\n"))
}

// TestVMCallsOfThreads: four threads call on two CPUs; each call has its own return, and
// the calls of each thread come in their order.
func TestVMCallsOfThreads(t *testing.T) {
	const threads, calls = 4, 250
	l := prepare(t, "crew", "@", strconv.Itoa(calls), "0", "1", "0", "1")
	tr := startTrace(t, "--json", "-p", l.pid, "generic_file_llseek(offset, return)")
	l.run()
	tr.end()
	if tr.said() != "" {
		t.Error(tr.said())
	}
	next := map[int]int64{}
	var last uint64
	for _, c := range tr.calls() {
		offset := c.number(0)
		thread := int(offset >> 32)
		if c.Ret == nil || c.Duration == nil || c.Ret.Value != float64(offset) &&
			(thread == 0 || c.Ret.Value != -float64(unix.EINVAL)) { // beyond what some kernels take
			t.Fatalf("not the return of this call: %+v", c)
		}
		// A CPU that stops for longer, as one of a virtual machine may, in the middle
		// of recording an event, is not waited for.
		const settled = 10e6
		if offset&(1<<32-1) != next[thread] || c.End < last && last-c.End < settled {
			t.Fatalf("out of order, after %d of thread %d: %+v", next[thread], thread, c)
		}
		next[thread]++
		last = max(last, c.End)
	}
	for i := range threads {
		if next[i] != calls {
			t.Errorf("thread %d has made %d calls, want %d", i, next[i], calls)
		}
	}
}

// TestVMSleepers: threads that sleep in one function at the same time, some of
// them interrupted by a signal, each with its own return.
func TestVMSleepers(t *testing.T) {
	const threads, signals = 40, 7 // more than the 10 that the kernel would follow
	l := prepare(t, "sleepers", "@", strconv.Itoa(threads), strconv.Itoa(signals))
	tr := startTrace(t, "--json", "-p", l.pid, "hrtimer_nanosleep(clockid, return) if clockid == 7")
	l.run()
	tr.end()
	if tr.said() != "" {
		t.Error(tr.said())
	}
	seen, interrupted := map[int]bool{}, 0
	for _, c := range tr.calls() {
		if c.Duration == nil || c.Ret == nil || c.Orphan || c.Unfinished || seen[c.TID] {
			t.Errorf("not one whole call of a thread: %+v", c)
			continue
		}
		seen[c.TID] = true
		if c.Ret.Value != float64(0) {
			interrupted++
		} else if *c.Duration < 5e9 {
			t.Errorf("a sleep of 5 s took %d ns", *c.Duration)
		}
	}
	if len(seen) != threads || interrupted != signals {
		t.Errorf("%d threads slept, %d of them were interrupted; want %d, %d", len(seen), interrupted, threads, signals)
	}
}

// TestVMMissedReturns: with room for fewer calls than there are at a time, the
// others are shown without their end and counted as the kernel does.
func TestVMMissedReturns(t *testing.T) {
	const threads, active = 12, 3
	others := prepare(t, "waiters", "@", strconv.Itoa(threads))
	l := prepare(t, "waiters", "@", strconv.Itoa(threads))
	tr := startTrace(t, "--json", "--maxactive", strconv.Itoa(active), "-p", l.pid, "inotify_read(count, return)")
	others.run()
	missed := kernelMisses(t, "inotify_read__return") // when l ends, so does the trace
	l.run()
	tr.end()
	whole, unfinished, told := 0, 0, uint64(0)
	for _, c := range tr.calls() {
		switch {
		case c.Missed > 0:
			told += c.Missed
		case c.Unfinished:
			unfinished++
		case c.Duration != nil:
			whole++
		}
	}
	if whole != active || unfinished != threads-active {
		t.Errorf("%d calls whole and %d not, of %d; there was room for %d", whole, unfinished, threads, active)
	}
	// The kernel counts what it has missed of everybody's.
	if missed < threads-active || told != threads-active || tr.said() != fmt.Sprintf("tsnoop: %d returns of inotify_read were missed: the kernel could not run the probe\n", told) {
		t.Errorf("the kernel has missed %d of others; reported were %d:\n%s", missed, told, tr.said())
	}
}

// kernelMisses reads kprobe_profile.
func kernelMisses(t *testing.T, event string) uint64 {
	t.Helper()
	f, err := os.Open(filepath.Join(tracing, "kprobe_profile"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if words := strings.Fields(s.Text()); len(words) == 3 && strings.HasPrefix(words[0], event) {
			n, err := strconv.ParseUint(words[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("kprobe_profile has no %s", event)
	return 0
}
