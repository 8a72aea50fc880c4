//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// longTextCases are specs that show a text as b, and perhaps as c from byte 10 on, for
// the writes of "load texts". Of a text longer than the kernel can fetch they show the
// beginning: at least so many bytes, or all that they ask for.
var longTextCases = []struct {
	spec   string
	file   string
	limit  int    // bytes that the spec asks for; 0 for all
	begins string // of the texts that the spec asks for
}{
	{spec: "ksys_write(n=count, b=buf:str[600], return)", limit: 600},
	{spec: `ksys_write(n=count, b=buf:str[20]) if buf ~ "40*"`, limit: 20, begins: "40"},
	{spec: `ksys_write(n=count, b=buf:str[20], return) if !(buf ~ "[0-3]*") && buf != "40" && return >= 0`, limit: 20, begins: "456789"},
	{spec: "ksys_write(n=count, b=(char *)buf, c=(&buf[10]):str, return)"},
	{spec: "sysfs_kf_write(n=count, b=buf:str)", file: "/sys/devices/system/cpu/cpu0/uevent"},
}

// longTextLengths are around every limit: of what is asked for, of the words that a spare
// fetches, of a page and of the kernel's own.
func longTextLengths() (all []int) {
	for _, at := range []int{0, 8, 32, 42, 600, 632, 2040, 4040, 4072, 4095, 8990} {
		all = append(all, max(at-1, 0), at, at+1)
	}
	for n := 3940; n <= 4110; n += 7 {
		all = append(all, n)
	}
	rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// longText is the text that load makes: see texts there.
func longText(n int) string {
	var b strings.Builder
	for i := n; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d.", i)
	}
	return b.String()[:n]
}

// TestVMLongText shows the texts of all lengths, in several ways: every call once, with
// its whole text or its beginning.
func TestVMLongText(t *testing.T) {
	lengths := longTextLengths()
	words := make([]string, len(lengths))
	for i, n := range lengths {
		words[i] = strconv.Itoa(n)
	}
	for i, tt := range longTextCases {
		load := append([]string{"--", "load", "on", "0", "texts", "/dev/null"}, words...)
		if tt.file != "" {
			load[5] = tt.file
		}
		file := filepath.Join(t.TempDir(), "texts.dat")
		ways := [][][]string{{append([]string{"tsnoop", "-t", "none", tt.spec}, load...)}}
		if i == 3 {
			ways = append(ways, [][]string{append([]string{"tsnoop", "record", "-o", file, tt.spec}, load...), {"tsnoop", "replay", "-t", "none", file}},
				[][]string{append([]string{"tsnoop", "-t", "none", "--reader=text", tt.spec}, load...)})
		}
		for _, way := range ways {
			var out []byte
			for _, words := range way {
				cmd := exec.Command(words[0], words[1:]...)
				var said bytes.Buffer
				cmd.Stderr = &said
				var err error
				if out, err = cmd.Output(); err != nil || strings.Contains(said.String(), "missed") {
					t.Errorf("%s: %v\n%s", tt.spec, err, said.Bytes())
				}
			}
			checkLongTexts(t, tt.spec, out, lengths, tt.limit, tt.begins)
		}
	}
}

var longTextLine = regexp.MustCompile(`_write\(n=(\d+), b="([0-9.]*)"(\.\.\.)?(?:, c=(?:"([0-9.]*)"(\.\.\.)?|\((fault): [^)]* too long for an event\)))?\)`)

func checkLongTexts(t *testing.T, spec string, out []byte, lengths []int, limit int, begins string) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	for _, n := range lengths {
		text := longText(n)
		if begins == "40" && !strings.HasPrefix(text, begins) || len(begins) > 2 && text != "" && !strings.Contains(begins, text[:1]) {
			continue
		}
		if len(lines) == 0 {
			t.Errorf("%s: the calls from %d bytes on are missing", spec, n)
			return
		}
		line := lines[0]
		lines = lines[1:]
		m := longTextLine.FindSubmatch(line)
		if m == nil {
			t.Errorf("%s: a call of %d bytes is\n%s", spec, n, line)
			continue
		}
		sysfs := strings.Contains(spec, "sysfs") // it takes a page at a time
		if got, _ := strconv.Atoi(string(m[1])); got != n && !(sysfs && n > 4096 && got == 4096) {
			t.Fatalf("%s: the call of %d bytes is shown as\n%s", spec, n, line)
		}
		if sysfs {
			text = text[:min(len(text), 4096)]
		}
		checkLongText(t, line, text, string(m[2]), len(m[3]) > 0, limit)
		if m[4] != nil && n > 10 {
			checkLongText(t, line, text[10:], string(m[4]), len(m[5]) > 0, limit)
		}
	}
	if len(lines) > 0 && len(lines[0]) > 0 {
		t.Errorf("%s: calls that were not made:\n%s", spec, bytes.Join(lines, []byte("\n")))
	}
}

// checkLongText checks what is shown of a text. cut says that it is marked as its
// beginning.
func checkLongText(t *testing.T, line []byte, text, got string, cut bool, limit int) {
	t.Helper()
	want := text
	if limit > 0 {
		want = text[:min(limit, len(text))]
	}
	const (
		surely = 1900 // bytes that fit even if there are two texts
		least  = 32
	)
	switch {
	case !strings.HasPrefix(want, got), !cut && got != want, cut && got == want:
	case cut && (len(text) < surely || len(got) < least):
	default:
		return
	}
	t.Errorf("of %d bytes this is shown (cut: %v):\n%.300s", len(text), cut, line)
}
