package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// built returns the program as users have it, whatever the tests are built with.
func built(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// writeCalls writes lines of calls, each one of the next function, until it cannot.
func writeCalls(w io.Writer, calls, functions int) error {
	var b bytes.Buffer
	for i := range calls {
		fmt.Fprintf(&b, `{"ts_ns":%d,"cpu":0,"pid":1,"tid":7,"comm":"a","func":"f%d","args":[{"name":"x","type":"int","value":%d},{"name":"name","type":"char *","value":"/tmp/%0200d"}]}`+"\n", i, i%functions, i, i*7919%1000003)
		if b.Len() > 1<<16 || i == calls-1 {
			if _, err := w.Write(b.Bytes()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	return nil
}

// found returns the files below a directory whose names end so.
func found(t *testing.T, dir, end string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, end) {
			all = append(all, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed just now
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestParquet(t *testing.T) {
	program := built(t)
	t.Run("killed", func(t *testing.T) { testKilled(t, program) })
	t.Run("full", func(t *testing.T) { testFull(t, program) })
	t.Run("memory", func(t *testing.T) { testMemory(t, program) })
}

// An export to Parquet that is killed, or interrupted twice while it reads a pipe, leaves no file
// that *.parquet matches, and no directory with the name.
func testKilled(t *testing.T, program string) {
	for _, signals := range [][]os.Signal{{syscall.SIGKILL}, {syscall.SIGINT, syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGINT}} {
		dir := t.TempDir()
		cmd := exec.Command(program, "parquet", "--out", "calls")
		cmd.Dir = dir
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		said, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go writeCalls(in, 1<<30, 1)
		for end := time.Now().Add(2 * time.Minute); len(found(t, dir, ".parquet.partial")) == 0; {
			if time.Now().After(end) {
				t.Fatal("no file is being written")
			}
			time.Sleep(10 * time.Millisecond)
		}
		messages := bufio.NewReader(said)
		var stderr string
		for _, s := range signals {
			cmd.Process.Signal(s)
			stderr, _ = messages.ReadString('\n') // it has heeded this one
		}
		if err := cmd.Wait(); err == nil {
			t.Errorf("%v: it has succeeded", signals)
		}
		if all := found(t, dir, ".parquet"); len(all) > 0 {
			t.Errorf("%v: there is %q", signals, all)
		}
		if _, err := os.Stat(dir + "/calls"); err == nil {
			t.Errorf("%v: there is the directory", signals)
		}
		if signals[0] == syscall.SIGKILL {
			continue
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || !strings.Contains(stderr, "interrupted: what was written is not whole") {
			t.Errorf("%v: %q are left, and %q was reported", signals, left, stderr)
		}
	}
}

// A full disk is reported, and what was written is removed.
func testFull(t *testing.T, program string) {
	dir := t.TempDir()
	in, err := os.Create(filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := writeCalls(in, 30_000, 3); err != nil {
		t.Fatal(err)
	}
	script := `mount -t tmpfs -o size=100k none "$1" || exit 77; cd "$1"; "$2" parquet --out calls "$3"; echo "status $?"; find .`
	args := []string{"-m", "sh", "-c", script, "sh", dir, program, in.Name()}
	if os.Geteuid() != 0 {
		args = append([]string{"-r"}, args...)
	}
	out, err := exec.Command("unshare", args...).CombinedOutput()
	var status *exec.ExitError
	if errors.As(err, &status) && !strings.Contains(string(out), "status") {
		t.Skipf("no file system can be mounted here: %s", out)
	}
	if err != nil || !strings.Contains(string(out), "no space left on device") || !strings.HasSuffix(string(out), "status 1\n.\n") {
		t.Errorf("%v: %s", err, out)
	}
}

// The memory of an export to Parquet does not grow with the calls, or the functions.
func testMemory(t *testing.T, program string) {
	const most = 128 << 20
	for _, functions := range []int{1, 1000} {
		dir := t.TempDir()
		cmd := exec.Command(program, "parquet", "--out", dir)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		const calls = 120_000
		err = writeCalls(in, calls, functions)
		in.Close()
		if err := errors.Join(err, cmd.Wait()); err != nil {
			t.Fatalf("%v: %s", err, stderr.String())
		}
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		t.Logf("%d functions: %d bytes at most", functions, peak)
		if peak > most {
			t.Errorf("%d functions: %d bytes, more than %d", functions, peak, most)
		}
		if all := found(t, dir, ".parquet"); len(all) != functions+1 {
			t.Errorf("%d files of %d functions", len(all), functions)
		}
	}
}
