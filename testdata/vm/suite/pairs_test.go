//go:build vm

package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A madeCall is one that a load has made, as it saw it itself.
type madeCall struct {
	TID    int
	Offset int64 // of lseek; of read the size asked for
	Whence int64
	Ret    int64 // what came back, an error number negated
}

// made is what a load of "seeks" or "pipes" has done.
func (l *loading) made() (all []madeCall) {
	l.t.Helper()
	b, err := os.ReadFile(l.file + ".made")
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

// A pairSpec is a spec with conditions on what a function is given and on what
// it gives back.
type pairSpec struct {
	name  string // of the argument, by which its calls are known
	text  string
	holds func(madeCall) bool
}

// pairSpecs makes random ones for lseek.
func pairSpecs(seed uint64, n int) (specs []pairSpec) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	few := func(values []condValue) randomCond { // calls, so that most events are filtered out
		m := &condMaker{rnd, values}
		x, y := m.compare(), m.compare()
		return randomCond{x.text + " && " + y.text, func(c madeCall) bool { return x.holds(c) && y.holds(c) }}
	}
	functions := []string{"generic_file_llseek", "generic_file_llseek", "generic_file_llsee[k]"}
	for i := range n {
		name := fmt.Sprintf("o%d", i)
		if i < len(oddLabels) {
			name = oddLabels[i]
		}
		values := slices.Clone(entryValues)
		if i/4%2 == 1 { // conditions know the argument by its label
			values[0].name = name
		}
		entry, exit := few(values), few(exitValues)
		any := (&condMaker{rnd, slices.Concat(values, exitValues)}).cond(3)
		fn := functions[i%len(functions)]
		s := pairSpec{name: name}
		switch i % 4 {
		case 0: // both sides, ANDed
			s.text = fmt.Sprintf("%s(%s=offset, return) if %s && %s", fn, name, entry.text, exit.text)
			s.holds = func(c madeCall) bool { return entry.holds(c) && exit.holds(c) }
		case 1: // one side decides, the other is shown
			s.text = fmt.Sprintf("%s(%s=offset, return) if %s", fn, name, entry.text)
			s.holds = entry.holds
		case 2: // the same in the list of items
			s.text = fmt.Sprintf("%s(%s=offset, %s, return) if %s", fn, name, entry.text, any.text)
			s.holds = func(c madeCall) bool { return entry.holds(c) && any.holds(c) }
		default: // anything
			s.text = fmt.Sprintf("%s(%s=offset, return) if %s", fn, name, any.text)
			s.holds = any.holds
		}
		specs = append(specs, s)
	}
	return specs
}

// A shownPair is what a line says of a call.
type shownPair struct {
	TID         int
	Offset, Ret int64
}

func (p shownPair) String() string { return fmt.Sprintf("%d: %d = %d", p.TID, p.Offset, p.Ret) }

// pairsOf sorts the lines of JSON by the name of their first value.
func pairsOf(t *testing.T, out string) map[string][]shownPair {
	t.Helper()
	tr := &traced{t: t, out: out}
	pairs := map[string][]shownPair{}
	for _, c := range tr.calls() {
		if len(c.Args) == 0 || c.Ret == nil {
			continue
		}
		ret, ok := c.Ret.Value.(float64)
		if !ok {
			t.Fatalf("a return of %v", c.Ret.Value)
		}
		name := c.Args[0].Name
		pairs[name] = append(pairs[name], shownPair{c.TID, c.number(0), int64(ret)})
	}
	return pairs
}

// checkPairs compares with the model: all calls that a spec asks for, each with
// its own return, and no others. The result is how many there are.
func checkPairs(t *testing.T, specs []pairSpec, made []madeCall, got map[string][]shownPair) (calls int) {
	t.Helper()
	byThread := func(a, b shownPair) int { return a.TID - b.TID }
	for _, s := range specs {
		var want []shownPair
		for _, c := range made {
			if s.holds(c) {
				want = append(want, shownPair{c.TID, c.Offset, c.Ret})
			}
		}
		have := got[s.name]
		slices.SortStableFunc(want, byThread)
		slices.SortStableFunc(have, byThread)
		calls += len(want)
		if !slices.Equal(have, want) {
			first := 0
			for first < min(len(have), len(want)) && have[first] == want[first] {
				first++
			}
			t.Errorf("%s\n%d calls, want %d; from the %d-th on\ngot  %v\nwant %v", s.text, len(have), len(want), first,
				have[first:min(first+5, len(have))], want[first:min(first+5, len(want))])
		}
	}
	return calls
}

