//go:build vm

package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/btf"
)

// TestBenchStart compares how long a command takes from start to end, medians
// of 20 runs in turn. It only prints: times on a noisy machine prove nothing,
// ratios within one run do to whoever reads them.
func TestBenchStart(t *testing.T) {
	const runs = 20
	tsnoop, err := exec.LookPath("tsnoop")
	if err != nil {
		t.Fatal(err)
	}
	specs := manySpecs(t, 200)
	commands := []struct {
		name string
		args []string
	}{
		{"tsnoop --emit, 1 spec", []string{tsnoop, "--emit", "ip_rcv(skb->len, dev->name)"}},
		{"tsnoop --emit, 200 specs", append([]string{tsnoop, "--emit"}, specs...)},
		{"tsnoop info", []string{tsnoop, "info", "ip_rcv"}},
	}
	if ksnoop, err := exec.LookPath("ksnoop"); err == nil {
		commands = append(commands, struct {
			name string
			args []string
		}{"ksnoop info", []string{ksnoop, "info", "ip_rcv"}})
	} else {
		t.Log("without ksnoop, which is not in this machine")
	}
	times := make([][]time.Duration, len(commands))
	for range runs {
		for i, c := range commands {
			start := time.Now()
			if out, err := exec.Command(c.args[0], c.args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, out)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	base := median(times[0])
	for i, c := range commands {
		m := median(times[i])
		fmt.Fprintf(os.Stdout, "%-26s %8.1f ms  %5.2f of the first\n", c.name, float64(m.Microseconds())/1000, float64(m)/float64(base))
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// manySpecs are specs of n different functions, each with its first pointer.
func manySpecs(t *testing.T, n int) []string {
	funcs := probeable(t, testKernel())
	var specs []string
	for _, c := range funcs[:n] {
		members := btf.Members(pointeeOf(c.param.Type))
		specs = append(specs, fmt.Sprintf("%s(%s, &%s->%s)", c.fn.Name, c.param.Name, c.param.Name, strings.TrimSpace(members[0])))
	}
	return specs
}
