//go:build vm

package suite

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/tsnoop/tsnoop/render"
)

// A forgery is a call of "load forge": see there.
type forgery struct {
	DFD        int
	Comm, Name []byte
}

// longest is how many bytes a text can surely have for the kernel to record it. The first
// beginning bytes of a longer one are shown, and marked.
const longest, beginning = 3900, 32

const forgeSpec = "do_sys_openat2(dfd, filename:ustring) if dfd >= 100000"

// TestTrustForge has a program name itself, and the files that it opens, like lines of
// a trace, like JSON, and like orders to a terminal. In each form every call is one
// line, with what the program gave, and nothing acts on a terminal.
func TestTrustForge(t *testing.T) {
	n := size(60, 3000)
	l := prepare(t, "forge", "@", strconv.Itoa(n), "1")
	asText := startTrace(t, "--reader=text", "-p", l.pid, "do_sys_openat2(dfd, filename:ustring, return)")
	file := filepath.Join(t.TempDir(), "trace.dat")
	asFile := startTrace(t, "record", "-o", file, "--chain", "--kstack", forgeSpec, "register_netdevice(dev->name)")
	l.run()
	devices := hostileDevices(t)
	said := ""
	for _, tr := range []*traced{asText, asFile} {
		tr.end()
		said += tr.said()
	}
	b, err := os.ReadFile(l.file + ".made")
	if err != nil {
		t.Fatal(err)
	}
	var made []forgery
	if err := json.Unmarshal(b, &made); err != nil {
		t.Fatal(err)
	}
	asJSON := beginTrace(t, "replay", "--json", file, "%1")
	asJSON.ended()
	lines := checkForgedJSON(t, asJSON, made, l.pid)
	text := output(t, asText.out)
	lines += checkForgedText(t, "text reader", text, made, l.pid)
	checkCalm(t, "stderr", said)
	forms := [][]string{{"-t", "none"}, {"--color=always", "--tree"}, {"--json"}, {"--chain"}, {"--kstack"}, {"--summary"}, {"--summary=only"}}
	for _, flags := range forms[:min(len(forms), size(1, len(forms)))] { // FuzzReplay has them all
		out, err := exec.Command("tsnoop", append([]string{"replay", file}, flags...)...).CombinedOutput()
		if err != nil {
			t.Errorf("replay %q: %v\n%s", flags, err, out)
		}
		text := string(out)
		if flags[0] == "--color=always" {
			text = regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(text, "")
		}
		checkCalm(t, strings.Join(flags, " "), text)
		if flags[0] == "-t" {
			lines += checkForgedText(t, "replay", text, made, l.pid)
			for _, name := range devices {
				if want := `(dev->name="` + string(render.AppendEscaped(nil, []byte(name), '"')) + `")`; !strings.Contains(text, want) {
					t.Errorf("no line has %s", want)
				}
			}
		}
	}
	figure(t, "forged names", n)
	figure(t, "lines with them", lines)
}

// hostileDevices makes network devices, and returns what their names are.
func hostileDevices(t *testing.T) []string {
	t.Helper()
	if exec.Command("insmod", "/lib/modules/tsnoop/veth.ko").Run() == nil { // or it is there already
		t.Cleanup(func() { exec.Command("rmmod", "veth").Run() })
	}
	var names []string
	for i, name := range []string{"\x1b[2Jx\xff", "a\",\"b\\\u202e", "\u009b2J'\x7f", "(fault)=NULL"} {
		names = append(names, name, "peer"+strconv.Itoa(i))
		mac := "02:00:00:00:00:0" + strconv.Itoa(i)
		if out, err := exec.Command("load", "veth", name, mac, names[2*i+1], "02:00:00:00:01:0"+strconv.Itoa(i)).CombinedOutput(); err != nil {
			t.Fatalf("veth %q: %v\n%s", name, err, out)
		}
	}
	return names
}

