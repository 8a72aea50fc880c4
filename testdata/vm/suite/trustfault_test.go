//go:build vm

package suite

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/sys/unix"
)

// faultLog is where "load fault" writes which call has failed.
const faultLog = "/tmp/fault.log"

// underFaults runs the calling test once more as a program whose calls into tracefs
// can be made to fail: see order. It returns false in that.
func underFaults(t *testing.T) bool {
	t.Helper()
	if os.Getenv("TSNOOP_UNDER_FAULTS") != "" {
		return false
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("load", "fault", faultLog, "none", "0", "-", self, "-test.v", "-test.timeout=100m", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "TSNOOP_UNDER_FAULTS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`trust: (.+) (\d+)\n`).FindAllSubmatch(out, -1) {
		figure(t, string(m[1]), int(parsed(t, m[2])))
	}
	return true
}

// order gives "load fault" an order, and returns how many calls were counted since
// the one before.
func order(t *testing.T, format string, args ...any) int {
	t.Helper()
	n, err := unix.Open(tracing+"/fault:"+fmt.Sprintf(format, args...), unix.O_RDONLY, 0)
	if err != nil {
		t.Fatalf("order: %v", err)
	}
	return n
}

// failedCall is the call that has failed before the last order, "" if none: its number,
// its name and its path.
func failedCall(t *testing.T) (n int, name, path string) {
	t.Helper()
	b, err := os.ReadFile(faultLog)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 4 {
			return int(parsed(t, []byte(f[0]))), f[1], f[2]
		}
	}
	return 0, "", ""
}

// A trial is what became of one run of the engine with a fault in it.
type trial struct {
	calls  int      // that were seen, of three
	armed  bool     // it came to that
	said   []string // warnings
	err    error    // of arming, reading and counting
	undone error    // of taking it back
	mark   int      // how many calls into tracefs were made before that
}

// tryOnce arms, makes three calls, waits for them and takes all back.
func tryOnce(t *testing.T, h *host.Host, text bool) (tr trial) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	plans, err := h.Plan([]string{"generic_file_llseek(offset, return) if offset > 1000 && offset < 1004", "vfs_fsync(file, datasync)"},
		host.PlanOptions{Text: text})
	if err != nil {
		return trial{err: err}
	}
	o := trace.Options{Pids: []int{os.Getpid()}, BufferKB: 64, Text: text, Warn: func(w tracefs.Warning) { tr.said = append(tr.said, w.Text) }}
	if text {
		o.Pids = nil // its own calls are left out: none is seen
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	armed, err := trace.Arm(ctx, h, plans, o)
	if err != nil {
		tr.err = err
		return tr
	}
	tr.armed = true
	if text {
		cancel()
	} else {
		seekThrice(t)
	}
	for _, err := range armed.Calls(ctx) {
		if err != nil {
			tr.err = err
			break
		}
		if tr.calls++; tr.calls == 3 {
			cancel()
		}
	}
	if l := armed.Losses(); tr.err == nil {
		tr.err = l.Err
	}
	tr.mark = order(t, "mark")
	tr.undone = armed.Close()
	return tr
}

// seekThrice makes calls with the offsets 1001 to 1003.
func seekThrice(t *testing.T) {
	t.Helper()
	f, err := os.Open("/sys/kernel/uevent_seqnum")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 3 {
		unix.Seek(int(f.Fd()), int64(1001+i), unix.SEEK_SET)
	}
}

// TestTrustFault lets each call into tracefs go wrong, one in each run of the engine:
// those of arming, of reading and of taking it back. Either the run sees all it
// should, or there is an error that names the file; nothing is left, of a fault while
// it is taken back at the latest after the next cleaning.
func TestTrustFault(t *testing.T) {
	if os.Getenv("TSNOOP_UNDER_FAULTS") == "" {
		others(t)
		before := everything(t)
		underFaults(t)
		before.same(t, everything(t))
		return
	}
	fsys, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := host.New(fsys)
	tryOnce(t, h, false) // what it reads once for all
	f := &faulting{t: t, fsys: fsys, m: h}
	if size(0, 1) == 1 { // else only who has started this looks: each file that is read here is stopped at three times
		f.before = nearby(t)
	}
	runtime.GC()
	for _, text := range []bool{false, true}[:size(1, 2)] {
		f.text = text
		all := f.run("none", 0, "-")
		if all < 50 {
			t.Fatalf("only %d calls into tracefs", all)
		}
		// Half the name of a probe to be removed is that of none: three are defined, and removed.
		for n := 4; !text && atEnds() && n <= 6; n++ {
			f.runOnly("short", n, "@write"+tracing+"/kprobe_events", "-")
		}
		// A lock that was taken though flock failed is waited for forever by who does not
		// release it. The second probe's is the fourth.
		for n := 3; !text && atEnds() && n <= 5; n++ {
			f.runOnly("late", n, "@flock"+tracing+"/kprobe_events", "EIO")
		}
		chosen := rand.IntN(3)
		for i, how := range []struct {
			words, errno string
			few, every   int // so many at random, or at full size every so many of all
		}{
			{"fail", "EIO", 2, 1}, {"fail", "EINTR", 0, 3}, {"fail", "ENOMEM", 0, 3}, {"fail", "EBUSY", 0, 3},
			{"fail", "ENOSPC", 0, 3}, {"fail", "EACCES", 0, 3}, {"fail", "ENOENT", 0, 1}, // which code may well ignore
			{"short", "-", 1, 2}, {"late", "EIO", 1, 2}, {"fail+", "EIO", 1, 2},
		} {
			if text && how.errno != "EIO" {
				continue // it differs in how it reads
			}
			if size(0, 1) == 0 {
				if i > 0 && i%3 != chosen {
					continue // one of the last three
				}
				for range how.few {
					f.run(how.words, 1+rand.IntN(all), how.errno)
				}
				continue
			}
			// Runs differ a little in how many calls they make: until there is none to fail.
			for n := 1 + f.faults%how.every; f.bad < 20 && f.run(how.words, n, how.errno) >= n; n += how.every {
			}
		}
	}
	if f.before != nil && !f.before.same(t, nearby(t)) {
		f.leaks++
	}
	figure(t, "faults injected", f.faults)
	figure(t, "leaks", f.leaks)
}

