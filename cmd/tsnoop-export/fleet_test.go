package main

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// programs is a directory with tsnoop and tsnoop-export.
type programs string

func build(t *testing.T) programs {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir+"/", "../tsnoop", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return programs(dir)
}

// run runs a program and returns its standard output.
func (p programs) run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(filepath.Join(string(p), name), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, stderr.Bytes())
	}
	return out
}

// fleetRecordings returns recordings to export: those of the tests, and those that make
// test-fleet has recorded.
func fleetRecordings(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"../../testdata/recordings/*.dat", os.Getenv("TSNOOP_FLEET_RECORDINGS")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// installed returns where setup.sh has put a program, and skips the test if it has not. Those
// that only make test-fleet builds are used only there.
func installed(t *testing.T, name string) string {
	t.Helper()
	if name != "collector" && os.Getenv("TSNOOP_FLEET") == "" {
		t.Skip("run make test-fleet")
	}
	out, err := exec.Command("../../testdata/fleet/setup.sh", "--where", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	file := strings.TrimSpace(string(out))
	if _, err := os.Stat(file); err != nil {
		t.Skipf("run testdata/fleet/setup.sh %s", name)
	}
	return file
}

// port returns one that is free.
func port(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// A server is a program that runs until stop or the end of the test.
type server struct {
	cmd  *exec.Cmd
	log  bytes.Buffer
	done chan struct{}
}

// serve starts a program and waits until it answers at a URL.
func serve(t *testing.T, url string, file string, args ...string) *server {
	t.Helper()
	s := &server{cmd: exec.Command(file, args...), done: make(chan struct{})}
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = t.TempDir(), &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.done)
		s.cmd.Wait()
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.done
		if t.Failed() {
			t.Logf("%s: %s", file, s.log.Bytes())
		}
	})
	for range 600 {
		if resp, err := http.Get(url); err == nil {
			resp.Body.Close()
			if resp.StatusCode < 500 {
				return s
			}
		}
		select {
		case <-s.done:
			t.Fatalf("%s has ended", file)
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("%s does not answer", file)
	return nil
}

// stop ends the program, which writes what it has.
func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	<-s.done
}
