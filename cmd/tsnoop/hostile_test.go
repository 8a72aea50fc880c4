package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostile is what a word of the command line may be made of.
const hostile = "a\nforged\x1b[2J\xff\u202e\u009b\x07\u2028\x7f\"b"

// TestHostileWords has tsnoop refuse words that end lines and act on terminals, in every
// place that takes one. Its messages about them do not.
func TestHostileWords(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, hostile)
	if err := os.WriteFile(text, []byte(hostile+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	types := filepath.Join("..", "..", "testdata", "btf", "sample.btf")
	lines := [][]string{
		{hostile}, {"-" + hostile}, {"--" + hostile}, {"--" + hostile + "=1"}, {"help", hostile},
		{"trace", hostile + "()"}, {"info", hostile}, {"info", "--btf", types, "struct " + hostile}, {"info", "--btf", types, hostile},
		{"list", hostile}, {"list", "--btf", types, hostile + "*"}, {"list", hostile + ":x"}, {"check", hostile}, {"clean", hostile}, {"record", hostile},
		{"record", "-o", dir + "/no/" + hostile, "vfs_read()"}, {"replay", hostile}, {"replay", text}, {"replay", text, "pkt_rcv()"}, {"replay", "--btf", types, text, "pkt_rcv()"},
		{"replay", "--btf", hostile, text, "pkt_rcv()"}, {"convert", text, hostile}, {"-f", text}, {"-f", hostile},
		{"--emit", "--btf", types, `pkt_rcv(dev->name == "` + hostile + `")`}, {"--emit=shell", "--btf", types, `pkt_rcv(dev->name == "` + hostile + `")`},
		{"--emit=boot", "--btf", types, `pkt_rcv(dev->name == "` + hostile + `")`}, {"--explain", "--btf", types, `pkt_rcv(dev->name == "` + hostile + `")`},
		{"--emit", "--btf", types, `pkt_rcv("` + hostile + `"=pkt)`}, {"--emit", "--btf", text, "pkt_rcv()"}, {"--emit", "--btf", types, "--btf", text, "pkt_rcv()"},
		{"--tracefs", text, "vfs_read()"}, {"--tracefs", text, "check"},
	}
	for _, flag := range []string{
		"--emit", "--pid", "--count", "--duration", "--output", "--time", "--reader", "--buffer", "--pages", "--btf", "--arch", "--kernel", "--tracefs", "--color",
		"--summary", "--interval", "--comm",
	} {
		lines = append(lines, []string{"--tracefs", dir, flag + "=" + hostile, "vfs_read()"})
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tsnoop := filepath.Join(dir, "tsnoop") // what TestMain is called by
	if err := os.Symlink(self, tsnoop); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for _, words := range lines {
		words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(w, "\x00") })
		var out bytes.Buffer
		cmd := exec.Command(tsnoop, words...)
		cmd.Stdout, cmd.Stderr = &out, &out
		cmd.Run()
		if strings.Contains(out.String(), `\x1b`) {
			shown++
		}
		calm(t, strings.Join(words, " "), out.String())
		if strings.Contains(out.String(), "\nforged") {
			t.Errorf("%q: a word has made a line of its own:\n%s", words, out.String())
		}
		if strings.Contains(out.String(), "goroutine ") {
			t.Errorf("%q: %s", words, out.String())
		}
	}
	if shown < len(lines)/2 {
		t.Errorf("%d of %d say which word it was", shown, len(lines))
	}
}
