package fetchargs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// manyKernel returns a kernel with 40 functions f_N of a word and a number, of which two share
// a name with a third one, and one that has a text.
func manyKernel(t testing.TB) *target.Target {
	var prototypes []string
	sites := map[string]uint64{}
	for i := range 40 {
		prototypes = append(prototypes, fmt.Sprintf("int f_%d(struct x *p, char c)", i))
		sites[fmt.Sprintf("f_%d", i)] = 0xffffffff81000004 + uint64(i)*64
	}
	for _, f := range []string{"g_named(char *name, int n)", "f_void(struct x *p)", "f_seven(int q, int r, int s, int u, int v, int w, int x)"} {
		name, _, _ := strings.Cut(f, "(")
		prototypes, sites[name] = append(prototypes, "void "+f), 0xffffffff82000004+uint64(len(sites))*64
	}
	for i := range 20 {
		sites[fmt.Sprintf("i_%d", i)] = 0xffffffff83000004 + uint64(i)*64
		sites[fmt.Sprintf("unknown_f_%d", i)] = 0xffffffff84000004 + uint64(i)*64
	}
	to := &target.Target{Arch: abi.Named("amd64"), Kernel: kernelOf(t, prototypes...), Live: true, Calls: true, NamesKnown: true}
	to.Features, _ = dynevent.FeaturesOf("6.12")
	to.Symbols = func(names []string, _ bool) (map[string]target.SymbolFacts, error) {
		facts := map[string]target.SymbolFacts{}
		for _, name := range names {
			facts[name] = target.SymbolFacts{Offsets: []uint64{sites[name] - 0xffffffff81000000}}
		}
		return facts, nil
	}
	to.ProbeSites = func() map[string]uint64 { return sites }
	return to
}

