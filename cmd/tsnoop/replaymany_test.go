package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/testdata/recordings"
)

// writeFleet writes recordings of as many hosts, all of one time.
func writeFleet(t testing.TB, files, cpus, pages int, compress bool) (names []string) {
	t.Helper()
	dir := t.TempDir()
	for i := range files {
		m := recordings.Made{
			Host: fmt.Sprint("h", i), Boot: fmt.Sprint("b", i), Compress: compress,
			Start: time.Second, Wall: time.Date(2026, 11, 24, 12, 0, 0, i*1000, time.UTC), Length: time.Hour, Pages: make([][]time.Duration, cpus),
		}
		for page := range pages * cpus {
			m.Pages[page%cpus] = append(m.Pages[page%cpus], time.Duration(page)*(recordings.Span+time.Millisecond))
		}
		names = append(names, filepath.Join(dir, fmt.Sprintf("%03d.dat", i)))
		f, err := os.Create(names[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Write(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return names
}

// TestReplayManyMemory: 200 recordings at once take no more memory than promised: 64 MiB, and 1 MiB
// for each. Each of their calls is a line.
func TestReplayManyMemory(t *testing.T) {
	tsnoop := buildTsnoop(t)
	const files, cpus, pages = 200, 8, 32
	for _, compress := range []bool{false, true} {
		names := writeFleet(t, files, cpus, pages, compress)
		var lines lineCounter
		cmd := exec.Command(tsnoop, append([]string{"replay", "--json"}, names...)...)
		cmd.Stdout = &lines
		lines.status = func() ([]byte, error) { return os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)) }
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		t.Logf("compressed %v: %d lines, %d MiB of memory", compress, lines.n, lines.peak>>10)
		if want := files + files*cpus*pages*recordings.Calls; lines.n != want {
			t.Errorf("%d lines, want %d", lines.n, want)
		}
		if lines.peak == 0 || lines.peak >= (64+files)<<10 {
			t.Errorf("%d KiB of memory, want less than %d MiB", lines.peak, 64+files)
		}
	}
}

// TestReplayManySymbols: an address has the name that it has on its own host, in lines, JSON and
// summaries, also if the next line is of another host.
func TestReplayManySymbols(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i, symbol := range []string{"caller_one", "else_one", "third_one"} {
		c := sample(t, craftedSpecs...)
		c.kallsyms = strings.ReplaceAll(c.kallsyms, "caller_one", symbol)
		c.own = bytes.Replace(c.own, []byte(`"Start":1`), fmt.Appendf(nil, `"Start":%d`, i+1), 1)
		b, err := c.write()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Join(dir, symbol+".dat"))
		if err := os.WriteFile(names[i], b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args []string
		line string
	}{
		{nil, `(?m)^ *\S+ NAME\.dat +0 \S+ +NAME -> ip_rcv`},
		{[]string{"--json"}, `"host":"NAME\.dat",.*"caller":"NAME"`},
		{[]string{"--summary=only", "--by", "host", "--by", "caller"}, `(?m)^ip_rcv +NAME\.dat +NAME +1 `},
	} {
		printed, said := replayedTogether(t, append(tt.args, names...)...)
		for _, name := range []string{"caller_one", "else_one", "third_one"} {
			if re := regexp.MustCompile(strings.ReplaceAll(tt.line, "NAME", name)); len(re.FindAllString(printed, -1)) != 1 {
				t.Errorf("%q: %s is not there once:\n%s%s", tt.args, re, printed, said)
			}
		}
	}
}

// TestReplayManyHostile: the name of a host, which a file may have invented, cannot act on a terminal.
func TestReplayManyHostile(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i, host := range []string{"a\x1b[2J\n", "b\x00\xff\u202e"} {
		m := recordings.Made{Host: host, Boot: host, Start: time.Second, Wall: time.Unix(int64(1e9+i), 0), Pages: [][]time.Duration{{0}}}
		name := filepath.Join(dir, fmt.Sprint(i, ".dat"))
		f, err := os.Create(name)
		if err == nil {
			err = m.Write(f)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	for _, args := range [][]string{nil, {"--json"}, {"--tree"}, {"--group", "task"}, {"--summary", "--by", "host"}, {"-v"}} {
		printed, said := replayedTogether(t, append(args, names...)...)
		calm(t, "printed", printed)
		calm(t, "said", said)
		if !strings.Contains(printed, "vfs_read") {
			t.Errorf("%q: %s%s", args, printed, said)
		}
	}
}

// replayedTogether is what replay prints and says of several recordings.
func replayedTogether(t *testing.T, args ...string) (printed, said string) {
	t.Helper()
	o, err := flags.Parse(append([]string{"replay", "-o", filepath.Join(t.TempDir(), "out")}, args...))
	if err != nil {
		t.Fatal(err)
	}
	printed, said, err = readText(o, func(ui *terminal.UI) error { return runReplay(o, ui) })
	if err != nil {
		t.Errorf("%q: %v", args, err)
	}
	return printed, said
}

// TestReplayManyHead gives the calls of several recordings to a reader that goes away.
func TestReplayManyHead(t *testing.T) {
	names := writeFleet(t, 5, 1, 300, false)
	cmd := exec.Command("tsnoop", append([]string{"replay", "--json"}, names...)...)
	var said bytes.Buffer
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 16)); err != nil {
		t.Error(err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &said)
	}
}
