//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// file is the path of a file of its instance.
func (tr *traced) file(name string) string {
	group := fmt.Sprintf("tsnoop_%d", tr.cmd.Process.Pid)
	return filepath.Join(tracing, "instances", group, strings.ReplaceAll(name, "GROUP", group))
}

// write does as "echo TEXT > FILE"; * in the name matches.
func (tr *traced) write(name, text string) {
	tr.t.Helper()
	files, _ := filepath.Glob(tr.file(name))
	if len(files) != 1 {
		tr.t.Fatalf("%s is %q, not one file", name, files)
	}
	f, err := os.OpenFile(files[0], os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		tr.t.Fatal(err)
	}
	defer f.Close()
	if text == "" && strings.HasSuffix(name, "_pid") {
		return // a newline in a list that tsnoop has filled again meanwhile is written as 0 bytes
	}
	if _, err := f.WriteString(text + "\n"); err != nil {
		tr.t.Fatalf("%s: %v", name, err)
	}
}

// says waits until the next thing that it says matches, and what comes after it.
func (tr *traced) says(from int, want ...string) (to int) {
	tr.t.Helper()
	for _, w := range want {
		re := regexp.MustCompile("(?m)^tsnoop: " + w + "$")
		tr.await(w, func() bool {
			at := re.FindStringIndex(tr.said()[from:])
			if at != nil {
				from += at[1]
			}
			return at != nil
		})
	}
	return from
}

