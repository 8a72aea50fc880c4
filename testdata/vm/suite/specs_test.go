//go:build vm

package suite

import (
	"bufio"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// TestVMSpecs makes specs of this kernel's own types, 300 in full, as wild as users
// write them and wilder. The kernel must take every definition, and pahole
// must agree with every offset.
func TestVMSpecs(t *testing.T) {
	const seed = 20261121
	count := size(75, 300)
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	session, err := fs.NewSession(tracefs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}()
	layouts := paholeLayouts(t)
	g := &generator{rand: rand.New(rand.NewPCG(seed, 0)), layouts: layouts, members: map[string][]string{}, funcs: probeable(t, testKernel())}
	kinds := map[string]int{}
	walks := make([]*walk, count)
	specs := make([]string, count)
	for i := range walks {
		walks[i] = g.walk(i)
		kinds[walks[i].kind]++
		specs[i] = walks[i].spec()
	}
	plans, err := host.New(fs).Plan(specs, host.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, plan := range plans {
		checkWalk(t, plan, session, walks[i], layouts != nil)
	}
	t.Logf("%d specs: %v", count, kinds)
	for _, kind := range []string{"bit field", "union", "array", "string"} {
		if kinds[kind] < count/15 {
			t.Errorf("only %d specs with a %s", kinds[kind], kind)
		}
	}
}

// checkWalk checks the offsets of one way and has the kernel judge the
// definition.
func checkWalk(t *testing.T, plan *plan.Plan, session *tracefs.Session, w *walk, known bool) {
	p := plan.Entry()
	text, typ, _ := strings.Cut(p.Args[p.Fields[0].Arg].String(), ":")
	if want := w.fetcharg(typ); known && text != want {
		t.Errorf("%s: fetched by %s:%s, pahole says %s (%s)", w.spec(), text, typ, want, w.steps)
	}
	lines := p.Definitions(session.Group())
	var refused []error
	for _, line := range lines {
		if err := session.Define(p.Kind.File(), line); err != nil {
			refused = append(refused, err)
		}
	}
	// Some functions of one name may not be traceable.
	if len(refused) == len(lines) {
		t.Errorf("%s: the kernel refuses %s: %v", w.spec(), lines[0], refused[0])
	}
}

// probeable are the functions with a pointer to a struct that ftrace knows
// and whose name is not ambiguous.
func probeable(t *testing.T, kernel *btf.Kernel) []candidate {
	f, err := os.Open(tracing + "/available_filter_functions")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen := map[string]int{}
	for s := bufio.NewScanner(f); s.Scan(); {
		name, _, _ := strings.Cut(s.Text(), " ")
		seen[name]++
	}
	refused := blacklist(t)
	all, err := kernel.Funcs("*")
	if err != nil {
		t.Fatal(err)
	}
	var funcs []candidate
	for i, fn := range all {
		if i%8 != 0 || seen[fn.Name] != 1 || fn.Module != "" || fn.Records != 1 || refused[fn.Name] {
			continue
		}
		if p, arg := structParam(fn); p != nil {
			funcs = append(funcs, candidate{fn, p, arg})
		}
	}
	return funcs
}

// blacklist has the functions that kprobes refuse.
func blacklist(t *testing.T) map[string]bool {
	b, err := os.ReadFile("/sys/kernel/debug/kprobes/blacklist")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, line := range strings.Split(string(b), "\n") {
		_, name, _ := strings.Cut(line, "\t")
		names[name] = true
	}
	return names
}

// paholeLayouts is what pahole says of all structs, nil where it cannot run.
func paholeLayouts(t *testing.T) map[string]layout {
	if runtime.GOARCH != "amd64" {
		return nil
	}
	layouts, err := paholeOnce()
	if err != nil {
		t.Fatalf("pahole is the judge of offsets: %v", err)
	}
	return layouts
}

var paholeOnce = sync.OnceValues(func() (map[string]layout, error) {
	out, err := runPahole(btfFile)
	return parsePahole(out), err
})

// A layout has the members of one struct by name.
type layout map[string]member

type member struct {
	offset, bit int // bytes, and bits from there
}

var (
	structLine = regexp.MustCompile(`^(?:struct|union) (\w+) \{`)
	blockLine  = regexp.MustCompile(`^\t+(?:struct|union|enum)\b.*\{$`)
	blockEnd   = regexp.MustCompile(`^\t+\} *(\w*)(?:\[\d*\])*;\s*/\*\s*(\d+)\s+\d+\s*\*/`)
	funcPtr    = regexp.MustCompile(`\(\*+(?:const )?(\w+)(?:\[\d*\])*\)\(.*\);\s*/\*\s*(\d+)()\s+\d+\s*\*/`)
)

// memberOf reads a line of a member: "\tint a:3; /* 8: 5 4 */". It does without regular
// expressions where it can, for there are a hundred thousand lines.
func memberOf(line string) (name string, m member, ok bool) {
	head, comment, ok := strings.Cut(line, "/*")
	head, ends := strings.CutSuffix(strings.TrimRight(head, " \t"), ";")
	comment, _, closed := strings.Cut(comment, "*/")
	if !ok || !ends || !closed {
		return "", m, false
	}
	if strings.HasSuffix(head, ")") { // a pointer to a function, or an attribute
		f := funcPtr.FindStringSubmatch(line)
		if f == nil {
			return "", m, false
		}
		return f[1], member{offset: atoi(f[2])}, true
	}
	at, bit, field := strings.Cut(comment, ":")
	words := strings.Fields(at + " " + bit) // the last one is the size
	if field && len(words) != 3 || !field && len(words) != 2 {
		return "", m, false
	}
	for i, into := range []*int{&m.offset, &m.bit}[:len(words)-1] {
		n, err := strconv.Atoi(words[i])
		if err != nil {
			return "", m, false
		}
		*into = n
	}
	head = strings.TrimSpace(head)
	head = head[strings.LastIndexAny(head, " \t*}")+1:]
	name = head[:strings.IndexAny(head+":", ":[")]
	return name, m, name != ""
}

// parsePahole reads pahole's listing. A struct that is defined more than once is left
// out: which one is meant is not known.
func parsePahole(out string) map[string]layout {
	all := map[string]layout{}
	twice := map[string]bool{}
	var open []layout // the struct, and the blocks within it
	for _, line := range strings.Split(out, "\n") {
		if m := structLine.FindStringSubmatch(line); m != nil {
			twice[m[1]] = twice[m[1]] || all[m[1]] != nil
			all[m[1]] = layout{}
			open = []layout{all[m[1]]}
			continue
		}
		switch {
		case strings.HasPrefix(line, "}") || strings.HasPrefix(line, "typedef"):
			open = nil
		case len(open) == 0:
		case strings.HasSuffix(line, "{") && blockLine.MatchString(line):
			open = append(open, layout{})
		case len(open) > 1 && strings.HasPrefix(strings.TrimLeft(line, "\t"), "}") && blockEnd.MatchString(line):
			m := blockEnd.FindStringSubmatch(line)
			inner := open[len(open)-1]
			open = open[:len(open)-1]
			if outer := open[len(open)-1]; m[1] == "" {
				maps.Copy(outer, inner)
			} else {
				outer[m[1]] = member{offset: atoi(m[2])}
			}
		default:
			if name, m, ok := memberOf(line); ok {
				open[len(open)-1][name] = m
			}
		}
	}
	maps.DeleteFunc(all, func(name string, _ layout) bool { return twice[name] })
	return all
}