// TestVMPairs traces random calls with random conditions on both sides. Whatever
// the kernel filters, each call that is shown has its own return.
func TestVMPairs(t *testing.T) { tracePairs(t, "--reader=raw") }

// TestVMPairsText does the same with the text reader, which needs -f for new threads.
func TestVMPairsText(t *testing.T) { tracePairs(t, "--reader=text", "-f") }

const pairCalls, pairThreads = 100, 2

// pairs is how many specs there are at a time: of each kind two, or four.
func pairs() int { return size(8, 16) }

func tracePairs(t *testing.T, flags ...string) {
	specs := pairSpecs(1, pairs())
	l := prepare(t, "seeks", "@", strconv.Itoa(pairCalls), strconv.Itoa(pairThreads), "3")
	tr := startTrace(t, slices.Concat([]string{"--json", "-p", l.pid}, flags, textsOf(specs))...)
	l.run()
	tr.end()
	n := checkPairs(t, specs, l.made(), pairsOf(t, tr.out))
	t.Logf("%d calls of %d specs, each with its own return", n, len(specs))
}

func textsOf(specs []pairSpec) (texts []string) {
	for _, s := range specs {
		texts = append(texts, s.text)
	}
	return texts
}

// TestVMPairsRecord chooses calls when they are recorded, and when all that were
// recorded are replayed.
func TestVMPairsRecord(t *testing.T) {
	specs := pairSpecs(1, pairs())
	texts := textsOf(specs)
	for _, tt := range []struct {
		name             string
		recorded, chosen []string
	}{
		{"when recording", texts, nil},
		{"when replaying", []string{"generic_file_llseek(offset, whence, return)"}, texts},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "t.dat")
			l := prepare(t, "seeks", "@", strconv.Itoa(pairCalls), strconv.Itoa(pairThreads), "4")
			tr := startTrace(t, append([]string{"record", "-o", file, "-p", l.pid}, tt.recorded...)...)
			l.run()
			tr.end()
			n := checkPairs(t, specs, l.made(), pairsOf(t, replayedFile(t, file, tt.chosen...)))
			t.Logf("%d calls of %d specs, each with its own return", n, len(specs))
		})
	}
}

// replayedFile is the file with what replay prints.
func replayedFile(t *testing.T, file string, specs ...string) string {
	t.Helper()
	b, err := exec.Command("tsnoop", append([]string{"replay", "--json", file}, specs...)...).Output()
	if err != nil {
		t.Fatalf("replay: %v", err)
	}
	out := filepath.Join(t.TempDir(), "replayed")
	if err := os.WriteFile(out, b, 0o644); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestVMPairsSummary: sums are of the calls that a condition asks for.
func TestVMPairsSummary(t *testing.T) {
	for _, s := range pairSpecs(2, 2) {
		l := prepare(t, "seeks", "@", "100", "2", "5")
		tr := startTrace(t, "--json", "--summary=only", "-p", l.pid, s.text)
		l.run()
		tr.end()
		want := 0
		for _, c := range l.made() {
			if s.holds(c) {
				want++
			}
		}
		got := int64(0)
		tr.lines(func(line []byte) { got += max(0, number(line, `"calls":`)) })
		if got != int64(want) {
			t.Errorf("%s: %d calls are summed up, want %d", s.text, got, want)
		}
	}
}

// TestVMPairsChain: conditions also choose calls and not events in a chain and in a
// tree, and a call that is over leads to nothing.
func TestVMPairsChain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 6))
	caller := "ksys_lseek"
	if !traceableHere(t, caller) { // inlined on arm64
		caller = "kernfs_fop_llseek"
	}
	outer := (&condMaker{rnd, entryValues}).cond(1)
	inner := (&condMaker{rnd, entryValues}).cond(1)
	for _, flag := range []string{"--chain", "--tree"} {
		l := prepare(t, "seeks", "@", "100", "2", "6")
		tr := startTrace(t, "--json", flag, "-p", l.pid,
			caller+"(o=offset) if "+outer.text, "generic_file_llseek(i=offset) if "+inner.text)
		l.run()
		tr.end()
		var want int
		for _, c := range l.made() {
			switch in, out := inner.holds(c), outer.holds(c); {
			case in && out:
				want += 2
			case flag == "--tree" && (in || out):
				want++
			}
		}
		got, depth := 0, 0
		for _, c := range tr.calls() {
			if c.Part == "end" || c.Part == "" {
				got++
			}
			depth = max(depth, c.Depth)
		}
		if got != want || depth > 1 {
			t.Errorf("%s, %s, %s: %d calls, %d deep, want %d", flag, outer.text, inner.text, got, depth+1, want)
		}
	}
}

