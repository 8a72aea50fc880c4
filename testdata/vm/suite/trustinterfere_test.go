//go:build vm

package suite

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// instanceOr is a file of its instance, or one of the machine's; EVENT stands for its only
// event, GROUP for the group.
func (tr *traced) instanceOr(name string) string {
	if name = tr.fill(name); strings.HasPrefix(name, "/") {
		return name
	}
	return tr.file(name)
}

// fill puts the names of its group and of its only event into a text.
func (tr *traced) fill(text string) string {
	tr.t.Helper()
	if !strings.Contains(text, "EVENT") && !strings.Contains(text, "GROUP") {
		return text
	}
	events, _ := filepath.Glob(tr.file("events/GROUP/generic_*"))
	if len(events) != 1 {
		tr.t.Fatalf("events: %q", events)
	}
	return strings.NewReplacer("EVENT", filepath.Base(events[0]), "GROUP", filepath.Base(filepath.Dir(events[0]))).Replace(text)
}

// put writes as "echo TEXT > FILE" does.
func (tr *traced) put(name, text string) error {
	tr.t.Helper()
	err := os.WriteFile(tr.instanceOr(name), []byte(tr.fill(text)+"\n"), 0)
	if err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
		tr.t.Fatal(err)
	}
	return err
}

// callLines is how many calls there are by now in JSON.
func (tr *traced) callLines() (n int) {
	tr.lines(func(line []byte) {
		if bytes.Contains(line, []byte(`"args":`)) {
			n++
		}
	})
	return n
}

// TestTrustInterfere does to a trace, in ways that TestTrustGuard does not, what other
// programs may do. Each is reported, also in the data, or costs nothing.
func TestTrustInterfere(t *testing.T) {
	start := time.Now()
	const (
		unknown = "the number of missing events is unknown: .*"
		off     = "another program has switched this trace off; .*"
		probes  = "another program has switched off all probes of this host; to go on: echo 1 > .*"
	)
	missing, none := costs(3), costs(0)
	type test struct {
		file, to, back string
		said, cost     string // "" for nothing
		seen           int    // of three calls meanwhile; -1 if that is not known
	}
	// On arm64 no kprobe is ftrace's.
	onFtrace := test{"/proc/sys/kernel/ftrace_enabled", "0", "1", probes, unknown, 0}
	if runtime.GOARCH == "arm64" {
		onFtrace = test{onFtrace.file, "0", "1", "", "", 3}
	}
	tests := []test{
		{"set_event", "", "", "another program has switched off the event of new tasks of this trace; .*", "", 0},
		{"events/task/task_newtask/enable", "1", "", off, "", 0}, // which set_event has done
		{"events/GROUP/enable", "1", "", "", "this trace is as it was again; " + unknown, 3},
		{"events/GROUP/EVENT/enable", "0", "1", off, unknown, 0},
		{"events/GROUP/filter", "offset == 99999", "0", "another program has changed the filter of generic_file_llseek from none to offset == 99999; to go back: echo 0 > .*/filter", missing, 0},
		{"events/sched/sched_process_exec/trigger", "disable_event:GROUP:EVENT", "", "another program has switched off the probe of generic_file_llseek; to go on: echo 1 > .*/enable", "", 0},
		{"events/GROUP/EVENT/enable", "1", "", "", "this trace is as it was again; " + missing, 3},
		{"buffer_percent", "100", "0", "another program has changed buffer_percent of this trace from 0 to 100; .*", none, 3},
		{"trace_options", "norecord-cmd", "record-cmd", "another program has set options of this trace, norecord-cmd; .*", none, 3},
		{"trace_marker", "hello", "", "", "", 3},
		{"events/sched/sched_process_fork/enable", "1", "", "", "", 3},
		{"tracing_on", "0", "1", off, missing, 0}, // others' events may be in the buffers where the count begins
		{"/sys/kernel/debug/kprobes/enabled", "0", "1", probes, unknown, 0},
		onFtrace,
		{"buffer_subbuf_size_kb", "16", "4", "another program has changed the size of a page of this trace from 4 to 16, and that has emptied the buffers; .*", unknown, -1},
		// Files that are not the instance's.
		{"/sys/kernel/tracing/tracing_on", "0", "1", "", "", 3},
		{"/sys/kernel/tracing/set_event_pid", "1", "", "", "", 3},
		{"/sys/kernel/tracing/events/enable", "0", "", "", "", 3},
	}
	t.Cleanup(func() { // with truncation, which empties the list that a test below fills
		if err := os.WriteFile(filepath.Join(tracing, "set_event_pid"), []byte(" "), 0); err != nil {
			t.Error(err)
		}
	})
	tr := startTrace(t, "--json", "generic_file_llseek(offset)")
	at, told := 0, 0
	for i, tt := range tests {
		t.Logf("%s %s: %s", tt.file, tt.to, tr.said()[at:])
		if _, err := os.Stat(tr.instanceOr(tt.file)); err != nil {
			continue // an older kernel has no such file
		}
		if err := tr.put(tt.file, tt.to); errors.Is(err, unix.EOPNOTSUPP) {
			continue // a newer kernel has ftrace on for good
		}
		if strings.Contains(tt.to, "disable_event") {
			exec.Command("true").Run() // that is when it is disabled
		}
		if tt.said != "" {
			if to := tr.says(at, tt.said); i > 0 { // what the first has done is reported twice, in either order
				at = to
			}
			told++
		}
		if tt.back == "" && tt.cost != "" {
			at = tr.says(at, tt.cost)
			told++
		}
		before := tr.callLines()
		seekThrice(t)
		if tt.back != "" {
			tr.put(tt.file, tt.back)
			if tt.cost != "" {
				at = tr.says(at, "this trace is as it was again; "+tt.cost)
				told++
			}
		}
		if tt.seen > 0 {
			tr.await("three calls", func() bool { return tr.callLines() >= before+3 })
		}
		if n := tr.callLines() - before; n < tt.seen || tt.seen == 0 && n > 0 {
			t.Errorf("%s: %d calls are shown, want %d", tt.file, n, tt.seen)
		}
		figure(t, tt.file, 1)
	}
	tr.end()
	t.Logf("%v\n%s", time.Since(start), tr.said())
	lines := 0
	tr.lines(func(line []byte) {
		if bytes.HasPrefix(line, []byte(`{"interference":"`)) {
			lines++
			t.Logf("%s", line)
		}
	})
	// Names of tasks are also followed by a probe.
	told += strings.Count(tr.said(), "names of tasks are not known any more: another program has used /")
	// A write that the guard hears of late, on a slow machine, is reported by itself.
	told += strings.Count(tr.said(), ", and has set it back")
	// The pages that the change has left in the buffer may also be reported as lost.
	if said := strings.Count(tr.said(), "another program has ") + strings.Count(tr.said(), "as it was again"); lines != told || said != told {
		t.Errorf("%d lines of interference in the data, want %d; said:\n%s", lines, told, tr.said())
	}
	cleanly(t)
}

