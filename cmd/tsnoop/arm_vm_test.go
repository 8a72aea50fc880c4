//go:build vm

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// TestVMPanic panics in the middle of a trace: the probes go all the same.
func TestVMPanic(t *testing.T) {
	func() {
		defer func() {
			if recover() == nil {
				t.Error("there was no panic")
			}
		}()
		tr := armed(t, "generic_file_llseek(offset, return)")
		defer tr.session.Close()
		if !strings.Contains(probes(t), tr.session.Group()) {
			t.Error("not armed")
		}
		panic("on purpose")
	}()
	if p := probes(t); strings.Contains(p, "tsnoop") {
		t.Errorf("left behind:\n%s", p)
	}
}

// TestVMDuplicates probes names that several functions have: the kernel alone
// would refuse them (since 6.7) or take any one. All of them must be armed.
func TestVMDuplicates(t *testing.T) {
	names := duplicates(t, 3)
	if len(names) == 0 {
		t.Fatal("BTF of this kernel has no function whose name is not unique")
	}
	for _, name := range names {
		tr := armed(t, name+"()")
		plan := tr.plans[0]
		if n := len(plan.Entry.Symbols); n < 2 || len(plan.Notes) == 0 {
			t.Errorf("%s: probed at %v, noted %q", name, plan.Entry.Symbols, plan.Notes)
		}
		if got := strings.Count(probes(t), "/"+plan.Entry.Event+" "); got != len(plan.Entry.Symbols) {
			t.Errorf("%s: %d probes are defined, want %d", name, got, len(plan.Entry.Symbols))
		}
		if err := tr.session.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p := probes(t); strings.Contains(p, "tsnoop") {
		t.Errorf("left behind:\n%s", p)
	}
}

// armed arms one spec in this process.
func armed(t *testing.T, text string) *liveTrace {
	t.Helper()
	m, plans, err := plan(&options{args: []string{text}}, true)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := arm(t.Context(), m, plans, &options{}, &ui{stdout: io.Discard, stderr: new(bytes.Buffer)})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return tr
}

func probes(t *testing.T) string {
	b, err := os.ReadFile(tracing + "/kprobe_events")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// duplicates are names of traceable functions that the kernel has twice or
// more and that BTF knows.
func duplicates(t *testing.T, n int) []string {
	b, err := os.ReadFile(tracing + "/available_filter_functions")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	var twice []string
	for _, line := range strings.Split(string(b), "\n") {
		name, module, _ := strings.Cut(line, " ")
		if count[name]++; count[name] == 2 && module == "" && !strings.Contains(name, ".") {
			twice = append(twice, name)
		}
	}
	facts, err := trace.NewMachine(nil).SymbolFacts(twice)
	if err != nil {
		t.Fatal(err)
	}
	refused := blacklist(t)
	var names []string
	for _, name := range twice {
		// Every copy must be traceable for all to be accepted.
		if f := facts[name]; len(f.Offsets) != count[name] || len(f.Modules) > 0 || refused[name] {
			continue
		}
		if _, err := testKernel().Func("vmlinux", name); err == nil && len(names) < n {
			names = append(names, name)
		}
	}
	return names
}
