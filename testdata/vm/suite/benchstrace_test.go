//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestBenchStrace reports how much longer a program takes for its system calls, all of
// which are printed with their arguments, into a file: by strace, which stops it twice
// for each, and by tsnoop.
func TestBenchStrace(t *testing.T) {
	const calls = 20_000
	out := filepath.Join(t.TempDir(), "out")
	tools := []struct {
		name string
		args []string
	}{
		{"nothing", nil},
		{"strace -f", []string{"strace", "-f", "-o", out}},
		{"tsnoop 'sys_*'", []string{"tsnoop", "-b", "32M", "-o", out, "sys_*", "--"}},
		{"tsnoop 'sys_*()'", []string{"tsnoop", "-b", "32M", "-o", out, "sys_*()", "--"}},
	}
	var took []time.Duration
	fmt.Printf("%-18s %10s %10s   of %d calls\n", "", "a call", "printed", calls)
	for _, tool := range tools {
		if len(tool.args) > 0 {
			if _, err := exec.LookPath(tool.args[0]); err != nil {
				fmt.Printf("%-18s is not in this virtual machine\n", tool.name)
				took = append(took, 0)
				continue
			}
		}
		os.Remove(out)
		took = append(took, timed(t, calls, tool.args))
		text, _ := os.ReadFile(out)
		fmt.Printf("%-18s %10v %10d\n", tool.name, took[len(took)-1]/calls, strings.Count(string(text), "lseek("))
	}
	for i := 2; i < len(took); i++ {
		own, peer := took[i]-took[0], took[1]-took[0]
		fmt.Printf("strace makes a call longer by %.1f times what %s does\n", float64(peer)/float64(own), tools[i].name)
	}
}

// timed runs a program that makes so many system calls, under another, and returns how
// long it took for them, by its own clock.
func timed(t *testing.T, calls int, under []string) time.Duration {
	t.Helper()
	file := filepath.Join(t.TempDir(), "took")
	args := append(under, "load", "timed", file, "burst", "0", strconv.Itoa(calls))
	if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, text)
	}
	return durationIn(t, file)
}

// durationIn reads what "load timed" and "load used" write.
func durationIn(t *testing.T, file string) time.Duration {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
