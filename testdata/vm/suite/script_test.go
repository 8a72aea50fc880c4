//go:build vm

// Package suite tests the program tsnoop on a real kernel, as root of a machine
// that nobody else uses: see test.sh. Programs in PATH are tsnoop and load, which
// is testdata/load.
package suite

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// The scripts look at what is in tracefs, which all share: one at a time.
func init() {
	testing.Init()
	flag.Set("test.parallel", "1")
}

const tracing = "/sys/kernel/tracing"

// patience bounds every wait for a program. It does not measure speed: an emulated
// machine may be a hundred times slower than a real one.
const patience = 2 * time.Minute

// pause is between two looks at what is waited for.
const pause = 20 * time.Millisecond

// TestVM runs the scripts of testdata as root on a real kernel; the file kernels lists on
// which. Besides the commands of testscript they have
//
//	start ARGS...    start tsnoop ARGS and wait until it is armed; @FILE is what FILE holds
//	begin ARGS...    start tsnoop ARGS and do not wait
//	run ARGS...      begin and finish: for a trace of a command, which is cheaper
//	end [SIGNAL]     end it (SIGINT) and check that nothing is left behind
//	signal NAME      send it a signal that does not end it
//	finish           wait until it ends by itself, and check the same
//	crash            kill it with SIGKILL, which leaves everything behind
//	clean            check that there is nothing of tsnoop's in tracefs
//	terminal ARGS... like start, with a terminal for stdout
//	await FILE RE    wait until a line of FILE matches; FILE may be a glob
//	refused FILE ARGS  check that tsnoop ends with status 2 and says what FILE holds, A+B
//	                 what both hold; * is any text
//	write FILE TEXT  write a line to a file below /sys/kernel/tracing; * matches
//	background ARGS  start a program that is killed at the end
//	lines N FILE RE  check that exactly N lines of FILE match
//
// The files out and err contain the output of tsnoop.
func TestVM(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start":      start,
			"begin":      begin,
			"run":        run,
			"end":        end,
			"signal":     sendSignal,
			"finish":     finish,
			"crash":      crash,
			"terminal":   terminal,
			"await":      await,
			"refused":    refused,
			"clean":      func(ts *testscript.TestScript, _ bool, _ []string) { checkClean(ts) },
			"write":      write,
			"background": background,
			"lines":      lines,
		},
		Condition: condition,
	})
}

// condition knows [5.10] and the like, the kernel's version, and [newest]. [arm64] is
// testscript's own.
func condition(cond string) (bool, error) {
	if cond == "newest" {
		return onNewest(), nil
	}
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	return strings.HasPrefix(string(b), cond+"."), err
}

type running struct {
	cmd  *exec.Cmd
	done chan error
}

var current = map[*testscript.TestScript]*running{}

func start(ts *testscript.TestScript, neg bool, args []string) {
	out, err := os.Create(ts.MkAbs("out"))
	ts.Check(err)
	untilArmed(ts, launch(ts, args, out))
}

// begin is start without waiting.
func begin(ts *testscript.TestScript, neg bool, args []string) {
	out, err := os.Create(ts.MkAbs("out"))
	ts.Check(err)
	current[ts] = launch(ts, args, out)
}

// run is begin and finish.
func run(ts *testscript.TestScript, neg bool, args []string) {
	begin(ts, neg, args)
	finish(ts, neg, nil)
}

// untilArmed waits until the trace runs.
func untilArmed(ts *testscript.TestScript, r *running) {
	current[ts] = r
	for deadline := time.Now().Add(patience); !isArmed(r.cmd.Process.Pid); time.Sleep(pause) {
		select {
		case err := <-r.done:
			ts.Fatalf("tsnoop ended before it was armed: %v\n%s", err, ts.ReadFile("err"))
		default:
		}
		if time.Now().After(deadline) {
			ts.Fatalf("tsnoop was not armed in time")
		}
	}
}

