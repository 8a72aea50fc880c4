package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/testdata/terminal"
)

// onTerminal runs tsnoop on a terminal of that many columns, stderr too if it is asked
// for, and returns what it shows.
func onTerminal(t *testing.T, columns int, stderr bool, env []string, args ...string) string {
	t.Helper()
	master, slave, err := terminal.Open(columns)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var errors bytes.Buffer
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "tsnoop" // which the test binary is then
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = slave, &errors
	if stderr {
		cmd.Stderr = slave
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	shown, _ := io.ReadAll(master) // its end is an error: EIO
	cmd.Wait()
	if errors.Len() > 0 {
		t.Logf("stderr: %s", &errors)
	}
	return strings.ReplaceAll(string(shown), "\r\n", "\n")
}

// textReplay are the arguments that show what a kernel has printed.
func textReplay(flags ...string) []string {
	types := filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")
	text := filepath.Join("..", "..", "tracefs", "text", "testdata", "6.12", "trace")
	args := append([]string{"replay", "--btf", types, "--kernel", "6.12"}, flags...)
	return append(append(args, text), textSpecs...)
}

// TestTerminal shows one recording on terminals of several widths: see its golden file
// for what users see.
func TestTerminal(t *testing.T) {
	golden := filepath.Join("testdata", "terminal.txtar")
	var got txtar.Archive
	for _, tt := range []struct {
		columns int
		flags   []string
	}{
		{80, nil},
		{200, nil},
		{80, []string{"--tree"}},
		{80, []string{"--group", "task"}},
		{80, []string{"--group", "function", "-t", "none"}},
		{60, []string{"--group", "task", "--tree"}},
		{80, []string{"--color=always"}},
	} {
		flags := append([]string{"--color=never"}, tt.flags...)
		shown := onTerminal(t, tt.columns, true, nil, textReplay(flags...)...)
		for line := range strings.Lines(shown) {
			if w := len([]rune(strings.TrimSuffix(line, "\n"))); w > tt.columns && !strings.Contains(line, "\x1b") {
				t.Errorf("%d columns of %d: %s", w, tt.columns, line)
			}
		}
		if len(tt.flags) == 0 {
			t.Logf("on %d columns:\n%s", tt.columns, shown)
		}
		name := strings.Join(append([]string{strconv.Itoa(tt.columns)}, tt.flags...), " ")
		got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(strings.ReplaceAll(shown, "\x1b", "ESC"))})
	}
	if *update {
		if err := os.WriteFile(golden, txtar.Format(&got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(&got))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestLastLine: what all came to is said last, on a terminal and where that is of interest.
func TestLastLine(t *testing.T) {
	for _, tt := range []struct {
		stderr bool
		flags  []string
		want   string
	}{
		{true, nil, "\ntsnoop: 15 calls, 1 error (1 ENOENT), in 151ms\n"},
		{true, []string{"-o", os.DevNull}, "tsnoop: 15 calls, 1 error (1 ENOENT), in 151ms\n"},
		{true, []string{"-n", "3", "--json"}, "}\ntsnoop: 3 calls, no errors, in 50.3ms\n"},
		{true, []string{"--chain"}, "\ntsnoop: no calls, in 0ns\n"},
		{true, []string{"-n", "1"}, ""},
		{true, []string{"--summary"}, ""},
		{false, nil, ""},
	} {
		shown := onTerminal(t, 100, tt.stderr, nil, textReplay(tt.flags...)...)
		if !strings.HasSuffix(shown, tt.want) || tt.want == "" && strings.Contains(shown, "tsnoop: ") {
			t.Errorf("%v: got %q", tt.flags, shown[max(0, len(shown)-200):])
		}
	}
}

// TestWrapped: notes, errors, hints and the last line are broken at words, and commands to
// copy are not.
func TestWrapped(t *testing.T) {
	types := filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")
	emit := []string{"--emit", "--btf", types, "--arch", "amd64", "--kernel", "6.12"}
	for _, tt := range []struct {
		columns int
		args    []string
		want    string
	}{
		{44, textReplay("-o", os.DevNull), "tsnoop: 15 calls, 1 error (1 ENOENT), in\n        151ms\n"},
		{50, append(emit, "-k", "vfs_read()"), "tsnoop: --kstack works only with a trace: emitted\n        lines run without tsnoop\n"},
		{40, append(emit, "vfs_read(cuonter)"), "vfs_read has no parameter\n      \"cuonter\"\n"},
		{40, append(emit, "vfs_read(cuont)"), "hint: did you mean count? choose a\n      parameter: file, buf, count, pos\n"},
		{60, []string{"@nosuchpreset"}, "hint: choose a preset: @"},
		{60, append(emit, "vfs_read(count:)"), "hint: choose a FORMAT: "},
		{60, append(emit, "vfs_read(file->nosuch)"), "hint: choose a member: "},
		{60, append(emit, "vfs_read(file->nosuch)"), " more\n      (tsnoop info 'struct file')\n"},
		{50, []string{"help", "nosuch"}, "hint: choose from tsnoop help,\n      tsnoop help compare, tsnoop help examples,\n      tsnoop help json, tsnoop help limits,\n      tsnoop help spec\n"},
		{60, []string{"--sort", "nosuch", "vfs_read"}, ""},
		{60, []string{"list", "@"}, ""},
	} {
		shown := onTerminal(t, tt.columns, true, []string{"NO_COLOR=1"}, tt.args...)
		if !strings.Contains(shown, tt.want) {
			t.Errorf("on %d columns: %q", tt.columns, shown)
		}
		for line := range strings.Lines(shown) {
			if line = strings.TrimRight(line, "\r\n"); len(line) > tt.columns && strings.Contains(line, " ") {
				t.Errorf("on %d columns a line of %d: %s", tt.columns, len(line), line)
			}
		}
	}
}

// TestDumb: a terminal that takes no escape sequences gets none.
func TestDumb(t *testing.T) {
	for _, tt := range []struct {
		term string
		want bool
	}{{"dumb", false}, {"xterm", true}} {
		shown := onTerminal(t, 80, true, []string{"TERM=" + tt.term, "NO_COLOR="}, append(textReplay(), "nosuch()")...)
		if got := strings.Contains(shown, "\x1b"); got != tt.want {
			t.Errorf("TERM=%s: %q", tt.term, shown)
		}
	}
}

// TestNoTerminal: what is not for a terminal is as long as it is, whatever is asked for.
func TestNoTerminal(t *testing.T) {
	shown := onTerminal(t, 60, true, nil, textReplay("--json")...)
	if n := strings.Count(shown, "\n"); n != strings.Count(shown, "{\"ts_ns\"")+strings.Count(shown, "tsnoop: ") {
		t.Errorf("lines of JSON are broken:\n%s", shown)
	}
	out := filepath.Join(t.TempDir(), "out")
	onTerminal(t, 60, true, nil, textReplay("-o", out)...)
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := os.ReadFile(filepath.Join("..", "..", "tracefs", "text", "testdata", "6.12", "trace"))
	if err != nil {
		t.Fatal(err)
	}
	if want, _, err := replayText(t, bytes.NewReader(trace), textSpecs); err != nil || string(text) != want {
		t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, string(text)))
	}
}

