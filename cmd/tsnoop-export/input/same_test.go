package input_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A dump is the output that writes all that an output is given.
type dump struct {
	bytes.Buffer
	calls, losses, traces, stacks int
}

func (d *dump) Begin(t *call.Trace) error {
	d.traces++
	d.origin("begin", t.Origin)
	return nil
}

func (d *dump) End(t *call.Trace) error {
	d.origin("end", t.Origin)
	return nil
}

func (d *dump) Close(error) error { return nil }

func (d *dump) origin(what string, o *tracefs.Origin) {
	fmt.Fprintf(d, "%s %s %s %s %s %s %s %q %s", what, o.Host, o.MachineID, o.BootID, o.Kernel, o.Arch, o.Recorder, o.Specs, o.Clock)
	for _, m := range []*tracefs.Moment{o.Began, o.Ended} {
		if m != nil {
			fmt.Fprintf(d, " %d %d %t", m.Wall, m.Trace, m.Synced)
		}
	}
	d.WriteByte('\n')
}

func (d *dump) Call(c *call.Call) error {
	d.calls++
	d.stacks += len(c.Stack)
	fmt.Fprintf(d, "%d %d cpu %d %d/%d %q %s[%s] from %s[%s]", c.Time, c.Wall, c.CPU, c.PID, c.TID, c.Comm, c.Func.Name, c.Func.Module, c.Caller, c.CallerModule)
	all := slices.Concat(c.Args, c.Results)
	if c.Return.Item != nil {
		all = append(all, c.Return)
	}
	for _, v := range all {
		fmt.Fprintf(d, " | %s %q = %s %s", v.Name, v.Type, value(&v.Typed), v.Errno)
	}
	for _, f := range c.Faults {
		fmt.Fprintf(d, " ! %s: %s", f.Name, f.Text)
	}
	fmt.Fprintf(d, " end %t %d %d %t %d %t %t %q\n", c.Ended, c.End, c.EndCPU, c.Timed, c.Duration, c.Orphan, c.Unfinished, c.Stack)
	return nil
}

func value(v *json.Typed) string {
	text := []string{"null", "bool", "int", "uint", "text", "bytes", "tree"}[v.Kind]
	return fmt.Sprintf("%s %d %q %q", text, int64(v.Number), v.Text, v.Label)
}

func (d *dump) Loss(l *call.Loss) error {
	d.losses++
	fmt.Fprintf(d, "loss %d %s %d %d %d %t %t\n", l.Kind, l.Func, l.Time, l.CPU, l.Count, l.Known, l.AtMost)
	if o := l.SwitchedOff; o != nil {
		fmt.Fprintf(d, "  %s %s %s %d %d %d\n", o.Func, o.Module, o.Spec, o.Time, o.Rate, o.Limit)
	}
	if i := l.Interference; i != nil {
		fmt.Fprintf(d, "  %+v\n", *i)
	}
	return nil
}

const top = "../../.."

// tsnoop builds the program whose lines are read.
func tsnoop(t testing.TB) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tsnoop")
	cmd := exec.Command("go", "build", "-o", name, top+"/cmd/tsnoop")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return name
}

// recordings returns all recordings of the tests.
func recordings(t testing.TB) (all []string) {
	t.Helper()
	for _, pattern := range []string{"testdata/recordings/*.dat", "tracefs/tracedat/testdata/*.dat"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil || len(found) == 0 {
			t.Fatal(err, pattern)
		}
		all = append(all, found...)
	}
	return all
}

// dumped returns what a recording is for an output.
func dumped(t testing.TB, name string) *dump {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	var d dump
	if err := input.Recording(context.Background(), f, info.Size(), name, &d, func(tracefs.Warning) {}); err != nil {
		t.Fatal(err)
	}
	return &d
}

// Each recording and the lines of its replay are the same for an output, also with the time of
// day in the lines, with calls in two parts, and with stacks where it has some.
func TestSame(t *testing.T) {
	program := tsnoop(t)
	for _, name := range recordings(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want := dumped(t, name)
			if want.calls == 0 || want.traces != 1 {
				t.Errorf("%d calls of %d traces", want.calls, want.traces)
			}
			ways := [][]string{nil}
			if want.stacks > 0 {
				ways = [][]string{{"--kstack"}}
			}
			if strings.Contains(name, "threads") || strings.Contains(name, "read.trace") {
				ways = append(ways, []string{"-t", "clock"}, []string{"--tree"})
			}
			for _, flags := range ways {
				lines, err := exec.Command(program, append([]string{"replay", "--json", name}, flags...)...).Output()
				if err != nil {
					t.Fatal(err)
				}
				var got dump
				if err := input.Lines(context.Background(), bytes.NewReader(lines), "stdin", &got); err != nil {
					t.Errorf("%q: %v", flags, err)
				}
				if diff := cmp.Diff(strings.Split(want.String(), "\n"), strings.Split(got.String(), "\n")); diff != "" {
					t.Errorf("%q: %s", flags, diff)
				}
			}
		})
	}
}
