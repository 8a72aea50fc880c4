//go:build vm

package nocalls_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/tracee"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// TestVMNoCalls: the kernel's counts show why there are no calls. They include all
// tasks: the test's own process calls do_epoll_ctl, the traced program does not.
func TestVMNoCalls(t *testing.T) {
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := host.New(fs)
	plans, err := h.Plan([]string{
		"vfs_read(count) if count == 12345",
		"vfs_write(count, return) if return == -4242",
		"do_sys_openat2(dfd, return) if dfd == 77 && return > -4096",
		"hrtimer_nanosleep(mode, return)",
		"do_epoll_ctl(op)",
		"shmem_rename2()",
	}, host.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", "cat /proc/version >/dev/null; echo; exec sleep 1000 >&-")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	held, err := tracee.Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Kill()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tr, err := trace.Arm(ctx, h, plans, trace.Options{Pids: []int{held.PID()}, Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	var done sync.WaitGroup
	done.Go(func() {
		for c, err := range tr.Calls(ctx) {
			if err != nil {
				t.Error(err)
			} else if !c.Unfinished {
				t.Errorf("a call of %s", tr.Plans[c.Plan].Spec.Text)
			}
		}
	})
	defer done.Wait()
	defer cancel()
	if _, err := held.Run(ctx); err != nil {
		t.Fatal(err)
	}
	out.Read(make([]byte, 1))
	for {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", held.PID()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(stat, []byte("(sleep) S ")) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	said := strings.Join(tr.WhyNoCalls(), "\n")
	want := `^vfs_read has been called \d+ times, tsnoop's own calls counted, but never with count == 12345 in a traced process
vfs_write: \d+ calls? came, and the function has returned (once|\d+ times), but never with return == -4242 in a traced process
do_sys_openat2: \d+ calls came, but never with dfd == 77
hrtimer_nanosleep: 1 call came, but none has returned yet
do_epoll_ctl has been called \d+ times, tsnoop's own calls counted, but never in a traced process
shmem_rename2 has not been called; it is static, so the compiler may have put it into its callers instead$`
	if !regexp.MustCompile(want).MatchString(said) {
		t.Errorf("said is\n%s\nwant\n%s", said, want)
	}
}