// TestTrustInterfereUnseen changes a trace while tsnoop is stopped, and sets it back:
// what that has cost is reported, though it was never seen.
func TestTrustInterfereUnseen(t *testing.T) {
	tr := startTrace(t, "--json", "generic_file_llseek(offset)")
	seekThrice(t)
	tr.await("three calls", func() bool { return tr.callLines() == 3 })
	at, shown := 0, 3
	tests := []struct{ file, to, back, said string }{
		{"tracing_on", "0", "1", "another program has written to .*/tracing_on, and has set it back; " + costs(3)},
		{"snapshot", "1", "", "another program has emptied the buffers of this trace; the number of missing events is unknown: .*"},
		{"snapshot", "1", "", "another program has emptied the buffers of this trace; the number of missing events is unknown: .*"},
		{"events/GROUP/enable", "0", "1", "another program has written to .*/enable, and has set it back; the number of missing events is unknown: .*"},
		{"events/GROUP/EVENT/filter", "offset == 99999", "0", "another program has written to .*/filter, and has set it back; " + costs(3)},
	}
	for _, tt := range tests[:size(2, len(tests))] {
		if _, err := os.Stat(tr.instanceOr(tt.file)); err != nil {
			continue
		}
		file := tr.instanceOr(tt.file)
		tr.stop()
		if err := os.WriteFile(file, []byte(tt.to+"\n"), 0); err != nil {
			t.Fatal(err)
		}
		if tt.back != "" {
			seekThrice(t)
			if err := os.WriteFile(file, []byte(tt.back+"\n"), 0); err != nil {
				t.Fatal(err)
			}
		}
		tr.cmd.Process.Signal(syscall.SIGCONT)
		at = tr.says(at, tt.said)
		seekThrice(t)
		shown += 3
		tr.await("the next calls", func() bool { return tr.callLines() == shown })
		lull() // a report of a moment ago is not repeated
	}
	// A change that is noticed while it ends is also reported. The snapshot puts back a buffer
	// that more was read of.
	tr.stop()
	_, lacking := os.Stat(tr.file("snapshot"))
	if lacking == nil {
		tr.put("snapshot", "1")
	}
	tr.cmd.Process.Signal(syscall.SIGINT)
	tr.cmd.Process.Signal(syscall.SIGCONT)
	tr.ended()
	t.Log(tr.said())
	if said := tr.said()[at:]; lacking == nil && !regexp.MustCompile(tests[1].said).MatchString(said) {
		t.Errorf("said in the end: %q", said)
	}
	if strings.Contains(tr.said(), "read by") {
		t.Errorf("the snapshot is taken for a reader")
	}
	cleanly(t)
}

