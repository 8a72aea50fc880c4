//go:build vm

package suite

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestVMDuplicates probes names that several functions have: the kernel alone
// would refuse them (since 6.7) or take any one. All of them must be armed.
func TestVMDuplicates(t *testing.T) {
	names := duplicates(t, 3)
	if len(names) == 0 {
		t.Fatal("BTF of this kernel has no function whose name is not unique")
	}
	var specs []string
	for name := range names {
		specs = append(specs, name+"()")
	}
	tr := startTrace(t, specs...)
	for name, count := range names {
		if got := strings.Count(probes(t), "/"+name+"_"); got != count {
			t.Errorf("%s: %d probes are defined, want %d:\n%s", name, got, count, probes(t))
		}
	}
	tr.end()
	for name, count := range names {
		if !strings.Contains(tr.said(), name) {
			t.Errorf("not a word of the %d functions %s:\n%s", count, name, tr.said())
		}
	}
	nothingLeft(t)
}

func probes(t *testing.T) string {
	b, err := os.ReadFile(tracing + "/kprobe_events")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// duplicates are names of traceable functions that the kernel has twice, or a few
// times more, and that BTF knows, and how many there are of each.
func duplicates(t *testing.T, n int) map[string]int {
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
	functions := symbolCounts(t, twice)
	refused := blacklist(t)
	names := map[string]int{}
	// Where a kernel searches all symbols for each probe, many of them take long.
	slices.SortStableFunc(twice, func(a, b string) int { return count[a] - count[b] })
	for _, name := range twice {
		// Every copy must be traceable for all to be accepted.
		if functions[name] != count[name] || refused[name] {
			continue
		}
		if _, err := testKernel().Func("vmlinux", name); err != nil {
			continue // after a long search for what else may have been meant
		}
		if names[name] = count[name]; len(names) == n {
			break
		}
	}
	return names
}

// symbolCounts says of some names how many functions of the kernel itself have them,
// and -1 for one that a module also has.
func symbolCounts(t *testing.T, names []string) map[string]int {
	b, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, name := range names {
		count[name] = 0
	}
	for line := range strings.Lines(string(b)) {
		_, rest, _ := strings.Cut(line, " ")
		kind, name := rest[:1], strings.TrimSpace(rest[2:])
		name, _, module := strings.Cut(name, "\t")
		n, asked := count[name]
		switch {
		case !asked:
		case module:
			count[name] = -1
		case strings.Contains("tTwW", kind) && n >= 0:
			count[name]++
		}
	}
	return count
}