func output(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkCalm checks that nothing that was written acts on a terminal.
func checkCalm(t *testing.T, what, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && !unicode.IsPrint(r) || r == unicode.ReplacementChar && !strings.Contains(what, "json") {
			t.Errorf("%s: %q in %q", what, r, text[max(0, i-100):min(len(text), i+20)])
			return
		}
	}
}

// checkForgedJSON checks that each call made is one line of JSON.
func checkForgedJSON(t *testing.T, tr *traced, made []forgery, pid string) (lines int) {
	t.Helper()
	missing := missingOf(made)
	tr.lines(func(line []byte) {
		lines++
		var c struct {
			TID  int
			Comm string
			Args []struct{ Value, Doubt any }
		}
		if err := json.Unmarshal(line, &c); err != nil || len(c.Args) != 2 {
			t.Errorf("%v: %q", err, line)
			return
		}
		checkCalm(t, "json", string(line))
		dfd, _ := c.Args[0].Value.(float64)
		f := missing[int(dfd)]
		if f == nil {
			t.Errorf("nobody made %q", line)
			return
		}
		delete(missing, f.DFD)
		if cut := c.Args[1].Doubt != nil; cut && len(f.Name) >= longest {
			f.Name = f.Name[:beginning]
		}
		name, comm := string([]rune(string(f.Name))), string([]rune(string(f.Comm))) // bytes that are not UTF-8 are U+FFFD
		if c.Args[1].Value != name || c.Comm != comm || strconv.Itoa(c.TID) != pid {
			t.Errorf("%q, want task %s %q and the name %q", line, pid, comm, name)
		}
	})
	checkMissing(t, "json", missing)
	return lines
}

// checkForgedText checks that each call made is one line of text.
func checkForgedText(t *testing.T, what, text string, made []forgery, pid string) (lines int) {
	t.Helper()
	missing := missingOf(made)
	checkCalm(t, what, text)
	for line := range strings.Lines(text) {
		head, rest, ok := strings.Cut(line, "do_sys_openat2(dfd=10")
		if !ok {
			if own := strings.Contains(line, "(dfd=AT_FDCWD, ") || strings.Contains(line, "(dfd=-100, "); strings.Contains(line, "openat") && !own {
				t.Errorf("%s: a line of no call: %q", what, line)
			}
			continue
		}
		lines++
		digits, rest, _ := strings.Cut(rest, ", filename=")
		dfd, _ := strconv.Atoi("10" + digits)
		quoted, err := strconv.QuotedPrefix(rest)
		name, err2 := strconv.Unquote(quoted)
		f := missing[dfd]
		if err != nil || err2 != nil || f == nil {
			t.Errorf("%s: %v %v: nobody made %q", what, err, err2, line)
			continue
		}
		delete(missing, dfd)
		if strings.HasPrefix(rest[len(quoted):], "...") && len(f.Name) >= longest {
			f.Name = f.Name[:beginning]
		}
		head, _, _ = strings.Cut(strings.TrimRight(head, " ->"), " __") // the caller
		task := string(render.AppendEscaped(nil, f.Comm, render.NoQuote)) + "-" + pid
		if name != string(f.Name) || !strings.HasSuffix(strings.TrimRight(head, " "), task) {
			t.Errorf("%s: %q, want task %q and the name %q", what, line, task, f.Name)
		}
	}
	checkMissing(t, what, missing)
	return lines
}

// missingOf are all calls, by their number.
func missingOf(made []forgery) map[int]*forgery {
	all := map[int]*forgery{}
	for i := range made {
		f := made[i]
		all[f.DFD] = &f
	}
	return all
}

// checkMissing checks that no call is missing.
func checkMissing(t *testing.T, what string, missing map[int]*forgery) {
	t.Helper()
	for _, f := range missing {
		t.Errorf("%s: call %d is missing, with %d bytes: %q", what, f.DFD, len(f.Name), f.Name)
	}
}