// faulting makes faults and looks at what becomes of them.
type faulting struct {
	t      *testing.T
	fsys   *tracefs.FS
	m      *host.Host
	before tree
	text   bool
	runs   int
	faults int
	leaks  int
	bad    int
}

// run makes the n-th call go wrong, and returns how many there were.
func (f *faulting) run(how string, n int, errno string) (calls int) {
	f.t.Helper()
	return f.runOnly(how, n, "", errno)
}

// runOnly is run for the n-th of certain calls: "@", its name and its path.
func (f *faulting) runOnly(how string, n int, only, errno string) (calls int) {
	f.t.Helper()
	word, on := strings.CutSuffix(how, "+")
	number := strconv.Itoa(n) + only
	if on {
		number += "+"
	}
	order(f.t, "%s %s %s", word, number, errno)
	hang := time.AfterFunc(4*patience, func() {
		debug.SetTraceback("all")
		panic(fmt.Sprintf("%s %s %s text=%v: no end", how, number, errno, f.text))
	})
	tr := tryOnce(f.t, f.m, f.text)
	hang.Stop()
	calls = order(f.t, "none 0 -")
	failed, name, path := failedCall(f.t)
	what := fmt.Sprintf("%s %s %s text=%v: %s %s", how, number, errno, f.text, name, path)
	if name == "" && word != "none" {
		what = how + " of none"
	} else if word != "none" {
		f.faults++
	}
	if on {
		path = "/" // of all that fail from then on any file may be named
	}
	f.outcome(what, tr, name, path)

	// A change whose undoing fails may be left, but not without a report.
	undoing := tr.armed && failed >= tr.mark || on || word == "late"
	if l := left(); l != "" && !(undoing && (tr.err != nil || tr.undone != nil)) {
		f.wrong("%s\nerr %v\nundone %v\nleft:\n%s", what, tr.err, tr.undone, l)
	}
	f.t.Logf("%s: %d %v %v %q", what, tr.calls, tr.err, tr.undone, tr.said)
	if removed, err := f.fsys.Clean(nil); err != nil {
		f.wrong("%s\ncleaning %v: %v", what, removed, err)
	}
	// To read all of it takes longer than a run.
	if f.runs++; left() != "" || f.before != nil && f.runs%8 == 0 && !f.before.same(f.t, nearby(f.t)) {
		f.leaks++
		f.wrong("%s\nerr %v\nundone %v", what, tr.err, tr.undone)
	}
	return calls
}

var refusal = regexp.MustCompile(`the kernel (refuses|does not permit|cannot probe) `)

// wrong is an error; after too many of them the rest is left out.
func (f *faulting) wrong(format string, args ...any) {
	f.t.Helper()
	f.bad++
	f.t.Errorf(format, args...)
}

// outcome checks that a run saw all it should, or said why not and where.
func (f *faulting) outcome(what string, tr trial, name, path string) {
	f.t.Helper()
	wanted := 3
	if f.text {
		wanted = 0
	}
	said := strings.Join(tr.said, "\n")
	for _, err := range []error{tr.err, tr.undone} {
		if err != nil {
			said += "\n" + err.Error()
		}
	}
	if tr.err == nil && tr.undone == nil && len(tr.said) == 0 {
		if tr.calls != wanted {
			f.wrong("%s\n%d calls are seen, and nothing is said", what, tr.calls)
		}
		return
	}
	if path == "" {
		f.wrong("%s\n%d calls are seen, and it says %s", what, tr.calls, said)
		return
	}
	if tr.err == nil && tr.undone == nil {
		return // a warning says what it costs
	}
	// The kernel's reasons against a definition are reported for the spec.
	if name == "write" && strings.HasSuffix(path, "/kprobe_events") && refusal.MatchString(said) {
		return
	}
	if !strings.Contains(said, filepath.Base(path)) {
		f.wrong("%s\nthe file is not named: %s", what, said)
	}
}
