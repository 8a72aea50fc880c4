package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// replayText shows a text, as replay does.
func replayText(t testing.TB, text io.Reader, specs []string, flags ...string) (printed, said string, _ error) {
	t.Helper()
	o := textOptions(t, filepath.Join(t.TempDir(), "out"), specs, flags...)
	return readText(o, func(ui *terminal.UI) error { return showText(text, "text", o, ui) })
}

// textOptions are those of a replay of text to the file out.
func textOptions(t testing.TB, out string, specs []string, given ...string) *flags.Options {
	t.Helper()
	types := filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")
	o, err := flags.Parse(append([]string{"replay", "-o", out, "--btf", types, "--kernel", "6.12", "text"}, given...))
	if err != nil {
		t.Fatal(err)
	}
	o.Args = append(o.Args, specs...)
	return o
}

// readText returns what show printed and said.
func readText(o *flags.Options, show func(*terminal.UI) error) (printed, said string, _ error) {
	var words bytes.Buffer
	err := show(&terminal.UI{Stdout: io.Discard, Stderr: &words})
	out, _ := os.ReadFile(o.Output)
	return string(out), words.String(), err
}

// textSpecs are what the texts in testdata of package text were recorded of.
var textSpecs = []string{
	"vfs_read(file->f_path.dentry->d_name.name, count, return)",
	"do_sys_openat2(dfd, filename:ustring, return)",
	"ip_rcv(skb->len, dev->name)",
}

// TestReplayText shows what kernels have printed of --emit's lines, with all kinds of
// columns.
func TestReplayText(t *testing.T) {
	for _, kernel := range []string{"5.10", "6.12", "newest", "arm64"} {
		t.Run(kernel, func(t *testing.T) {
			golden := filepath.Join("testdata", "replaytext", kernel+".txtar")
			files, err := filepath.Glob(filepath.Join("..", "..", "tracefs", "text", "testdata", kernel, "trace*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no texts: %v", err)
			}
			var got txtar.Archive
			show := func(file string, flags ...string) {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				printed, said, err := replayText(t, bytes.NewReader(b), textSpecs, flags...)
				if err != nil {
					said += fmt.Sprintf("error: %v\n", err)
				}
				name := strings.Join(append([]string{filepath.Base(file)}, flags...), " ")
				got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(said + printed)})
			}
			for _, file := range files {
				show(file)
			}
			for _, flags := range [][]string{{"--json"}, {"--tree"}, {"--summary=only"}} {
				show(files[0], flags...)
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
		})
	}
}

// FuzzReplayText shows texts that anybody may have made: whatever is in them, tsnoop
// ends with a line or an error, and writes nothing that acts on a terminal.
func FuzzReplayText(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("..", "..", "tracefs", "text", "testdata", "*", "trace*"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no texts: %v", err)
	}
	for i, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, byte(i))
	}
	ways := [][]string{nil, {"--json"}, {"--tree"}, {"--chain"}, {"--summary"}, {"--summary=only", "--json"}, {"-v", "-t", "delta"}}
	options, plans := make([]*flags.Options, len(ways)), make([][]*plan.Plan, len(ways)) // these take longer than all else
	for i, given := range ways {
		options[i] = textOptions(f, "-", textSpecs, given...)
		if plans[i], err = target.LinePlans(options[i], textSpecs); err != nil {
			f.Fatal(err)
		}
	}
	out, in := captureStdout(f), bufio.NewReaderSize(nil, 64<<10) // as replay has it
	badinput.Fuzz(f, func(t *testing.T, text []byte, way byte) {
		i := int(way) % len(ways)
		o := *options[i]
		in.Reset(bytes.NewReader(text[:min(len(text), 64<<10)]))
		printed, said, err := out.of(t, func(ui *terminal.UI) error {
			return showTextOf(in, "text", plans[i], &o, ui)
		})
		calm(t, "printed", printed)
		calm(t, "said", said)
		calmError(t, err)
	})
}

// calmError checks that an error, as it is reported, cannot act on a terminal.
func calmError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		var b bytes.Buffer
		(&terminal.UI{Stdout: io.Discard, Stderr: &b}).Report(err)
		calm(t, "error", b.String())
	}
}

// A captured is a file in place of stdout, for what many runs print one after the other.
type captured struct{ file *os.File }

func captureStdout(f *testing.F) *captured {
	file, err := os.Create(filepath.Join(f.TempDir(), "stdout"))
	if err != nil {
		f.Fatal(err)
	}
	stdout, asked := os.Stdout, make(chan os.Signal, 1)
	os.Stdout = file
	signal.Notify(asked, syscall.SIGUSR1) // summaries do so, which is cheap if it is not the first time
	f.Cleanup(func() {
		os.Stdout = stdout
		signal.Stop(asked)
		file.Close()
	})
	return &captured{file}
}

// of returns what show printed and said.
func (c *captured) of(t testing.TB, show func(*terminal.UI) error) (printed, said string, _ error) {
	t.Helper()
	if _, err := c.file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	var words bytes.Buffer
	shown := show(&terminal.UI{Stdout: io.Discard, Stderr: &words})
	n, err := c.file.Seek(0, io.SeekCurrent)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, n)
	if _, err := c.file.ReadAt(out, 0); err != nil {
		t.Fatal(err)
	}
	return string(out), words.String(), shown
}