// lull waits until tsnoop would tell of the same again.
func lull() { time.Sleep(2100 * time.Millisecond) }

// TestTrustInterfereThreads changes the list of a trace of one program: with --on-tamper=restore
// all its calls after that are shown, and no others.
func TestTrustInterfereThreads(t *testing.T) {
	tr := startTrace(t, "--json", "--on-tamper=restore", "-p", strconv.Itoa(os.Getpid()), "generic_file_llseek(offset)")
	at, shown := 0, 0
	tests := [][2]string{
		{"1", "another program has written to .*/set_event_pid, and (threads that were asked for are not traced any more: .*|all threads of this host are traced now); it is as it was again(, and .*)?"},
		{"", "another program has written to .*/set_event_pid, and all threads of this host are traced now; it is as it was again(, and .*)?"},
	}
	for _, tt := range tests[:size(1, 2)] {
		if err := tr.put("set_event_pid", tt[0]); err != nil {
			t.Fatal(err)
		}
		at = tr.says(at, tt[1])
		tr.await("a list that is as it was", func() bool {
			return len(strings.Fields(tr.content("set_event_pid"))) > 1 && tr.content("tracing_on") == "1\n"
		})
		lull() // or it is just being made once more: a list is emptied before it is written to
		before := tr.callLines()
		seekThrice(t)
		exec.Command("load", "seek", "7").Run()
		shown = before + 3
		tr.await("three calls", func() bool { return tr.callLines() >= shown })
	}
	tr.end()
	t.Log(tr.said())
	if n := tr.callLines(); n != shown {
		t.Errorf("%d calls are shown, want %d", n, shown)
	}
	cleanly(t)
}

// TestTrustInterfereRecord does it to a recording.
func TestTrustInterfereRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.dat")
	tr := startTrace(t, "record", "-o", file, "generic_file_llseek(offset)")
	at := 0
	tests := []struct{ file, to, back, said, cost string }{
		{"tracing_on", "0", "1", "another program has switched this trace off; .*", costs(3)},
		{"events/GROUP/EVENT/filter", "offset == 99999", "0", "another program has changed the filter of generic_file_llseek .*", costs(3)},
		{"trace_options", "nooverwrite", "overwrite", "another program has set options of this trace, nooverwrite; .*", costs(0)},
	}
	n := size(1, len(tests))
	for _, tt := range tests[:n] {
		if err := tr.put(tt.file, tt.to); err != nil {
			t.Fatal(err)
		}
		at = tr.says(at, tt.said)
		seekThrice(t)
		if err := tr.put(tt.file, tt.back); err != nil {
			t.Fatal(err)
		}
		at = tr.says(at, "this trace is as it was again; "+tt.cost)
	}
	tr.end()
	out, err := exec.Command("tsnoop", "replay", file).CombinedOutput()
	for line := range strings.Lines(tr.said()) { // the recording has it all, except for its size
		if line = strings.TrimPrefix(line, "tsnoop: "); !strings.HasPrefix(line, file) && !bytes.Contains(out, []byte("tsnoop: reported while this was recorded: "+line)) {
			t.Errorf("not replayed: %s", line)
		}
	}
	if calls := bytes.Count(out, []byte("generic_file_llseek(offset=")); err != nil || calls != 3*max(0, n-2) {
		t.Errorf("%d calls are recorded: %v\n%s\n%s", calls, err, out, tr.said())
	}
	cleanly(t)
}