// seeks makes three calls that a trace of generic_file_llseek sees.
func seeks(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("load", "seek", "1", "2", "3").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// costs matches the report that n events are missing: their number, or bounds around it that
// are not far off. Events of new tasks that were not read yet make it bounds.
func costs(n int) string {
	most := fmt.Sprintf("([%d-9]|1[0-%d])", n, n)
	if n == 0 {
		return "(no|up to " + most + ") events are missing"
	}
	return fmt.Sprintf("(%d|[0-%d] to %s|up to %s) events are missing", n, n, most, most)
}

// cleanly fails if anything of tsnoop's is in tracefs.
func cleanly(t *testing.T) {
	t.Helper()
	left, _ := filepath.Glob(filepath.Join(tracing, "instances", "tsnoop*"))
	probes, err := os.ReadFile(filepath.Join(tracing, "kprobe_events"))
	if err != nil || len(left) > 0 || bytes.Contains(probes, []byte("tsnoop")) {
		t.Errorf("left behind: %v %v\n%s", err, left, probes)
	}
}

// TestTrustGuard does to a trace what other programs may do, makes three calls, and
// takes it back. It is said at once what was done, and what it has cost where the
// kernel counts it.
func TestTrustGuard(t *testing.T) {
	const unknown = "the number of missing events is unknown: .*"
	missing, none := costs(3), costs(0)
	const as = "this trace is as it was again; "
	tests := []struct {
		name, file, to, back string
		said, cost           string
	}{
		{"off", "tracing_on", "0", "1", "another program has switched this trace off; to go on: echo 1 > .*/tracing_on", as + missing},
		{"disabled", "events/GROUP/enable", "0", "1", "another program has switched this trace off; to go on: echo 1 > .*/enable", as + unknown},
		{"all disabled", "events/enable", "0", "", "another program has switched this trace off; to go on: echo 1 > .*/enable", as + unknown},
		{"filter", "events/GROUP/generic_file_llseek_*/filter", "offset == 99999", "0",
			"another program has changed the filter of generic_file_llseek from none to offset == 99999; to go back: echo 0 > .*/filter", as + missing},
		{"trigger", "events/GROUP/generic_file_llseek_*/trigger", "stacktrace:3", "!stacktrace:3",
			"another program has changed the triggers of generic_file_llseek from none to stacktrace.*; to go back: .*", as + none},
		{"overwrite", "trace_options", "nooverwrite", "overwrite", "another program has set options of this trace, nooverwrite; .*", as + none},
		{"an option", "options/userstacktrace", "1", "0", "another program has set options of this trace, userstacktrace; .*", as + none},
		{"clock", "trace_clock", "boot", "mono", "another program has changed the clock of this trace from mono to boot, and that has emptied the buffers; .*", as + unknown},
		{"size", "buffer_size_kb", "80", "", "another program has changed the size of the buffers of this trace from \\d+ to \\d+; to go back: .*", as + none},
		{"one size", "per_cpu/cpu0/buffer_size_kb", "640", "", "another program has changed the size of the buffers of this trace from \\d+ to X; to go back: .*", as + none},
		{"CPUs", "tracing_cpumask", "0", "3", "another program has changed the mask of CPUs of this trace from 3 to 0; to go back: .*", as + missing},
		{"pids", "set_event_pid", "1", "", "another program has written to .*/set_event_pid, and only the threads listed there are still traced", "another program has written to .*/set_event_pid, but all threads are traced as before; " + missing},
		{"own threads", "set_event_notrace_pid", "", "", "another program has written to .*/set_event_notrace_pid, which kept what tsnoop itself does out of this trace", ""},
	}
	tr := startTrace(t, "generic_file_llseek(offset)")
	at := 0
	for _, tt := range tests {
		t.Logf("%s: %s", tt.name, tr.said()[at:])
		before := tr.content(tt.file)
		tr.write(tt.file, tt.to)
		at = tr.says(at, tt.said)
		seeks(t)
		back := tt.back
		if back == "" {
			back = strings.Join(strings.Fields(before), " ")
		}
		file := tt.file
		if file == "events/enable" {
			file, back = "events/GROUP/enable", "1"
		}
		if file == "per_cpu/cpu0/buffer_size_kb" {
			file, back = "buffer_size_kb", strings.TrimSpace(tr.content("per_cpu/cpu1/buffer_size_kb"))
		}
		tr.write(file, back)
		if tt.cost != "" {
			at = tr.says(at, tt.cost)
		}
		figure(t, tt.name, 1)
	}
	// Events that were not read yet are gone with the buffers, and so are the kernel's counts.
	// Three calls more show that it is read at all.
	for _, tt := range [][3]string{
		{"trace", "", "another program has emptied the buffers of this trace; " + unknown},
		{"trace_clock", "boot", "another program has changed the clock of this trace from mono to boot, .*"},
	} {
		before := tr.shown()
		seeks(t)
		tr.await("three calls", func() bool { return tr.shown() >= before+3 })
		tr.stop()
		seeks(t)
		tr.write(tt[0], tt[1])
		tr.cmd.Process.Signal(syscall.SIGCONT)
		at = tr.says(at, tt[2])
	}
	tr.write("trace_clock", "mono")
	at = tr.says(at, "this trace is as it was again; "+unknown)
	at = tr.remove(at, "another program has removed the probe of generic_file_llseek; --on-tamper=restore defines it again")
	tr.end()
	tr.says(at, "this trace was not set back; the number of missing events is unknown: .*")
	t.Log(tr.said())
	cleanly(t)
}

// remove removes the trace's only probe while tsnoop is stopped.
func (tr *traced) remove(at int, want string) int {
	tr.t.Helper()
	group := fmt.Sprintf("tsnoop_%d", tr.cmd.Process.Pid)
	tr.stop()
	tr.write("events/GROUP/enable", "0")
	event, _ := filepath.Glob(tr.file("events/GROUP/generic_*"))
	f, err := os.OpenFile(filepath.Join(tracing, "kprobe_events"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		tr.t.Fatal(err)
	}
	_, err = f.WriteString("-:" + group + "/" + filepath.Base(event[0]) + "\n")
	f.Close()
	tr.cmd.Process.Signal(syscall.SIGCONT)
	if err != nil {
		tr.t.Fatal(err)
	}
	return tr.says(at, want)
}

// TestTrustGuardRestore does as TestTrustGuard, and --on-tamper=restore takes it back: all calls
// after that are shown, also of a probe that was removed.
func TestTrustGuardRestore(t *testing.T) {
	tr := startTrace(t, "--on-tamper=restore", "generic_file_llseek(offset)")
	at, shown := 0, 0
	for _, tt := range [][2]string{
		{"tracing_on", "0"}, {"events/GROUP/enable", "0"}, {"events/GROUP/generic_*/enable", "0"},
		{"events/GROUP/generic_*/filter", "offset == 99999"}, {"events/GROUP/generic_*/trigger", "traceoff"},
		{"trace_options", "nooverwrite"}, {"options/userstacktrace", "1"}, {"trace_clock", "boot"},
		{"buffer_size_kb", "80"}, {"per_cpu/cpu0/buffer_size_kb", "640"}, {"tracing_cpumask", "0"},
		{"set_event_pid", "1"}, {"set_event_notrace_pid", ""},
	} {
		before := tr.content(tt[0])
		tr.write(tt[0], tt[1])
		at = tr.says(at, "another program has .*; it is (enabled again, and .*|as it was again(, and .*)?)")
		// A write may be reported in two parts, such as that a list is emptied first. The
		// second is then taken for what the next write causes, and tracing is off meanwhile.
		tr.await("that "+tt[0]+" is as it was", func() bool {
			is := tr.content(tt[0])
			return (is == before || is != "" && tt[0] == "set_event_notrace_pid") && tr.content("tracing_on") == "1\n" // there may be new threads
		})
		seeks(t)
		shown += 3
		tr.await(fmt.Sprintf("%d calls after %s", shown, tt[0]), func() bool { return tr.shown() == shown })
	}
	tr.remove(at, "another program has removed the probe of generic_file_llseek; it is enabled again, and .*")
	seeks(t)
	tr.end()
	t.Log(tr.said())
	if n := tr.shown(); n != shown+3 {
		t.Errorf("%d calls are shown, want %d", n, shown+3)
	}
	cleanly(t)
}

// TestTrustGuardNewTasks switches off, and filters, the event that distinguishes new
// threads from child processes. --on-tamper=restore takes it back, so that each call has its
// process.
func TestTrustGuardNewTasks(t *testing.T) {
	const newTasks = "events/task/task_newtask/"
	tr := startTrace(t, "--on-tamper=restore", "--json", "generic_file_llseek(offset)")
	at := 0
	for _, tt := range [][3]string{
		{newTasks + "enable", "0", "switched off the event of new tasks of this trace"},
		{newTasks + "filter", "clone_flags == 1", "changed the filter of new tasks of this trace from none to clone_flags == 1"},
	} {
		before := tr.content(newTasks+"enable") + tr.content(newTasks+"filter")
		tr.write(tt[0], tt[1])
		at = tr.says(at, "another program has "+tt[2]+"; it is enabled again, and .*")
		tr.await("the trace of before", func() bool {
			is := tr.content(newTasks+"enable") + tr.content(newTasks+"filter")
			return is == before
		})
		seeks(t)
	}
	tr.end()
	t.Log(tr.said())
	calls := 0
	tr.lines(func(line []byte) {
		if !bytes.Contains(line, []byte(`"func":"generic_file_llseek"`)) {
			return
		}
		calls++
		if bytes.Contains(line, []byte(`"pid":null`)) {
			t.Errorf("the process is not known: %s", line)
		}
	})
	if calls != 6 {
		t.Errorf("%d calls are shown, want 6", calls)
	}
	cleanly(t)
}

// TestTrustGuardLists adds to the list of threads kept out while calls are made.
// --on-tamper=restore takes each write back and says how many calls it has cost.
func TestTrustGuardLists(t *testing.T) {
	const burst, calls, writes = 20, 20000, 10
	const pageful = 4096 / 20 // an event takes 20 bytes or more
	tr := startTrace(t, "--on-tamper=restore", "generic_file_llseek(offset)")
	load := exec.Command("load", "burst", "0", fmt.Sprintf("%dx%d", calls/burst, burst))
	if err := load.Start(); err != nil {
		t.Fatal(err)
	}
	at := 0
	for range writes {
		list, err := os.OpenFile(tr.file("set_event_notrace_pid"), os.O_WRONLY, 0) // which adds to the list
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintln(list, 1)
		list.Close()
		if err != nil {
			t.Fatal(err)
		}
		at = tr.says(at, "another program has written to .*/set_event_notrace_pid, whose threads are kept out of this trace; it is as it was again, and .*")
		tr.await("the list of before", func() bool {
			return !slices.Contains(strings.Fields(tr.content("set_event_notrace_pid")), "1")
		})
	}
	if load.ProcessState != nil {
		t.Fatal("the calls had ended before the last write")
	}
	if err := load.Wait(); err != nil {
		t.Fatal(err)
	}
	tr.end()
	t.Log(tr.said())
	least, most := -writes, writes // a call may be under way when the counts are read
	for _, m := range regexp.MustCompile(`again, and (?:(about|up to|\d+ to) )?(\d+|no) events( seem)?`).FindAllStringSubmatch(tr.said(), -1) {
		n, _ := strconv.Atoi(m[2])
		low, _ := strconv.Atoi(strings.TrimSuffix(m[1], " to"))
		switch {
		case m[1] == "about" || m[3] != "": // a page was being read, of which nobody knew
			low, n = n-pageful, n+pageful
		case m[1] == "":
			low = n
		}
		least, most = least+low, most+n
	}
	figure(t, "lists written", writes)
	figure(t, "missing", calls-tr.shown())
	if missing := calls - tr.shown(); missing < least || missing > most {
		t.Errorf("%d of %d calls are shown, and %d to %d said to be missing", tr.shown(), calls, least, most)
	}
	cleanly(t)
}

// shown is how many lines there are by now.
func (tr *traced) shown() (n int) {
	tr.lines(func([]byte) { n++ })
	return n
}

// content is what is in a file of the instance.
func (tr *traced) content(name string) string {
	files, _ := filepath.Glob(tr.file(name))
	if len(files) != 1 {
		tr.t.Fatalf("%s is %q, not one file", name, files)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		tr.t.Fatal(err)
	}
	return string(b)
}

// TestTrustGuardPipe reads a trace's pipe while tsnoop is stopped, and keeps it open
// when that ends.
func TestTrustGuardPipe(t *testing.T) {
	tr := startTrace(t, "generic_file_llseek(offset)")
	seeks(t)
	tr.await("the first calls", func() bool { b, _ := os.ReadFile(tr.out); return bytes.Count(b, []byte("\n")) == 3 })
	tr.stop()
	seeks(t)
	buffers := &peer{t, tr.file("")}
	read := buffers.stats().Read
	words := []string{"cat"}
	if os.Getenv("TSNOOP_VM_KERNEL") == "5.10" { // whose cat takes whole pages only, by splice(2)
		words = []string{"head", "-c", "9999999"}
	}
	var thieves []*exec.Cmd
	for cpu := range 2 {
		thief := exec.Command(words[0], append(words[1:], tr.file(fmt.Sprintf("per_cpu/cpu%d/trace_pipe_raw", cpu)))...)
		thief.Stdout, _ = os.Create(filepath.Join(t.TempDir(), "stolen"))
		if err := thief.Start(); err != nil {
			t.Fatal(err)
		}
		thieves = append(thieves, thief)
		t.Cleanup(func() { thief.Process.Kill() })
		tr.await("the pipe to be open", func() bool {
			open, _ := exec.Command("ls", "-l", fmt.Sprintf("/proc/%d/fd", thief.Process.Pid)).Output()
			return bytes.Contains(open, []byte("trace_pipe_raw"))
		})
	}
	tr.await("three calls to be read by others", func() bool { return buffers.stats().Read == read+3 })
	tr.cmd.Process.Signal(syscall.SIGCONT)
	at := tr.says(0, "events of this trace are being read by (cat|head)-\\d+, (cat|head)-\\d+: 3 so far, which are not shown")
	tr.cmd.Process.Signal(syscall.SIGINT)
	err := <-tr.done
	t.Log(tr.said())
	if tr.cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v, want status 1", err)
	}
	for _, thief := range thieves {
		thief.Process.Kill()
		thief.Wait()
	}
	tr.says(at, "3 events were read by (cat|head)-\\d+, (cat|head)-\\d+ and not shown", "instances/tsnoop_\\d+ cannot be removed: (cat|head)-\\d+ has its per_cpu/cpu\\d/trace_pipe_raw open")
	if out, err := exec.Command("tsnoop", "clean").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	cleanly(t)
}
