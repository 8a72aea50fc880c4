//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A hitShape is what is traced of the calls that a program makes: so many values of
// generic_file_llseek, with what it returns or without, one value of so many functions, each
// of which is called once for each call of generic_file_llseek, or a dump.
type hitShape struct {
	what              string
	n                 int
	values, functions int
	pair              bool
	dump              string
}

var hitShapes = []hitShape{
	{"values", 1, 1, 1, false, ""}, {"values", 2, 2, 1, false, ""}, {"values", 4, 4, 1, false, ""}, {"values", 8, 8, 1, false, ""},
	{"values of pairs", 1, 1, 1, true, ""}, {"values of pairs", 2, 2, 1, true, ""}, {"values of pairs", 4, 4, 1, true, ""}, {"values of pairs", 8, 8, 1, true, ""},
	{"probes", 1, 1, 1, false, ""}, {"probes", 2, 1, 2, false, ""}, {"probes", 4, 1, 4, false, ""},
	{"dump of a file", 1, 0, 1, false, "*file"}, {"dump of an inode", 1, 0, 1, false, "*file->f_inode"},
}

var hitFunctions = []string{"generic_file_llseek", "ksys_lseek", "generic_file_llseek_size", "__x64_sys_lseek"}

// hitValues are those of generic_file_llseek, as tsnoop and bpftrace name them.
var hitValues = [][2]string{
	{"offset", "arg1"},
	{"whence", "arg2"},
	{"file->f_flags", "((struct file *)arg0)->f_flags"},
	{"file->f_mode", "((struct file *)arg0)->f_mode"},
	{"file->f_pos", "((struct file *)arg0)->f_pos"},
	{"file->f_inode->i_ino", "((struct file *)arg0)->f_inode->i_ino"},
	{"file->f_inode->i_mode", "((struct file *)arg0)->f_inode->i_mode"},
	{"file->f_inode->i_size", "((struct file *)arg0)->f_inode->i_size"},
}

// A hitTool runs something while it traces the shape of a process, and returns how many
// calls it has seen.
type hitTool struct {
	name string
	run  func(t *testing.T, s hitShape, pid string, load func()) int
}

var hitTools = []hitTool{{"by hand", hitByHand}, {"tsnoop", hitByTsnoop}, {"bpftrace", hitByBpftrace}}

// TestBenchHit compares what a traced call costs the program that makes it, by its CPU time
// with and without a tool, for more and more values and probes. All run on one CPU. Nobody
// reads meanwhile, for the program would pay for what wakes a reader now and then: the tools are
// stopped, and print each call afterwards. hit.gp draws the table.
func TestBenchHit(t *testing.T) {
	const calls = 20_000
	onOneCPU(t)
	base := seeking(t, calls, nil)
	base = min(base, seeking(t, calls, nil)) // the first is slower than those after it
	fmt.Printf("us a call of %d, each %.2f us without a tool; in brackets the ratio to by hand\n", calls, micros(base)/calls)
	for _, s := range hitShapes {
		row, hand := fmt.Sprintf("%d %s", s.n, s.what), 0.0
		t.Run(row, func(t *testing.T) {
			for i, tool := range hitTools {
				t.Run(tool.name, func(t *testing.T) {
					us := micros(seeking(t, calls, func(pid string, load func()) {
						if got, want := tool.run(t, s, pid, load), calls*s.functions; got != want {
							t.Errorf("%d events, want %d", got, want)
						}
					})-base) / calls
					if i == 0 {
						hand = us
					}
					row += fmt.Sprintf("\t%s %.3f (%.2f)", tool.name, us, us/hand)
				})
			}
			fmt.Println(row)
		})
	}
}

// seeking is the CPU time that so many calls take, traced if trace is not nil.
func seeking(t *testing.T, calls int, trace func(pid string, load func())) time.Duration {
	t.Helper()
	used := filepath.Join(t.TempDir(), "used")
	l := prepare(t, "pid", "@", "used", used, "burst", "0", strconv.Itoa(calls))
	if trace == nil {
		l.run()
	} else {
		trace(l.pid, l.run)
	}
	return durationIn(t, used)
}