// TestResize: lines follow a terminal that becomes wider or narrower.
func TestResize(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "tracefs", "text", "testdata", "6.12", "trace"))
	if err != nil {
		t.Fatal(err)
	}
	master, slave, err := terminal.Open(200)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := textReplay("--color=never")
	args[len(args)-len(textSpecs)-1] = "-"
	cmd := exec.Command(self, args...)
	cmd.Args[0] = "tsnoop"
	cmd.Stdout = slave
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, []byte("dd-173"))
	at += bytes.IndexByte(text[at:], '\n') + 1
	stdin.Write(text[:at])
	var shown []byte
	master.SetReadDeadline(time.Now().Add(time.Minute))
	for b := make([]byte, 4096); !bytes.Contains(shown, []byte("\"plain\", count=7) = 6")); {
		n, err := master.Read(b)
		if shown = append(shown, b[:n]...); err != nil {
			t.Fatalf("%v: %q", err, shown)
		}
	}
	if err := terminal.Resize(slave, 60); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	stdin.Write(text[at:])
	stdin.Close()
	rest, _ := io.ReadAll(master)
	cmd.Wait()
	longest := func(b []byte) (most int) {
		for line := range bytes.Lines(b) {
			most = max(most, len(bytes.TrimRight(line, "\r\n")))
		}
		return most
	}
	if before, after := longest(shown), longest(rest); before < 120 || after > 60 || !bytes.Contains(rest, []byte("ENOENT")) {
		t.Errorf("lines of %d columns, then of %d:\n%s%s", before, after, shown, rest)
	}
}
