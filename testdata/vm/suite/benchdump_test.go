//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A dumpTool prints the struct sk_buff of each packet that is sent.
type dumpTool struct {
	name string
	args []string
	mark string // is printed once for a packet
}

// Their buffers are large enough for all packets, so that none is lost.
var dumpTools = []dumpTool{
	{"tsnoop skb->truesize", []string{"tsnoop", "-b", "32M", "__dev_queue_xmit(skb->truesize)"}, "truesize"}, // no dump
	{"tsnoop *skb", []string{"tsnoop", "-b", "32M", "__dev_queue_xmit(*skb)"}, "truesize"},
	{"tsnoop --compact", []string{"tsnoop", "-b", "32M", "--compact", "__dev_queue_xmit(*skb)"}, "truesize"},
	{"tsnoop --zeros", []string{"tsnoop", "-b", "32M", "--zeros", "__dev_queue_xmit(*skb)"}, "truesize"},
	{"tsnoop --json", []string{"tsnoop", "-b", "32M", "--json", "__dev_queue_xmit(*skb)"}, "truesize"},
	// Version 0.17 was seen to show four members of an sk_buff and nothing after its
	// first anonymous union. That is not a whole dump: its figures are for less work.
	{"bpftrace", []string{"bpftrace", "-e", "kprobe:__dev_queue_xmit { print(*(struct sk_buff *)arg0) }"}, "dev_scratch"},
	// Prints nothing where functions begin with endbr64: see burstTools.
	{"ksnoop", []string{"ksnoop", "-P", "4096", "__dev_queue_xmit(skb)"}, "(struct sk_buff)"},
}

// TestBenchDump compares what a dump of a struct sk_buff costs the program that sends
// a packet, by its CPU time with and without the tool, and the tool that prints it, by
// the tool's CPU time from when it is armed. All run on one CPU.
func TestBenchDump(t *testing.T) {
	const packets = 5000
	onOneCPU(t)
	t.Setenv("BPFTRACE_PERF_RB_PAGES", "4096")
	base := sending(t, packets) // the first is slower than those after it
	costs := make([]dumpCost, len(dumpTools))
	for i, tool := range dumpTools {
		t.Run(tool.name, func(t *testing.T) {
			base = min(base, sending(t, packets))
			costs[i] = tool.cost(t, packets)
		})
	}
	fmt.Printf("%-22s %10s %15s %13s   of %d packets, each %v without a tool\n",
		"", "us a hit", "us a dump shown", "bytes a dump", packets, base/packets)
	for i, tool := range dumpTools {
		c := costs[i]
		if c.shown == 0 {
			fmt.Printf("%-22s shows none\n", tool.name)
			continue
		}
		fmt.Printf("%-22s %10.2f %15.2f %13d   %d shown\n", tool.name,
			micros(c.program-base)/packets, micros(c.tool)/float64(c.shown), c.size/c.shown, c.shown)
	}
}

// sending is the CPU time that it takes to send packets which nobody looks at.
func sending(t *testing.T, packets int) time.Duration {
	t.Helper()
	l := dumpLoad(t, packets)
	l.run()
	return durationIn(t, l.used)
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// A dumpCost is what so many dumps cost, of size bytes together.
type dumpCost struct {
	program, tool time.Duration
	shown, size   int
}

// A dumpLoading is a load that writes the CPU time it took to a file.
type dumpLoading struct {
	*loading
	used string
}

// dumpLoad is a program that sends packets over loopback when it may.
func dumpLoad(t *testing.T, packets int) dumpLoading {
	t.Helper()
	used := filepath.Join(t.TempDir(), "used")
	words := append([]string{"pid", "@", "used", used, "udp"}, slices.Repeat([]string{"64"}, packets)...)
	return dumpLoading{prepare(t, words...), used}
}

func (tool dumpTool) cost(t *testing.T, packets int) (c dumpCost) {
	t.Helper()
	if _, err := exec.LookPath(tool.args[0]); err != nil {
		t.Skipf("%s is not in this virtual machine", tool.args[0])
	}
	l := dumpLoad(t, packets)
	cmd, out, end := startTool(t, tool.args, "__dev_queue_xmit")
	start := cpuOf(t, cmd.Process.Pid)
	l.run()
	untilQuiet(t, out)
	c.tool = cpuOf(t, cmd.Process.Pid) - start
	end()
	c.program = durationIn(t, l.used)
	c.shown = linesWith(t, out.Name(), tool.mark)
	if st, err := out.Stat(); err == nil {
		c.size = int(st.Size())
	}
	t.Logf("it begins:\n%s", headOf(t, out.Name()))
	return c
}

// cpuOf is the CPU time that a process has taken so far (clock_getcpuclockid(3)).
func cpuOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	const scheduled = 2 // CPUCLOCK_SCHED of the kernel's posix-timers.h
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|scheduled, &ts); err != nil {
		t.Fatal(err)
	}
	return time.Duration(ts.Nano())
}

// headOf is how an output begins.
func headOf(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b[:min(len(b), 1000)]
}
