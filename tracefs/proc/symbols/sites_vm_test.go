//go:build vm

package symbols

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestVMSites compares what ftrace has in the kernel's memory with what it lists.
func TestVMSites(t *testing.T) {
	const listFile, addrsFile = "/sys/kernel/tracing/available_filter_functions", "/sys/kernel/tracing/available_filter_functions_addrs"
	list, err := os.ReadFile(listFile)
	if err != nil {
		t.Fatal(err)
	}
	begin := list[:bytes.LastIndexByte(list[:4096], '\n')+1]
	sites := Running().Sites(begin)
	t.Logf("%d functions", len(sites))
	listed := map[string]int{}
	for name := range strings.Lines(string(list)) {
		name = strings.TrimSuffix(name, "\n")
		if strings.Contains(name, " [") || strings.HasPrefix(name, "__ftrace_invalid_address__") {
			continue
		}
		listed[name]++
		if _, ok := sites[name]; !ok {
			t.Errorf("%s is not among the sites", name)
		}
	}
	for name := range sites {
		if listed[name] == 0 {
			t.Errorf("%s is not listed, %#x %v", name, sites[name], Running().Addrs(name))
		}
	}
	if Running().Sites(begin[1:]) != nil {
		t.Error("sites that the list does not begin with")
	}

	addrs, err := os.ReadFile(addrsFile)
	if err != nil {
		t.Log(err) // before 6.5
		return
	}
	for line := range strings.Lines(string(addrs)) {
		hex, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		want, _ := strconv.ParseUint(hex, 16, 64)
		if listed[name] == 0 {
			continue
		}
		if got := sites[name]; listed[name] == 1 && got != want || listed[name] > 1 && got != 0 {
			t.Errorf("%s is %d times in the list, last at %#x; got %#x", name, listed[name], want, got)
		}
	}
}
