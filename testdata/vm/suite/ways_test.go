//go:build vm

package suite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A way shows the calls of a load with --json.
type way struct {
	name  string
	lines []string // without what only some ways know, sorted
}

// TestVMWays shows the calls of one load in all ways at once, by random specs, among
// them several of one function: all ways show the same calls with the same values. The
// newest kernel has a compressed recording.
func TestVMWays(t *testing.T) {
	const seed = 25
	specs := randomSpecs(rand.New(rand.NewPCG(seed, 0)), 5)
	pasted := paste(t, specs)
	dir := t.TempDir()
	file := filepath.Join(dir, "trace.dat")
	record := []string{"record", "-o", file, "-p"}
	if onNewest() {
		record = append([]string{"record", "--compress"}, record[1:]...)
	}
	l := prepare(t, "seeks", "@", "40", "2", fmt.Sprint(seed))
	live := []string{"--json", "-p", l.pid}
	traces := []*traced{
		startTrace(t, slices.Concat(live, specs)...),
		startTrace(t, slices.Concat(live, []string{"--reader=text", "--follow"}, specs)...), // it follows threads only with children
		startTrace(t, slices.Concat(record, []string{l.pid}, specs)...),
	}
	text := pasted(func() { l.run() })
	for _, tr := range traces {
		tr.end()
		if said := missesOf510.ReplaceAllString(tr.said(), ""); strings.Contains(said, "lost") && !strings.Contains(said, " 0 lost") {
			t.Error(said)
		}
	}
	ways := []way{{"raw", shownBy(t, traces[0])}, {"a second tsnoop, by text", shownBy(t, traces[1])}}
	tids := regexp.MustCompile(`"tid":(` + strings.Join(tidsIn(ways[0].lines), "|") + `),`)
	others := func(line string) bool { return !tids.MatchString(line) }
	for name, args := range map[string][]string{
		"a recording":               {file},
		"a recording by its specs":  append([]string{file}, specs...),
		"a recording, spec by spec": {file, "%1", "2", "%3", "4", "5"},
		"a recording, chosen from":  {file, "-p", l.pid, "--comm", "lo?d", "--cpu", "0-1"},
		"pasted text":               append([]string{text}, specs...),
	} {
		out, err := exec.Command("tsnoop", append([]string{"replay", "--json"}, args...)...).Output()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		ways = append(ways, way{name, slices.DeleteFunc(normal(string(out)), others)})
	}
	if len(ways[0].lines) < 40 {
		t.Fatalf("only %d calls", len(ways[0].lines))
	}
	for _, w := range ways[1:] {
		if slices.Equal(w.lines, ways[0].lines) {
			continue
		}
		t.Errorf("%s: %d calls, raw %d", w.name, len(w.lines), len(ways[0].lines))
		for i := range min(len(w.lines), len(ways[0].lines)) {
			if w.lines[i] != ways[0].lines[i] {
				t.Errorf("\n%s\n%s", ways[0].lines[i], w.lines[i])
				break
			}
		}
	}
	t.Logf("%d specs, %d calls, %d ways\n%s", len(specs), len(ways[0].lines), len(ways), strings.Join(specs, "\n"))
}

// randomSpecs makes specs for the calls of "load seeks".
func randomSpecs(rnd *rand.Rand, n int) (specs []string) {
	items := []string{"offset", "whence", "offset:x", "offset:u32", "offset:s8", "whence:errno", "whence:seek", "file->f_inode->i_sb->s_id", "file->f_path.dentry->d_name.name", "file->f_flags", "file->f_flags:x", "file->f_mode", "$comm"}
	entry, exit := &condMaker{rnd, entryValues}, &condMaker{rnd, exitValues}
	for len(specs) < n {
		var list []string
		for range rnd.IntN(4) {
			item := items[rnd.IntN(len(items))]
			if rnd.IntN(2) == 0 {
				item = oddLabels[rnd.IntN(len(oddLabels))] + "=" + item
			}
			if !slices.Contains(list, item) {
				list = append(list, item)
			}
		}
		conds, both := entry, len(specs) == 0 || rnd.IntN(4) == 0 // conditions on both sides
		switch kind := rnd.IntN(4); {
		case both || kind == 0:
			list = append(list, "return")
		case kind == 1:
			list, conds = append(list, "return"), exit
		case kind == 2:
			list = append(list, entry.compare().text)
		}
		text := "generic_file_llseek(" + strings.Join(list, ", ") + ")"
		switch {
		case both:
			text += " if " + entry.compare().text + " && " + exit.compare().text
		case rnd.IntN(2) == 0:
			text += " if " + conds.cond(2).text
		}
		if !slices.Contains(specs, text) {
			specs = append(specs, text)
		}
	}
	return specs
}

// paste gives the lines of --emit to the kernel, as somebody would who pastes them. The
// function that it returns runs a load and returns the file with the text of the trace.
func paste(t *testing.T, specs []string) func(load func()) string {
	t.Helper()
	dir := t.TempDir()
	script := func(text string, args ...string) {
		cmd := exec.Command("/bin/sh", append([]string{"-c", text, "sh"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, out)
		}
	}
	script(`echo 4096 >/sys/kernel/tracing/buffer_size_kb; echo >/sys/kernel/tracing/trace
		tsnoop --emit "$@" >lines && cat lines >>/sys/kernel/tracing/kprobe_events &&
		sed -n 's/^# //p' lines >rest && rest=$PWD/rest && cd /sys/kernel/tracing && . $rest`, specs...)
	t.Cleanup(func() {
		script("cd /sys/kernel/tracing; echo 0 >events/tsnoop/enable; echo >trace")
		b, _ := os.ReadFile(filepath.Join(tracing, "kprobe_events"))
		for _, m := range regexp.MustCompile(`(?m)^[pr]\d*:(tsnoop/\S+)`).FindAllStringSubmatch(string(b), -1) {
			script(`echo "-:$1" >>/sys/kernel/tracing/kprobe_events`, m[1])
		}
	})
	return func(load func()) string {
		load()
		script("echo 0 >/sys/kernel/tracing/events/tsnoop/enable; cat /sys/kernel/tracing/trace >pasted")
		return filepath.Join(dir, "pasted")
	}
}

// unequal is what only some ways know: times of ns, processes, and callers where others
// probe the return as well.
var unequal = regexp.MustCompile(`"(ts_ns|end_ns|duration_ns|caller|caller_module|doubt|comm|pid)":("[^"]*"|\d+|null),?`)

// normal returns the lines of calls without what only some ways know, sorted.
func normal(out string) (lines []string) {
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"func":`) && strings.Contains(line, `"tid":`) {
			line = unequal.ReplaceAllString(strings.TrimSpace(line), "")
			lines = append(lines, strings.ReplaceAll(line, ",}", "}"))
		}
	}
	slices.Sort(lines)
	return lines
}

func shownBy(t *testing.T, tr *traced) []string {
	t.Helper()
	b, err := os.ReadFile(tr.out)
	if err != nil {
		t.Fatal(err)
	}
	return normal(string(b))
}

// tidsIn returns the threads of calls.
func tidsIn(lines []string) (tids []string) {
	for _, line := range lines {
		if m := regexp.MustCompile(`"tid":(\d+)`).FindStringSubmatch(line); m != nil && !slices.Contains(tids, m[1]) {
			tids = append(tids, m[1])
		}
	}
	return tids
}
