//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// bothNames are specs that also have the kernel fetch the name that the task has at the hit.
// Threads that execute a program go through do_close_on_exec between their change of number and
// of name.
var bothNames = []string{
	`do_close_on_exec(c=$comm)`, `wake_up_new_task(c=$comm)`, `__set_task_comm(c=$comm)`, `do_exit(c=$comm)`, `exit_files(c=$comm)`,
	`generic_file_llseek(c=$comm)`, `vmstat_update(c=$comm)`,
}

var bothShown = regexp.MustCompile(`^ *[0-9.]+ +\d+ (.*)-\d+ +(?:\S+ -> )?(\w+)\(c="(.*)"\)$`)

// sameNames checks that each line has the name that the kernel has fetched, or perhaps none. It
// returns how many lines have the name, by function and name, and how many have none.
func (tr *traced) sameNames(unknown bool) (known map[string]int, none int) {
	tr.t.Helper()
	known = map[string]int{}
	tr.lines(func(line []byte) {
		m := bothShown.FindStringSubmatch(string(line))
		switch {
		case m == nil:
			tr.t.Errorf("not understood: %s", line)
		case m[1] == "" && m[3] != "" && unknown:
			none++
		case m[1] != m[3]:
			tr.t.Errorf("a wrong name: %s", line)
		default:
			known[m[2]+" "+m[3]]++
		}
	})
	return known, none
}

// loads runs load with each of these words.
func loads(t *testing.T, all ...string) {
	t.Helper()
	for _, words := range all {
		if out, err := exec.Command("load", strings.Fields(words)...).CombinedOutput(); err != nil {
			t.Errorf("load %s: %v\n%s", words, err, out)
		}
	}
}

// TestVMTaskNames compares the names of tasks that are followed with those that the kernel
// fetches at the same hits: of tasks that live for a moment, are renamed, execute programs from
// their first thread or another one, and have the number of a task before them.
func TestVMTaskNames(t *testing.T) {
	const reused = 200
	old := strings.TrimSpace(output(t, "/proc/sys/kernel/pid_max"))
	mustWrite(t, "/proc/sys/kernel/pid_max", "420")
	t.Cleanup(func() { mustWrite(t, "/proc/sys/kernel/pid_max", old) })
	path, err := exec.LookPath("load")
	if err != nil {
		t.Fatal(err)
	}
	before := prepare(t, "name", "before", "pid", "@", "name", "after", "seek", "1")
	reuse := prepare(t, "reuse", "@", fmt.Sprint(reused))
	tr := startTrace(t, bothNames...)
	asked := regexp.MustCompile(` c_\w+=\$comm`)
	if defined := asked.ReplaceAllString(probes(t), ""); strings.Contains(defined, "$current") || strings.Contains(defined, "$comm") {
		t.Errorf("names are fetched that are not asked for:\n%s", defined)
	}
	before.run()
	reuse.run()
	loads(t, "name prctl seek 1", "thread name other seek 1", "thread name thread exec "+path+" seek 1", "exec "+path+" name exec seek 1", "name a\\x20b seek 1", "names one two three")
	tr.await("a worker", func() bool { return strings.Contains(output(t, tr.out), "vmstat_update(") })
	tr.end()
	known, _ := tr.sameNames(false)
	for _, want := range []string{
		"generic_file_llseek after", "generic_file_llseek prctl", "generic_file_llseek other", "do_close_on_exec thread", "__set_task_comm thread", "generic_file_llseek exec",
		"generic_file_llseek one", "generic_file_llseek two", "generic_file_llseek three", "do_exit after", fmt.Sprintf("generic_file_llseek t%d", reused-1),
	} {
		if known[want] == 0 {
			t.Errorf("no line has %s: %v", want, known)
		}
	}
	if said := tr.said(); said != "" {
		t.Error(said)
	}
	cleanly(t)
}

// TestVMTaskNamesMissing has events about names be lost, and then another program switch them
// off: no line has a wrong name, and names are known again after some were lost.
func TestVMTaskNamesMissing(t *testing.T) {
	const renames = 4000 // the buffer has room for 1,000
	tr := startTrace(t, bothNames...)
	loads(t, "name first seek 1")
	tr.await("the first call", func() bool { return strings.Contains(output(t, tr.out), `generic_file_llseek(c="first")`) })
	tr.stop()
	renameOften(t, renames)
	loads(t, "name unsure seek 1")
	if err := tr.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	said := tr.says(0, "names of tasks are not known for a moment: .*")
	tr.await("names", func() bool {
		loads(t, "name again seek 1")
		return strings.Contains(output(t, tr.out), ` again-`)
	})
	file := filepath.Join(tracing, "instances", fmt.Sprintf("tsnoop_%d_2", tr.cmd.Process.Pid), "events/task/task_rename/enable")
	mustWrite(t, file, "0")
	tr.says(said, "names of tasks are not known any more: another program has used "+file)
	loads(t, "name hidden seek 1")
	tr.await("the last call", func() bool { return strings.Contains(output(t, tr.out), `"hidden"`) })
	tr.end()
	known, none := tr.sameNames(true)
	if known["generic_file_llseek first"] == 0 || known["generic_file_llseek hidden"] > 0 || none == 0 {
		t.Errorf("%d lines without a name, and %v", none, known)
	}
	cleanly(t)
}

// renameOften has a thread give itself names.
func renameOften(t *testing.T, n int) {
	t.Helper()
	done := make(chan error)
	go func() { // the thread ends with the goroutine
		runtime.LockOSThread()
		name := []byte("renamed\x00")
		for i := range n {
			name[0] = byte('a' + i%26)
			if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&name[0])), 0, 0, 0); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatal("it takes too long")
	}
}

// TestVMTaskNamesFetched has options with which names are fetched as ever.
func TestVMTaskNamesFetched(t *testing.T) {
	for _, args := range [][]string{{"--cpu", "0"}, {"--comm", "load"}, {"--reader=text"}} {
		tr := startTrace(t, append(args, seekSpec)...)
		if defined := probes(t); !strings.Contains(defined, "comm") || strings.Contains(defined, "exchange_tids") {
			t.Errorf("%v: no name is fetched: %s", args, defined)
		}
		if _, err := os.Stat(filepath.Join(tracing, "instances", fmt.Sprintf("tsnoop_%d_2", tr.cmd.Process.Pid))); err == nil {
			t.Errorf("%v: there is an instance for names", args)
		}
		tr.end()
	}
}
