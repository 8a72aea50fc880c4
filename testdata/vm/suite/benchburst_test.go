//go:build vm

package suite

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A burstTool prints each call of generic_file_llseek that a thread makes.
type burstTool struct {
	name string
	args func(pid, tid string) []string
	mark string // is printed once for a call
}

var burstTools = []burstTool{
	{"tsnoop", func(pid, tid string) []string {
		return []string{"tsnoop", "-p", pid, "generic_file_llseek(file, offset, whence)"}
	}, "generic_file_llseek("},
	{"bpftrace", func(pid, tid string) []string {
		return []string{"bpftrace", "-e", "kprobe:generic_file_llseek /pid == " + pid + `/ { printf("call %d %d %d\n", arg0, arg1, arg2) }`}
	}, "call "},
	// ksnoop prints all of what file points at. Without that it has less to do. Version
	// 0.26 prints nothing where functions begin with endbr64 (6.12 and newest): it
	// looks a probe up by its address, which is then 4 bytes further.
	{"ksnoop", func(pid, tid string) []string {
		return []string{"ksnoop", "-p", tid, "generic_file_llseek(file, offset, whence)"}
	}, "generic_file_llseek("},
	{"ksnoop, two arguments", func(pid, tid string) []string {
		return []string{"ksnoop", "-p", tid, "generic_file_llseek(offset, whence)"}
	}, "generic_file_llseek("},
}

// TestBenchBurst makes 200,000 calls as fast as a program can and reports how many of
// them each tool prints, with its default buffers, into a file.
func TestBenchBurst(t *testing.T) {
	const calls = 200_000
	fmt.Printf("%-22s %10s of %d calls\n", "", "printed", calls)
	for _, tool := range burstTools {
		t.Run(tool.name, func(t *testing.T) {
			printed := tool.burst(t, calls)
			remark := ""
			if printed == 0 {
				remark = "  it prints nothing at all on this kernel"
			}
			fmt.Printf("%-22s %10d  %5.1f %%%s\n", tool.name, printed, 100*float64(printed)/calls, remark)
		})
	}
}

// burst returns how many of the calls were printed.
func (tool burstTool) burst(t *testing.T, calls int) int {
	t.Helper()
	l := prepare(t, "name", "burst", "pid", "@", "burst", "0", strconv.Itoa(calls))
	args := tool.args(l.pid, threadNamed(t, l.pid, "burst"))
	if _, err := exec.LookPath(args[0]); err != nil {
		t.Skipf("%s is not in this virtual machine", args[0])
	}
	_, out, end := startTool(t, args, "generic_file_llseek")
	l.run()
	untilQuiet(t, out)
	end()
	return linesWith(t, out.Name(), tool.mark)
}

// startTool starts a program that prints into a file, and waits until it has probes on
// functions. A test of one that does not work here is skipped.
func startTool(t *testing.T, args []string, functions ...string) (cmd *exec.Cmd, out *os.File, end func()) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	cmd = exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	for _, f := range functions {
		if err := untilProbed(f, done); err != nil {
			said, _ := os.ReadFile(out.Name())
			t.Skipf("%s does not work here: %v\n%s", args[0], err, said)
		}
	}
	return cmd, out, func() {
		cmd.Process.Signal(syscall.SIGINT)
		<-done
	}
}

// threadNamed returns the id of the process's thread of that name: for ksnoop a
// pid is a thread.
func threadNamed(t *testing.T, pid, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("/proc", pid, "task/*/comm"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if comm, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(comm)) == name {
			return filepath.Base(filepath.Dir(file))
		}
	}
	t.Fatalf("process %s has no thread %s", pid, name)
	return ""
}

// untilProbed waits until the kernel has a probe on a function, and then a while:
// a BPF program is attached to a probe that is there already.
func untilProbed(function string, done chan error) error {
	armed := regexp.MustCompile(`(?m) ` + function + `\+0x[0-9a-f]+ (.*)$`)
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		list, err := os.ReadFile("/sys/kernel/debug/kprobes/list")
		if err != nil {
			return err
		}
		if m := armed.FindSubmatch(list); m != nil && !bytes.Contains(m[1], []byte("[DISABLED]")) {
			time.Sleep(2 * time.Second)
			return nil
		}
		select {
		case err := <-done:
			return fmt.Errorf("it has ended: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			return errors.New("it sets no probe")
		}
	}
}

// untilQuiet waits until nothing has been written for a while.
func untilQuiet(t *testing.T, f *os.File) {
	t.Helper()
	for size := int64(-1); ; time.Sleep(2 * time.Second) {
		st, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if st.Size() == size {
			return
		}
		size = st.Size()
	}
}

func linesWith(t *testing.T, name, mark string) (n int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if bytes.Contains(s.Bytes(), []byte(mark)) {
			n++
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}