// specs are what tsnoop is given.
func (s hitShape) specs() (specs []string) {
	if s.functions > 1 {
		for _, f := range hitFunctions[:s.functions] {
			specs = append(specs, fmt.Sprintf("%s(%s)", f, hitFirst(f)))
		}
		return specs
	}
	if s.dump != "" {
		return []string{hitFunctions[0] + "(" + s.dump + ")"}
	}
	var values []string
	for _, v := range hitValues[:s.values] {
		values = append(values, v[0])
	}
	if s.pair {
		values = append(values, "return")
	}
	return []string{hitFunctions[0] + "(" + strings.Join(values, ", ") + ")"}
}

// hitFirst is a value of a function that needs no memory to be read.
func hitFirst(function string) string {
	if function == "__x64_sys_lseek" {
		return "regs"
	}
	return "offset"
}

// hitByHand has the lines that one would write who wants these values and nothing else.
func hitByHand(t *testing.T, s hitShape, pid string, load func()) int {
	const buffer = 32 << 10 // KiB
	var lines []string
	for _, spec := range s.specs() {
		function, values, _ := strings.Cut(strings.TrimSuffix(spec, ")"), "(")
		line := "p:peer/" + function + " " + function
		for _, value := range strings.Split(values, ", ") {
			if value == "return" {
				lines = append(lines, "r:peer/"+function+"__return "+function+" return=$retval:s64")
				continue
			}
			words := strings.Fields(emitted(t, []string{function + "(" + value + ")"})[0])[2:]
			if s.dump != "" {
				words = slices.DeleteFunc(words, func(w string) bool { return !strings.HasSuffix(w, "]") })
			} else {
				words = words[:1] // those after it tell its faults
			}
			line += " " + strings.Join(words, " ")
		}
		lines = append(lines, line)
	}
	seen := 0
	t.Run("", func(t *testing.T) { // to take the peer down
		p := newPeerOf(t, pid, buffer, lines...)
		p.write("trace_clock", "mono") // as tsnoop has it
		load()
		seen = int(p.stats().Entries)
	})
	if s.pair {
		seen /= 2
	}
	return seen
}

func hitByTsnoop(t *testing.T, s hitShape, pid string, load func()) (seen int) {
	tr := startTrace(t, append([]string{"-b", "32M", "--compact", "-p", pid}, s.specs()...)...)
	whileStopped(t, tr.cmd, load)
	tr.end()
	if said := tr.said(); said != "" {
		t.Error(said)
	}
	tr.lines(func(line []byte) {
		if bytes.Contains(line, []byte(" -> ")) { // and not one of a dump
			seen++
		}
	})
	return seen
}

func hitByBpftrace(t *testing.T, s hitShape, pid string, load func()) int {
	if _, err := exec.LookPath("bpftrace"); err != nil {
		t.Skip("bpftrace is not in this virtual machine")
	}
	if s.dump != "" {
		t.Skip("bpftrace shows a few members of a dump: see TestBenchDump")
	}
	var program string
	for _, f := range hitFunctions[:s.functions] {
		format, args := "call", ""
		for _, v := range hitValues[:s.values] {
			format += " %d"
			args += ", " + v[1]
		}
		program += fmt.Sprintf(`kprobe:%s /pid == %s/ { printf("%s\n"%s) } `, f, pid, format, args)
		if s.pair {
			program += fmt.Sprintf(`kretprobe:%s /pid == %s/ { printf("return %%d\n", retval) } `, f, pid)
		}
	}
	t.Setenv("BPFTRACE_PERF_RB_PAGES", "4096")
	cmd, out, end := startTool(t, []string{"bpftrace", "-e", program}, hitFunctions[:s.functions]...)
	whileStopped(t, cmd, load)
	untilQuiet(t, out)
	end()
	return linesWith(t, out.Name(), "call")
}

// whileStopped calls f while a program is stopped.
func whileStopped(t *testing.T, cmd *exec.Cmd, f func()) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Signal(syscall.SIGCONT)
	for deadline := time.Now().Add(patience); !stopped(cmd.Process.Pid); time.Sleep(pause) {
		if time.Now().After(deadline) {
			t.Fatal("it does not stop")
		}
	}
	f()
}
