//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

// offsets checks that the offsets are 0, 1, 2, ... n-1, each from the CPU that
// cpu gives for it, and that nothing else was said.
func offsets(t *testing.T, tr *traced, n int64, cpu func(offset int64) int64) {
	t.Helper()
	var next int64
	tr.lines(func(line []byte) {
		offset, on := number(line, "offset="), number(bytes.TrimLeft(line, " "), "")
		if offset != next || on != cpu(offset) {
			t.Fatalf("offset %d on CPU %d comes instead of %d on CPU %d: %s\n%s", offset, on, next, cpu(next), line, tr.said())
		}
		next++
	})
	if next != n || tr.said() != "" {
		t.Errorf("%d lines, want %d\n%s", next, n, tr.said())
	}
}

// ofProcesses are the flags of a trace of processes, to be shown without a warning: of text
// threads can only be followed with children.
func ofProcesses(reader, pids string) []string {
	flags := []string{"--reader=" + reader, "-t", "none", "-p", pids}
	if reader == "text" {
		flags = append(flags, "--follow")
	}
	return flags
}

// TestVMOrderOfCPUs has two CPUs call in turn: the lines come in just this order.
func TestVMOrderOfCPUs(t *testing.T) {
	n := flood(20_000)
	l := prepare(t, "turns", "@", strconv.Itoa(n))
	tr := startTrace(t, "-t", "none", "-p", l.pid, "generic_file_llseek(offset)")
	l.run()
	tr.end()
	offsets(t, tr, int64(n), func(offset int64) int64 { return offset % 2 })
}

// TestVMIdle makes single calls, now on one CPU, now on the other: each line
// comes by itself, without another event, while tsnoop goes on.
func TestVMIdle(t *testing.T) {
	for _, reader := range []string{"raw", "text"} {
		t.Run(reader, func(t *testing.T) {
			var loads []*loading
			for i := range 4 {
				// The first two on CPU 0, the others on CPU 1.
				loads = append(loads, prepare(t, "pid", "@", "on", strconv.Itoa(i/2), "burst", strconv.Itoa(i), "1"))
			}
			var pids []string
			for _, l := range loads {
				pids = append(pids, l.pid)
			}
			tr := startTrace(t, append(ofProcesses(reader, strings.Join(pids, ",")), "generic_file_llseek(offset)")...)
			for i, l := range loads {
				l.run()
				tr.await(fmt.Sprintf("line %d", i), func() bool {
					b, err := os.ReadFile(tr.out)
					return err == nil && strings.HasSuffix(string(b), fmt.Sprintf("(offset=%d)\n", i))
				})
			}
			tr.end()
			offsets(t, tr, 4, func(offset int64) int64 { return offset / 2 })
		})
	}
}

// TestVMOneCPU has all calls on CPU 1, none on CPU 0.
func TestVMOneCPU(t *testing.T) {
	n := flood(50_000)
	l := prepare(t, "pid", "@", "on", "1", "burst", "0", strconv.Itoa(n))
	tr := startTrace(t, "-t", "none", "-p", l.pid, "generic_file_llseek(offset)")
	l.run()
	tr.end()
	offsets(t, tr, int64(n), func(int64) int64 { return 1 })
}
