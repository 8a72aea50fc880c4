package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

const top = "../.."

// TestContributing makes each addition that CONTRIBUTING.md describes, and uses it.
func TestContributing(t *testing.T) {
	changes, err := filepath.Glob("testdata/contributing/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range changes {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			change(t, texts, f)
		}
	}
	program, export := build(t, texts, "."), build(t, texts, "../tsnoop-export")
	const recording = top + "/testdata/recordings/sample.dat"
	const corners = top + "/testdata/btf/corners.btf"
	line := filepath.Join(t.TempDir(), "pasted")
	os.WriteFile(line, []byte("ls-1 [000] ..... 10.000001: take_bits: (take_bits+0x0/0x20) b={0x1,0x2} b_ptr=0xffff888003d2e000\n"), 0o644)
	types := []string{"--btf", top + "/testdata/btf/linux-6.12-amd64.btf", "--kernel", "6.12"}
	if out, err := exec.Command(export, "count", recording).CombinedOutput(); err != nil || !strings.Contains(string(out), "2 calls\n") {
		t.Errorf("export: %v: %s", err, out)
	}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"format", []string{"replay", recording, "ip_rcv(skb->len:o32)"}, "ip_rcv(skb->len=07)"},
		{"decoder", []string{"replay", recording, "ip_rcv(skb->len:milli)"}, "ip_rcv(skb->len=0.007)"},
		{"sink", []string{"replay", "--tsv", recording}, "time\ttask\tfunction\n"},
		{"architecture", append(types, "--arch", "riscv64", "--emit", "ip_rcv(skb->len, %tp)"), "tp=%tp:x64"},
		{"encoding", []string{"replay", "--btf", corners, "--kernel", "6.12", "--arch", "amd64", line, "take_bits(b:ts)"}, "take_bits(b=1.000000002s)"},
		{"source", append(types, "--arch", "amd64", "--emit", "fprobe:ip_rcv(skb->len)"), "f:tsnoop/ip_rcv ip_rcv skb_len="},
		{"option", []string{"replay", "-t", "clock", "--zone", "+05:30", recording}, "05:30:00.001000 "},
		{"preset", []string{"list", "@"}, "@lseeks"},
	} {
		out, err := exec.Command(program, c.args...).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v: %s, want %q", c.name, err, out, c.want)
		}
	}
}

// change takes a file of an archive over into texts: a new one as it is, else what is added (+)
// after a line that there is once, at the end if none is named, or instead of one that goes
// (-).
func change(t *testing.T, texts map[string]string, f txtar.File) {
	t.Helper()
	old, err := os.ReadFile(filepath.Join(top, f.Name))
	if err != nil {
		texts[f.Name] = string(f.Data)
		return
	}
	text, known := texts[f.Name]
	if !known {
		text = string(old)
	}
	at := len(text)
	for line := range strings.Lines(string(f.Data)) {
		sign, line := line[0], line[1:]
		if sign == '+' {
			text, at = text[:at]+line+text[at:], at+len(line)
			continue
		}
		if strings.Count(text, line) != 1 {
			t.Fatalf("%s has %d of %q", f.Name, strings.Count(text, line), line)
		}
		if at = strings.Index(text, line); sign == '-' {
			text = text[:at] + text[at+len(line):]
		} else {
			at += len(line)
		}
	}
	texts[f.Name] = text
}

// build makes a command as if these files were there.
func build(t *testing.T, texts map[string]string, command string) (program string) {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for name, text := range texts {
		instead := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(instead, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		path, err := filepath.Abs(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = instead
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "overlay"), overlay, 0o644)
	program = filepath.Join(dir, "tsnoop")
	cmd := exec.Command("go", "build", "-trimpath", "-overlay", filepath.Join(dir, "overlay"), "-o", program, command)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// TestContributingMap looks for each package in the map of CONTRIBUTING.md.
func TestContributingMap(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range mayImport {
		if n := bytes.Count(text, []byte("]("+pkg+")")); n == 0 {
			t.Errorf("the package %s is not in CONTRIBUTING.md", pkg)
		}
	}
}

// TestContributingNames looks for each file that CONTRIBUTING.md names, and in it for
// what is said to be there: `name` in [file](file).
func TestContributingNames(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?:\x60([^\x60]+)\x60\s+in\s+)?\[[^\]]*\]\(([^):]+)\)`).FindAllSubmatch(text, -1) {
		name, file := m[1], string(m[2])
		if info, err := os.Stat(filepath.Join(top, file)); err != nil || info.IsDir() {
			if err != nil || name != nil {
				t.Errorf("%s: %v", file, err)
			}
			continue
		}
		b, err := os.ReadFile(filepath.Join(top, file))
		if err != nil || !bytes.Contains(b, name) {
			t.Errorf("%s has no %q: %v", file, name, err)
		}
	}
	for _, m := range regexp.MustCompile(`make (\w+)`).FindAllSubmatch(text, -1) {
		makefile, _ := os.ReadFile(filepath.Join(top, "Makefile"))
		if !bytes.Contains(makefile, []byte("\n"+string(m[1])+":")) {
			t.Errorf("there is no make %s", m[1])
		}
	}
}