// TestVMPairsMissed: returns that the kernel has no room to follow are nobody
// else's. Threads wait in read(2) at once, and one of them can be followed.
func TestVMPairsMissed(t *testing.T) {
	whole := 0
	for _, spec := range []string{
		"ksys_read(count, return)", "ksys_read(count, return) if count & 1", "ksys_read(count, return) if count & 1 && return & 1",
	} {
		l := prepare(t, "pipes", "@", "40", "6")
		tr := startTrace(t, "--json", "--maxactive", "1", "-p", l.pid, spec)
		l.run()
		tr.end()
		rets := map[int64]int64{}
		for _, c := range l.made() {
			rets[c.Offset] = c.Ret
		}
		right := ownReturns(tr, func(c *jsonCall) (int64, bool) { ret, ok := rets[c.number(0)]; return ret, ok })
		if !strings.Contains(tr.said(), "returns of ksys_read were missed") {
			t.Errorf("%s: %d calls, nothing was missed:\n%s", spec, right, tr.said())
		}
		whole += right
	}
	if whole == 0 {
		t.Error("no call was shown whole")
	}
	t.Logf("%d calls beside missed ones, each with its own return", whole)
}

// eRestartSys is -ERESTARTSYS, what a call returns that a signal has interrupted, such as one
// of Go's own. The kernel makes the call again, and the program sees the other's return.
const eRestartSys = -512

// ownReturns checks that calls that are shown whole have the return that they
// should, and says how many there are.
func ownReturns(tr *traced, want func(*jsonCall) (int64, bool)) (n int) {
	tr.t.Helper()
	wrong := 0
	for _, c := range tr.calls() {
		if len(c.Args) == 0 || c.Ret == nil || c.Unfinished || c.Orphan {
			continue
		}
		ret, ok := want(&c)
		got, _ := c.Ret.Value.(float64)
		if int64(got) == eRestartSys {
			continue
		}
		if ok && int64(got) != ret {
			if wrong++; wrong < 5 {
				tr.t.Errorf("%s(%d) is shown with %v, its return is %d", c.Func, c.number(0), c.Ret.Value, ret)
			}
		}
		n++
	}
	if wrong > 0 {
		tr.t.Errorf("%d of %d calls have another one's return", wrong, n)
	}
	return n
}

// TestVMPairsLost: a call that begins before events are lost does not get a return from
// after the gap, and a return whose entry was lost has the name of its task.
func TestVMPairsLost(t *testing.T) {
	for _, spec := range []string{
		"generic_file_llseek(offset, return)", "generic_file_llseek(offset, return) if offset & 3 && return & 2",
	} {
		l := prepare(t, "pid", "@", "on", "0", "burst", "0", fmt.Sprintf("%dx800", size(20, 40)))
		tr := startTrace(t, "--json", "-b", "32K", "-p", l.pid, spec)
		resume := tr.stutter(100*time.Millisecond, 100*time.Millisecond)
		l.run()
		resume()
		tr.end()
		right := ownReturns(tr, func(c *jsonCall) (int64, bool) { return c.number(0), true })
		if right == 0 || !strings.Contains(tr.said(), " events were lost in all") {
			t.Errorf("%s: %d calls, and nothing was lost:\n%s", spec, right, tr.said())
		}
		gaps := 0
		tr.lines(func(line []byte) {
			has := func(word string) bool { return bytes.Contains(line, []byte(word)) }
			switch {
			case has(`"lost":`):
				gaps++
			case has(`"func":`) && has(`"args":`) && !has(`"comm":"load"`):
				t.Errorf("%s: the name is not known: %s", spec, line)
			}
		})
		t.Logf("%s: %d calls between %d gaps, each with its own return", spec, right, gaps)
	}
}
