package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// sampleFile was recorded by trace-cmd.
const sampleFile = "../../tracefs/tracedat/testdata/v7-zstd.trace.dat"

// writeLarge writes a recording of many times the pages of the sample, and
// returns its name and the number of events.
func writeLarge(t testing.TB, times int, h tracedat.Header) (name string, events int) {
	t.Helper()
	f, file := openSample(t)
	defer f.Close()
	h.LongSize, h.PageSize, h.HeaderPage, h.HeaderEvent = file.LongSize, file.PageSize, file.HeaderPage, file.HeaderEvent
	h.Events, h.Cmdlines, h.Clock, h.Uname, h.CPUs = file.Events, file.Cmdlines, file.Clock, file.Uname, 2
	h.Kallsyms, _ = file.Kallsyms()
	var cpus []tracedat.CPUSource
	for i := range file.Buffers[0].CPUs {
		cpu := &file.Buffers[0].CPUs[i]
		var pages []byte
		reader := cpu.Pages()
		for b, err := reader.Next(); err == nil; b, err = reader.Next() {
			pages = append(pages, b...)
			events += times * countEvents(t, file, b)
		}
		source := io.MultiReader(repeated(pages, times)...)
		cpus = append(cpus, tracedat.CPUSource{ID: cpu.ID, Size: int64(times * len(pages)), Pages: source})
	}
	name = filepath.Join(t.TempDir(), "large.dat")
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := tracedat.Write(out, &h, cpus); err != nil {
		t.Fatal(err)
	}
	return name, events
}

func openSample(t testing.TB) (*os.File, *tracedat.File) {
	t.Helper()
	f, file, err := openTrace(sampleFile)
	if err != nil {
		t.Fatal(err)
	}
	return f, file
}

func openTrace(name string) (*os.File, *tracedat.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	file, err := tracedat.Open(f, info.Size())
	return f, file, err
}

func repeated(b []byte, times int) []io.Reader {
	readers := make([]io.Reader, times)
	for i := range readers {
		readers[i] = bytes.NewReader(b)
	}
	return readers
}

// countEvents counts the records of a page that have a format in the file.
func countEvents(t testing.TB, file *tracedat.File, b []byte) (n int) {
	t.Helper()
	var page ringbuf.Page
	if err := page.Reset(ringbuf.Layout{LongSize: file.LongSize}, b); err != nil {
		t.Fatal(err)
	}
	for page.Next() {
		n++
	}
	return n
}

// TestReplayMemory replays files of a million events, four million at full size: every one
// is a line, and memory does not grow with the file.
func TestReplayMemory(t *testing.T) {
	tsnoop, times := buildTsnoop(t), 500
	if os.Getenv("TSNOOP_TRUST") == "full" {
		times = 2000
	}
	for name, h := range map[string]tracedat.Header{
		"version 6": {Version: 6}, "zstd": {Version: 7, Zstd: true},
	} {
		t.Run(name, func(t *testing.T) {
			file, want := writeLarge(t, times, h)
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			var lines lineCounter
			cmd := exec.Command(tsnoop, "replay", file)
			cmd.Stdout, cmd.Stderr = &lines, os.Stderr
			lines.status = func() ([]byte, error) { return os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)) }
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			if lines.n != want {
				t.Errorf("%d lines, want %d", lines.n, want)
			}
			t.Logf("%d events, %d MiB file, %d MiB of memory", want, info.Size()>>20, lines.peak>>10)
			if lines.peak == 0 || lines.peak >= 64<<10 {
				t.Errorf("%d KiB of memory, want less than 64 MiB", lines.peak)
			}
		})
	}
}

// A lineCounter counts the lines that a program writes, and looks at its peak of
// memory now and then: the figure of wait4(2) begins with the peak of the process
// that has started the program.
type lineCounter struct {
	n      int
	writes int
	status func() ([]byte, error) // of the program, proc_pid_status(5); nil for none
	peak   int64                  // KiB
}

func (l *lineCounter) Write(b []byte) (int, error) {
	l.n += bytes.Count(b, []byte("\n"))
	if l.writes++; l.writes%100 == 1 && l.status != nil {
		status, err := l.status()
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) { // it has ended, and its last lines come
			return len(b), nil
		}
		if err != nil {
			return 0, err
		}
		var peak int64
		_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
		fmt.Sscan(string(rest), &peak)
		l.peak = max(l.peak, peak)
	}
	return len(b), nil
}

// TestReplayPrints compares with what trace-cmd report says of the sample.
func TestReplayPrints(t *testing.T) {
	report, err := exec.Command("trace-cmd", "report", sampleFile).Output()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("needs trace-cmd: ", err)
	}
	var want []string
	for line := range strings.Lines(string(report)) {
		// "gop-161 [000] 9.878303: seek: (ffff...) fd=3 off=0 wh=0 comm="gop""
		_, rest, ok := strings.Cut(line, "]")
		head, args, ok2 := strings.Cut(rest, ") ")
		if !ok || !ok2 {
			continue
		}
		words := strings.Fields(head)
		want = append(want, strings.TrimSuffix(words[1], ":")+" "+strings.TrimSpace(args))
	}
	var got []string
	for line := range strings.Lines(replayed(t, sampleFile)) {
		head, args, _ := strings.Cut(strings.TrimSuffix(line, ")\n"), "(")
		words := strings.Fields(head)
		got = append(got, words[len(words)-1]+" "+strings.ReplaceAll(args, ", ", " "))
	}
	if len(got) != len(want) || len(got) < 1000 {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("line %d\ngot  %s\nwant %s", i, got[i], want[i])
		}
	}
}

// replayed is what replay prints.
func replayed(t testing.TB, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "out")
	o, err := flags.Parse(append([]string{"replay", "-o", name}, args...))
	if err == nil {
		err = runReplay(o, terminal.New("tsnoop", o.Color, o.Show.Verbose))
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestReplayHead gives the output to a reader that goes away after one line.
func TestReplayHead(t *testing.T) {
	for _, flags := range [][]string{nil, {"--json"}} {
		file, events := writeLarge(t, 10, tracedat.Header{Version: 6})
		cmd := exec.Command("tsnoop", append([]string{"replay", file}, flags...)...)
		if line := firstLine(t, cmd, func() {}); line == "" {
			t.Errorf("%v: nothing of %d lines", flags, events)
		}
	}
}

// firstLine starts a command, reads one line of its output as "| head -n 1" does,
// and goes away. The command must end by itself, well and without a word.
func firstLine(t *testing.T, cmd *exec.Cmd, started func()) string {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	started()
	line, err := bufio.NewReaderSize(out, 16).ReadString('\n')
	if err != nil {
		t.Errorf("%s: %v", cmd, err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("%s: %v\n%s", cmd, err, said.Bytes())
	}
	return line
}
