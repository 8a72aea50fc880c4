//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// longTextCases are specs that show a text as b, and perhaps as c from byte 10 on, for
// the writes of "load texts". They show the beginning of a text longer than the kernel
// can fetch: at least so many bytes, or all that they ask for.
var longTextCases = []struct {
	spec  string
	limit int               // bytes that the spec asks for; 0 for all
	meets func(string) bool // reports whether a text meets the condition; nil for all
}{
	{spec: "ksys_write(n0=count, b=buf:str[600], return)", limit: 600},
	{spec: `ksys_write(n1=count, b=buf:str[20]) if buf ~ "40*"`, limit: 20,
		meets: func(text string) bool { return strings.HasPrefix(text, "40") }},
	{spec: `ksys_write(n2=count, b=buf:str[20], return) if !(buf ~ "[0-3]*") && buf != "40" && return <= 0`, limit: 20,
		meets: func(text string) bool { return text == "" || text[0] > '3' }},
	{spec: "ksys_write(n3=count, b=(char *)buf, c=(&buf[10]):str, return)"},
	{spec: "sysfs_kf_write(n4=count, b=buf:str)"},
	{spec: "sysfs_kf_write(n5=count, b=buf:str[40], return)", limit: 40},
}

// longTextLengths are around every limit: of what is asked for, of the words that a spare
// fetches, of a page and of the kernel's own.
func longTextLengths() (all []int) {
	for _, at := range []int{0, 8, 32, 42, 600, 632, 2040, 4040, 4072, 4095, 8990} {
		all = append(all, max(at-1, 0), at, at+1)
	}
	for n := 3940 + rand.IntN(20); n <= 4110; n += size(20, 7) {
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
// its whole text or its beginning. They are written to a file of sysfs, which copies them
// into the kernel and then refuses them.
func TestVMLongText(t *testing.T) {
	lengths := longTextLengths()
	var specs []string
	for _, tt := range longTextCases {
		specs = append(specs, tt.spec)
	}
	load := []string{"--", "load", "on", "0", "texts", "/sys/devices/system/cpu/cpu0/uevent"}
	for _, n := range lengths {
		load = append(load, strconv.Itoa(n))
	}
	file := filepath.Join(t.TempDir(), "texts.dat")
	for _, way := range [][][]string{
		{slices.Concat([]string{"tsnoop", "-t", "none"}, specs, load)},
		// Up to 6.6 a line with a long text is too long for the kernel to print, and is
		// lost: calls that other specs have begun meanwhile are given up.
		{slices.Concat([]string{"tsnoop", "-t", "none", "--reader=text"}, specs[:1], load)},
		{slices.Concat([]string{"tsnoop", "record", "-o", file}, specs, load), {"tsnoop", "replay", "-t", "none", file}},
	} {
		var out []byte
		for _, words := range way {
			cmd := exec.Command(words[0], words[1:]...)
			var said bytes.Buffer
			cmd.Stderr = &said
			var err error
			if out, err = cmd.Output(); err != nil || strings.Contains(said.String(), "missed") {
				t.Errorf("%s: %v\n%s", words[:4], err, said.Bytes())
			}
		}
		for i, tt := range longTextCases {
			if !slices.Contains(way[0], tt.spec) {
				continue
			}
			t.Logf("%s: %s", way[0][1:4], tt.spec)
			checkLongTexts(t, i, bytes.Split(out, []byte("\n")), lengths)
		}
	}
}

var longTextLine = regexp.MustCompile(`_write\(n(\d)=(\d+), b="([0-9.]*)"(\.\.\.)?(?:, c=(?:"([0-9.]*)"(\.\.\.)?|\((fault): [^)]* too long for an event\)))?\)`)

// checkLongTexts checks the lines of one case.
func checkLongTexts(t *testing.T, number int, lines [][]byte, lengths []int) {
	t.Helper()
	tt := longTextCases[number]
	lines = slices.DeleteFunc(slices.Clone(lines), func(line []byte) bool {
		return !bytes.Contains(line, fmt.Appendf(nil, "(n%d=", number))
	})
	for _, n := range lengths {
		text := longText(n)
		if strings.HasPrefix(tt.spec, "sysfs") { // it takes a page at a time
			n = min(n, 4096)
			text = text[:n]
		}
		if tt.meets != nil && !tt.meets(text) {
			continue
		}
		if len(lines) == 0 {
			t.Fatalf("the calls from %d bytes on are missing", n)
		}
		line := lines[0]
		lines = lines[1:]
		m := longTextLine.FindSubmatch(line)
		if m == nil || string(m[2]) != strconv.Itoa(n) {
			t.Fatalf("the call of %d bytes is shown as\n%s", n, line)
		}
		checkLongText(t, line, text, string(m[3]), len(m[4]) > 0, tt.limit)
		if m[5] != nil && n > 10 {
			checkLongText(t, line, text[10:], string(m[5]), len(m[6]) > 0, tt.limit)
		}
	}
	if len(lines) > 0 {
		t.Errorf("calls that were not made:\n%s", bytes.Join(lines, []byte("\n")))
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