func launch(ts *testscript.TestScript, args []string, out *os.File) *running {
	errs, err := os.Create(ts.MkAbs("err"))
	ts.Check(err)
	path, err := exec.LookPath("tsnoop")
	ts.Check(err)
	for i, arg := range args {
		if file, ok := strings.CutPrefix(arg, "@"); ok {
			args[i] = ts.ReadFile(file)
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.Env = append(os.Environ(), "NO_COLOR="+ts.Getenv("NO_COLOR"))
	cmd.Dir = ts.MkAbs(".")
	ts.Check(cmd.Start())
	r := &running{cmd, make(chan error, 1)}
	go func() {
		r.done <- cmd.Wait()
		out.Close()
		errs.Close()
	}()
	ts.Defer(func() { cmd.Process.Kill() })
	return r
}

func (r *running) wait(ts *testscript.TestScript) {
	select {
	case err := <-r.done:
		if err != nil {
			ts.Fatalf("tsnoop: %v\n%s", err, ts.ReadFile("err"))
		}
	case <-time.After(patience):
		ts.Fatalf("tsnoop does not end\n%s", ts.ReadFile("err"))
	}
	ts.Logf("[out]\n%s[err]\n%s", ts.ReadFile("out"), ts.ReadFile("err"))
}

func end(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	sig := syscall.SIGINT
	if len(args) > 0 {
		sig = signals[args[0]]
	}
	r := current[ts]
	if err := r.cmd.Process.Signal(sig); !errors.Is(err, os.ErrProcessDone) {
		ts.Check(err)
	}
	r.wait(ts)
	checkClean(ts)
}

func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(current[ts].cmd.Process.Signal(unix.SignalNum("SIG" + args[0])))
}

func finish(ts *testscript.TestScript, neg bool, args []string) {
	current[ts].wait(ts)
	checkClean(ts)
}

func crash(ts *testscript.TestScript, neg bool, args []string) {
	r := current[ts]
	ts.Check(r.cmd.Process.Kill())
	<-r.done
}

// checkClean fails if anything of tsnoop's is in tracefs.
func checkClean(ts *testscript.TestScript) {
	instances, err := os.ReadDir(filepath.Join(tracing, "instances"))
	ts.Check(err)
	for _, i := range instances {
		if strings.HasPrefix(i.Name(), "tsnoop") {
			ts.Fatalf("the instance %s is left", i.Name())
		}
	}
	for _, file := range []string{"kprobe_events", "dynamic_events"} {
		probes, err := os.ReadFile(filepath.Join(tracing, file))
		ts.Check(err)
		if bytes.Contains(probes, []byte("tsnoop")) {
			ts.Fatalf("probes are left:\n%s", probes)
		}
	}
}

// write appends to files that others' definitions are in, and replaces the rest.
// ofNames matches files of the instances by which tsnoop follows the names of tasks.
var ofNames = regexp.MustCompile(`/tsnoop_\d+_2/`)

func write(ts *testscript.TestScript, neg bool, args []string) {
	flags := os.O_WRONLY
	if strings.HasSuffix(args[0], "_events") {
		flags |= os.O_APPEND
	}
	files, err := filepath.Glob(filepath.Join(tracing, args[0]))
	files = slices.DeleteFunc(files, ofNames.MatchString)
	if err != nil || len(files) != 1 {
		ts.Fatalf("%s is %q, not one file", args[0], files)
	}
	f, err := os.OpenFile(files[0], flags, 0)
	ts.Check(err)
	defer f.Close()
	_, err = f.WriteString(args[1] + "\n")
	ts.Check(err)
}

func background(ts *testscript.TestScript, neg bool, args []string) {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	ts.Check(cmd.Start())
	ts.Defer(func() { cmd.Process.Kill(); cmd.Wait() })
}

// refused compares the whole picture of what is wrong.
func refused(ts *testscript.TestScript, neg bool, args []string) {
	var picture string
	for name := range strings.SplitSeq(args[0], "+") {
		picture += ts.ReadFile(name)
	}
	want := regexp.QuoteMeta(picture)
	re := regexp.MustCompile("^" + strings.ReplaceAll(want, `\*`, ".*") + "$")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "tsnoop", args[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) } // it traces
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	text := slowly.ReplaceAll(said.Bytes(), nil)
	if cmd.ProcessState.ExitCode() != 2 || !re.Match(text) {
		ts.Fatalf("%v, want status 2\n[got]\n%s[want]\n%s", err, text, picture)
	}
	checkClean(ts)
}

// await waits for a line in a file that a program writes.
func await(ts *testscript.TestScript, neg bool, args []string) {
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	for deadline := time.Now().Add(patience); ; time.Sleep(pause) {
		var b []byte
		names, err := filepath.Glob(ts.MkAbs(args[0]))
		for _, name := range names {
			var one []byte
			one, err = os.ReadFile(name)
			b = append(b, one...)
		}
		if re.Match(b) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("no line matches %s: %v\n%s", args[1], err, b)
		}
	}
}

// lines checks how many lines of a file match.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: lines N FILE REGEXP")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	text := ts.ReadFile(args[1])
	re, err := regexp.Compile("(?m)" + args[2])
	ts.Check(err)
	if got := len(re.FindAllString(text, -1)); got != want {
		ts.Fatalf("%d lines match %s, want %d:\n%s", got, args[2], want, text)
	}
}
