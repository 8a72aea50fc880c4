//go:build vm

package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// A child of TestTrustKill does nothing but arm, read and disarm.
func init() {
	if os.Getenv("TSNOOP_TRUST_CHILD") == "" {
		return
	}
	err := error(nil)
	for err == nil {
		err = armAndDisarm()
	}
	fmt.Println(err)
	os.Exit(1)
}

// armAndDisarm does in tracefs what a run of tsnoop does there, but has no types to
// load: that would be most of the time.
func armAndDisarm() (err error) {
	fsys, err := tracefs.Find()
	if err != nil {
		return err
	}
	s, err := fsys.NewSession(tracefs.Options{BufferKB: 64, IgnoreSelf: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, p := range []struct {
		kind dynevent.Kind
		line string
	}{
		{dynevent.Kprobe, "seek generic_file_llseek off=$arg2:s64"},
		{dynevent.Kretprobe, "seeked generic_file_llseek"},
		{dynevent.Kprobe, "read vfs_read"},
	} {
		event, place, _ := strings.Cut(p.line, " ")
		if err := s.Define(p.kind.File(), p.kind.Head(s.Group(), event, 8)+" "+place); err != nil {
			return err
		}
	}
	if err := s.SetFilter("seek", "off > 1000"); err != nil {
		return err
	}
	if _, err := s.Formats([]string{"seek", "seeked", "read"}, func(event string) string { return event }); err != nil {
		return err
	}
	if err := s.Enable(context.Background()); err != nil {
		return err
	}
	f, err := s.OpenUnpolledPipe("per_cpu/cpu0/trace_pipe_raw")
	if err != nil {
		return err
	}
	unix.Read(int(f.Fd()), make([]byte, 4096))
	if err := s.Stop(); err != nil {
		return err
	}
	_, err = s.FinalStats()
	return err
}

// TestTrustKill kills runs at random moments of arming, tracing and disarming, several
// at a time: one of them at a certain call into tracefs, the others whenever that was.
// They clean up after each other, and another cleaning leaves tracefs as it was.
func TestTrustKill(t *testing.T) {
	if os.Getenv("TSNOOP_UNDER_FAULTS") == "" {
		others(t)
		before := everything(t)
		underFaults(t)
		endsOf(t)
		before.same(t, everything(t))
		return
	}
	fsys, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	var before tree
	if size(0, 1) == 1 { // else only who has started this looks
		before = nearby(t)
	}
	const at = 3 // a time
	kills, leaks := 0, 0
	for ; kills < size(3, 300) && leaks < 5; kills += at {
		n := 1 + rand.IntN(400)
		after := time.Duration(rand.Int64N(int64(150 * time.Millisecond)))
		order(t, "kill %d -", n)
		children := make([]*armer, at)
		ended := make(chan error, at)
		for i := range children {
			children[i] = startArmer(t, ended)
		}
		select {
		case err := <-ended:
			if err.Error() != "signal: killed" {
				t.Errorf("a child ended: %v", err)
			}
		case <-time.After(patience):
			t.Errorf("call %d has not come", n)
		}
		time.Sleep(after)
		for _, c := range children {
			c.cmd.Process.Kill()
		}
		for range at - 1 {
			<-ended
		}
		for _, c := range children {
			if c.said.Len() > 0 {
				t.Errorf("a child says %s", c.said.Bytes())
			}
		}
		order(t, "none 0 -")
		_, name, path := failedCall(t)
		if removed, err := fsys.Clean(nil); err != nil {
			t.Errorf("cleaning %v: %v", removed, err)
		}
		if left() != "" || before != nil && kills/at%8 == 0 && !before.same(t, nearby(t)) {
			leaks++
			t.Logf("killed at %s %s, and after %v", name, path, after)
		}
	}
	if before != nil && !before.same(t, nearby(t)) {
		leaks++
	}
	figure(t, "kills", kills)
	figure(t, "leaks", leaks)
}

// An armer is a child that arms and disarms until it is killed.
type armer struct {
	cmd  *exec.Cmd
	said bytes.Buffer
}

func startArmer(t *testing.T, ended chan<- error) *armer {
	t.Helper()
	c := &armer{cmd: exec.Command("/proc/self/exe")}
	c.cmd.Env = append(os.Environ(), "TSNOOP_TRUST_CHILD=1")
	c.cmd.Stdout, c.cmd.Stderr = &c.said, &c.said
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- c.cmd.Wait() }()
	return c
}

// endsOf ends tsnoop itself in all ways there are, beside each other: killed at a
// random moment, as by a panic, with a full disk, with a reader that has gone. What
// is left "tsnoop clean" removes, and names.
func endsOf(t *testing.T) {
	t.Helper()
	rounds := size(1, 12)
	for range rounds {
		l := prepare(t, "pid", "@", "burst", "0", "1000000x1-")
		if err := os.WriteFile(l.file+".go", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		run := func(out io.Writer) *exec.Cmd {
			cmd := exec.Command("tsnoop", "-p", l.pid, "generic_file_llseek(offset, return)")
			cmd.Stdout = out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			return cmd
		}
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		gone, closed, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		gone.Close()
		killed, panicked, onFull, onClosed := run(nil), run(nil), run(full), run(closed)
		full.Close()
		closed.Close()
		for _, cmd := range []*exec.Cmd{onFull, onClosed} { // by themselves, once there is a call
			timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
			cmd.Wait()
			timer.Stop()
		}
		if code := onFull.ProcessState.ExitCode(); code != 1 {
			t.Errorf("with a full disk it ends with %v, not status 1", onFull.ProcessState)
		}
		if code := onClosed.ProcessState.ExitCode(); code != 0 {
			t.Errorf("with no reader it ends with %v, not status 0", onClosed.ProcessState)
		}
		time.Sleep(time.Duration(rand.Int64N(int64(time.Second))))
		killed.Process.Kill()
		panicked.Process.Signal(unix.SIGABRT)
		killed.Wait()
		panicked.Wait()
		l.cmd.Process.Kill()
		if out, err := exec.Command("tsnoop", "clean").CombinedOutput(); err != nil {
			t.Errorf("tsnoop clean: %v\n%s", err, out)
		}
		if l := left(); l != "" {
			t.Errorf("left:\n%s", l)
		}
	}
	figure(t, "runs ended by a kill, a panic, a full disk, a closed pipe", 4*rounds)
}