func plansOf(t testing.TB, to *target.Target, texts ...string) []*plan.Plan {
	t.Helper()
	specs, errs := spec.ParseAll(texts)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	plans, err := fetchargs.Resolve(specs, to)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// TestOneEvent: which functions share an event, and what it fetches.
func TestOneEvent(t *testing.T) {
	for _, tt := range []struct {
		name  string
		specs []string
		set   func(*target.Target)
		want  []string // number of functions and definition
	}{
		{"entries", []string{"f_*()"}, nil, []string{"42 f:g/many_f f_* caller=$stack0:x64"}},
		{"arguments", []string{"f_*(c)"}, nil, []string{"40 f:g/many_f f_* arg2=$arg2:x64 caller=$stack0:x64"}},
		{"all that is in registers", []string{"f_[0-9]*"}, nil, nil}, // the kernel has other classes
		{"all that is in registers, with a function that has more", []string{"f_*"}, nil, nil},
		{"no callers", []string{"f_*"}, func(to *target.Target) { to.NoCallers = true }, []string{
			"41 f:g/many_f__return f_*%return retval=$retval:x64 stack=$stack:x64", "41 f:g/many_f f_* arg1=$arg1:x64 arg2=$arg2:x64 stack=$stack:x64",
		}},
		{"returns alone", []string{"f_?(return)", "f_??(return)"}, nil, nil}, // too few each
		{"returns of all", []string{"f_*(return)"}, nil, []string{"40 f:g/many_f__return f_*%return retval=$retval:x64"}},
		{"another spec has one of them", []string{"f_*()", "f_7(c)"}, nil, []string{"41 f:g/many_f f_* caller=$stack0:x64"}},
		{"and its return", []string{"f_*(return)", "f_7(c)"}, nil, nil},
		{"too few", []string{"f_1*()"}, nil, nil},
		{"most are not asked for", []string{"*f_*()"}, nil, nil},
		{"a condition that the kernel decides", []string{"f_*(c) if c > 'a'"}, nil, nil},
		{"one that it does not", []string{"f_*(c, return) if c > 'a'"}, func(to *target.Target) { to.NoCallers = true }, []string{
			"40 f:g/many_f__return f_*%return retval=$retval:x64 stack=$stack:x64", "40 f:g/many_f f_* arg2=$arg2:x64 stack=$stack:x64",
		}},
		{"memory", []string{"f_*(*p)"}, nil, nil},
		{"names of tasks", []string{"f_*()"}, func(to *target.Target) { to.NamesKnown, to.Comm = false, "x*" }, []string{"42 f:g/many_f f_* caller=$stack0:x64 task_comm=$comm"}},
		{"asked not to", []string{"f_*()"}, func(to *target.Target) { to.ProbeSites = nil }, nil},
		{"addresses are hidden", []string{"f_*()"}, func(to *target.Target) { to.ProbeSites = func() map[string]uint64 { return nil } }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			to := manyKernel(t)
			if tt.set != nil {
				tt.set(to)
			}
			plans := plansOf(t, to, tt.specs...)
			var got []string
			for _, m := range plan.Manys(plans) {
				got = append(got, fmt.Sprintf("%d %s", m.Functions, m.Definition("g", 0)))
				if to.Comm != "" && m.Filter == "" {
					t.Error("no filter")
				}
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			numbers := map[int]bool{}
			for _, p := range plan.Probes(plans) {
				s := p.Share
				if s == nil {
					continue
				}
				if numbers[s.Number] || s.Number < 1 || s.Addr != to.ProbeSites()[p.Plan.Func.Name] {
					t.Errorf("%s: number %d, address %x", p.Event, s.Number, s.Addr)
				}
				numbers[s.Number] = true
			}
		})
	}
}

// TestSeparate: functions that do not share an event any more have the probes that they would
// have had without.
func TestSeparate(t *testing.T) {
	to := manyKernel(t)
	to.NoCallers = true
	shared := plansOf(t, to, "f_*")
	to = manyKernel(t)
	to.NoCallers, to.ProbeSites = true, nil
	alone := plansOf(t, to, "f_*")
	events := plan.Manys(shared)
	for i, p := range shared {
		p.Separate()
		for j, probe := range p.Probes {
			if got, want := probe.Definitions("g"), alone[i].Probes[j].Definitions("g"); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	if len(events) != 2 || events[0].Functions+events[1].Functions != 0 || len(plan.Manys(shared)) != 0 {
		t.Errorf("%d events left", len(events))
	}
}

// TestSavedShares: a recording has whose records are which.
func TestSavedShares(t *testing.T) {
	to := manyKernel(t)
	to.NoCallers = true
	plans := plansOf(t, to, "f_*")
	data, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := store.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	all := plan.Probes(loaded)
	for i, p := range plan.Probes(plans) {
		got := all[i]
		if p.Share == nil {
			if got.Share != nil {
				t.Errorf("%s has a share", got.Event)
			}
			continue
		}
		if got.Share.Addr != p.Share.Addr || got.Share.Number != p.Share.Number || got.KernelEvent() != p.KernelEvent() || got.EventOf() != "f_*" || got.Kind != p.Kind {
			t.Errorf("%s: %+v, want %+v", p.Event, got.Share, p.Share)
		}
		for j := range p.Args {
			if got.RecordName(j) != p.RecordName(j) {
				t.Errorf("%s: %s, want %s", p.Event, got.RecordName(j), p.RecordName(j))
			}
		}
	}
	for _, wrong := range [][2]string{
		{`"number":1}`, `"number":0}`}, {`"number":1}`, `"number":-1}`}, {`"number":1}`, `"number":1048577}`},
		{`"kind":"fentries"`, `"kind":"kprobe"`}, {`"base":"$arg1"`, `"base":"%di"`}, {`"base":"$arg1"`, `"base":"$arg7"`},
	} {
		text := strings.Replace(string(data), wrong[0], wrong[1], 1)
		if _, err := store.Load([]byte(text)); err == nil || text == string(data) {
			t.Errorf("%s instead of %s is accepted", wrong[1], wrong[0])
		}
	}
}
