//go:build vm

package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
)

// TestVMRecordProgress: on a terminal a recording says how far it is, on one line
// that it wipes out in the end.
func TestVMRecordProgress(t *testing.T) {
	master, slave, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	var mu sync.Mutex
	var said []byte
	read := make(chan bool)
	go func() {
		defer close(read)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			mu.Lock()
			said = append(said, b[:n]...)
			mu.Unlock()
			if err != nil { // when nobody has the other end any more
				return
			}
		}
	}()
	tr := &traced{t: t, err: os.DevNull, done: make(chan error, 1)}
	tr.cmd = exec.Command("tsnoop", "record", "-o", filepath.Join(t.TempDir(), "t.dat"), "generic_file_llseek(offset)")
	tr.cmd.Stderr = slave
	if err := tr.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	go func() { tr.done <- tr.cmd.Wait() }()
	t.Cleanup(func() { tr.cmd.Process.Kill() })
	tr.awaitArmed()
	if err := exec.Command("load", "seek", "1", "2", "3").Run(); err != nil {
		t.Fatal(err)
	}
	progress := regexp.MustCompile(`tsnoop: ([3-9]|\d\d+) events, \d+ KiB, 0 lost`)
	tr.await("the progress", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return progress.Match(said)
	})
	if err := tr.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := <-tr.done; err != nil {
		t.Errorf("tsnoop: %v", err)
	}
	<-read
	if end := regexp.MustCompile(`lost\r\x1b\[K.*t\.dat: \d+ events, \d+ KiB, 0 lost\r\n$`); !end.Match(said) {
		t.Errorf("it said %q", said)
	}
}
