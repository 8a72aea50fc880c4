package fetchargs_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// summary returns what the first probe of the entry has, or what is wrong.
func summary(plans []*plan.Plan, err error) string {
	var wrong spec.Errors
	if errors.As(err, &wrong) {
		return wrong[0].Msg
	}
	p, dumped, again := plans[0].Entry(), 0, 0
	for _, f := range p.Fields {
		if f.Dump != nil {
			dumped += f.Count
		}
		if f.Refetched > 0 {
			again++
		}
	}
	text := fmt.Sprintf("%d probes, %d fetchargs", len(plans[0].Probes), len(p.Args))
	for what, n := range map[string]int{" bytes dumped": dumped, " characters of a filter": len(p.Filter), " fetched again": again} {
		if n > 0 { // one of these
			text += fmt.Sprintf(", %d%s", n, what)
		}
	}
	return text
}

// items joins what text, which has a %d, is for the numbers up to n.
func items(n int, text, sep string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(text, i)
	}
	return strings.Join(all, sep)
}

// TestBounds: a spec of n parts has as much as probes have room for, and one more is too much.
func TestBounds(t *testing.T) {
	const long = "a_long_name_of_a_number%d=pkt->next->next->many[%[1]d]"
	const taken = "many_args(this_cpu(ticks):u64, a, on_cpu=b, on_cpu_2=c, on_cpu_3=d, on_cpu_4=e, on_cpu_5=f, on_cpu_6=g, on_cpu_7=h, on_cpu_8=i, on_cpu_9=%r8"
	padded := func(n int) func(int) string { // with names of so many letters
		return func(pad int) string {
			a, b, c := strings.Repeat("a", pad/3), strings.Repeat("b", (pad+1)/3), strings.Repeat("c", (pad+2)/3)
			return fmt.Sprintf("pkt_rcv(*dev->parent->parent, %s, %s=proto, %s=fast, %s=pkt->len)", items(n, long, ", "), a, b, c)
		}
	}
	list := func(before, text string) func(int) string {
		return func(n int) string { return before + items(n, text, ", ") + ")" }
	}
	conditions := func(before string) func(int) string {
		return func(n int) string { return before + " && " + items(n, "a != 1%03d", " && ") }
	}
	for _, tt := range []struct {
		to   string // see bounded
		spec func(n int) string
		n    int
		want [2]string // for n and n+1
	}{
		{"lines", list("pkt_rcv(", "pkt->many[%d]"), 127, [2]string{
			"1 probes, 128 fetchargs",
			"too many values: the kernel takes 128 in one probe, this needs 129",
		}},
		{"lines", list("pkt_rcv("+items(5, "((struct pkt *)pkt->many[%d])->many", ", ")+", ", "pkt->many[%d]"), 58, [2]string{
			"1 probes, 69 fetchargs",
			"the event is too big: the kernel keeps 3072 bytes of values",
		}},
		{"lines", list("pkt_rcv(", long), 80, [2]string{
			"1 probes, 83 fetchargs",
			"the definition has 4144 characters, the kernel takes 4094",
		}},
		{"lines", list("pkt_rcv(", "*((struct pkt *)pkt->many[%d])"), 32, [2]string{
			"64 probes, 38 fetchargs, 2560 bytes dumped",
			"this is too much to show: it takes 66 probes",
		}},
		{"lines", padded(58), 58, [2]string{
			"2 probes, 71 fetchargs, 2048 bytes dumped",
			"2 probes, 70 fetchargs, 1536 bytes dumped",
		}},
		{"live", padded(54), 32, [2]string{
			"2 probes, 72 fetchargs, 2048 bytes dumped",
			"2 probes, 71 fetchargs, 1536 bytes dumped",
		}},
		{"counts", padded(54), 32, [2]string{
			"2 probes, 72 fetchargs, 2048 bytes dumped",
			"2 probes, 71 fetchargs, 1536 bytes dumped",
		}},
		{"live", list("pkt_rcv(*pkt, ", "pkt->many[%d]"), 58, [2]string{
			"2 probes, 69 fetchargs, 2560 bytes dumped",
			"3 probes, 69 fetchargs, 2048 bytes dumped",
		}},
		{"live", list("pkt_rcv(*pkt, dev->alias, ", "pkt->many[%d]"), 55, [2]string{
			"3 probes, 67 fetchargs, 1536 bytes dumped",
			"3 probes, 67 fetchargs, 1024 bytes dumped",
		}},
		{"live", list("dev_open(return, ", "filename[%d]"), 28, [2]string{
			"2 probes, 68 fetchargs, 28 fetched again",
			"2 probes, 70 fetchargs, 28 fetched again",
		}},
		{"live", list("dev_open(return, x=return:u32, ", "filename[%d]"), 28, [2]string{
			"2 probes, 68 fetchargs, 28 fetched again",
			"2 probes, 70 fetchargs, 28 fetched again",
		}},
		{"live", func(n int) string {
			return "lists(return, ((char *********)raw)[0][0][0][0][0][0][0][0][1" + strings.Repeat("0", n) + "])"
		}, 0, [2]string{
			"2 probes, 24 fetchargs, 1 fetched again",
			"2 probes, 24 fetchargs",
		}},
		{"lines", conditions("many_args(a) if a != 1234567"), 314, [2]string{
			"1 probes, 1 fetchargs, 4094 characters of a filter",
			"1 probes, 1 fetchargs, 4094 characters of a filter",
		}},
		{"comm", conditions("many_args(a) if a != 12345678"), 305, [2]string{
			"1 probes, 1 fetchargs, 4094 characters of a filter",
			"1 probes, 1 fetchargs, 4094 characters of a filter",
		}},
		{"lines on 4 CPUs", conditions("many_args(this_cpu(ticks):u64, a) if a != 123456"), 305, [2]string{
			"1 probes, 3 fetchargs, 3976 characters of a filter",
			"1 probes, 3 fetchargs, 3976 characters of a filter",
		}},
		{"lines on 4 CPUs", conditions(taken + ") if a != 12"), 305, [2]string{
			"1 probes, 12 fetchargs, 3972 characters of a filter",
			"1 probes, 12 fetchargs, 3972 characters of a filter",
		}},
		{"lines on 4 CPUs", conditions(taken + ") if a != 123456"), 304, [2]string{
			"1 probes, 12 fetchargs, 3963 characters of a filter",
			"the filter has 4098 characters, the kernel takes 4094",
		}},
		{"cpus", func(int) string { return "many_args(this_cpu(ticks):u64)" }, 64, [2]string{
			"1 probes, 2 fetchargs",
			"this host has 65 CPUs: per-CPU values are fetched for up to 64",
		}},
	} {
		for i, want := range tt.want {
			plans, err := resolveOne(tt.spec(tt.n+i), bounded(tt.to, tt.n+i))
			if got := summary(plans, err); got != want {
				t.Errorf("%s, %d of %.60s:\n%q, want\n%q", tt.to, tt.n+i, tt.spec(1), got, want)
			}
		}
	}
}

// bounded returns a kernel for TestBounds; "cpus" has n CPUs.
func bounded(to string, n int) *target.Target {
	k := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "sample.btf"))}
	k.Features, _ = dynevent.FeaturesOf("6.12")
	k.Places = map[string]target.SymbolPlace{"ticks": {Addrs: []uint64{0x1000}, PerCPU: true, Room: 8}}
	switch to {
	case "live":
		k.Live = true
	case "counts":
		k = counting(nil)
	case "comm":
		k.Comm = "[" + strings.Repeat("abcdefghij", 10) + "]*"
	case "lines on 4 CPUs":
		n = 4
		fallthrough
	case "cpus":
		k.CPUs = &target.CPUs{Each: make([]dynevent.CPU, n)}
		for i := range n {
			k.CPUs.Each[i] = dynevent.CPU{N: i, Table: kernelText}
		}
	}
	return k
}
