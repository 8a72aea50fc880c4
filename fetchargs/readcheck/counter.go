package readcheck

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

const (
	kprobeBuckets = 64                 // of 8 bytes: KPROBE_TABLE_SIZE
	hashShift     = 58                 // 64 - KPROBE_HASH_BITS
	hashFactor    = 0x61c8864680b583eb // GOLDEN_RATIO_64
)

// A Counter is the FaultCount of the probes of one function.
type Counter struct {
	target.FaultCount
	addr  uint64 // of the function
	depth int    // kprobes before its own in the bucket of the table
}

// NewCounter returns the counter of a function, nil if there is none. Functions whose probes the
// run defines later, those after it in order, come before it in the bucket. If somebody else's
// probes also do, the address of the kprobe shows that, and nothing is proven.
func NewCounter(fn *find.Function, order []string, enc *encode.Encoder) *Counter {
	if fn.Target.FaultCount == nil || !fn.Source.AtFunctions() {
		return nil
	}
	addr, ok := addressIn(fn, fn.EntryPoint)
	at := slices.Index(order, fn.EntryPoint)
	if !ok || at < 0 || fn.Proto.Module != "" {
		return nil
	}
	c := &Counter{FaultCount: *fn.Target.FaultCount, addr: addr}
	for _, name := range order[at+1:] {
		if other, ok := addressIn(fn, name); ok && bucket(other) == bucket(addr) {
			c.depth++
		}
	}
	if _, text, limit := enc.Fitted(c.misses()); len(text) > limit {
		return nil
	}
	return c
}

// addressIn returns the address of a function of the kernel, if there is exactly one.
func addressIn(fn *find.Function, name string) (uint64, bool) {
	offsets := fn.Symbols[name].Offsets
	if len(offsets) != 1 || offsets[0] == 0 {
		return 0, false
	}
	return fn.Target.FaultCount.Text + offsets[0], true
}

// bucket is hash_ptr of include/linux/hash.h.
func bucket(addr uint64) uint64 { return addr * hashFactor >> hashShift }

// kprobe returns the fetcharg of the n-th kprobe of the bucket.
func (c *Counter) kprobe(n int) dynevent.Arg {
	first := dynevent.Base{Kind: dynevent.Memory, Name: dynevent.KprobeTable, N: int64(8 * bucket(c.addr)), Addr: c.Table}
	return dynevent.Arg{Base: first, Hops: make([]dynevent.Hop, n), Type: dynevent.X64} // hlist.next is the first member
}

// misses returns the fetcharg of the count. If several probes share the address,
// the one in the table stands for all of them, and they are in its list. A single
// probe is in its own list.
func (c *Counter) misses() dynevent.Arg {
	return c.kprobe(c.depth).Then(dynevent.Hop{Offset: c.List}).Then(dynevent.Hop{Offset: c.Misses - c.List})
}

// counted adds the kprobe and its address, which the check by the counter needs.
func (v *Builder) counted(m piece) *value.ReadCheck {
	c := v.counter
	p := &value.ReadCheck{Kind: value.Counted, Reads: m.reads, Addr: c.addr, End: c.UserEnd, From: m.at, To: m.at + int64(m.size)}
	if m.text {
		m.arg = v.firstByte(m)
	}
	p.Read = m.arg + 1
	for n := range c.depth + 1 {
		i, _ := v.line.Add(c.kprobe(n), "kprobe", m.span)
		p.Args = append(p.Args, i)
	}
	i, _ := v.line.Add(c.kprobe(c.depth).Then(dynevent.Hop{Offset: c.Addr}), "kprobe addr", m.span)
	p.Args = append(p.Args, i)
	v.reads = append(v.reads, p)
	v.misses = func(bool) (dynevent.Arg, string) { return c.misses(), "misses" }
	return p
}

// Order returns the numbers of the fetchargs in the order in which the kernel is to fetch
// them: as they were added, with the count of faults before and after all reads that it
// proves, and with the state of the witness after them.
func (v *Builder) Order() (line []int) {
	before, after := map[int]bool{}, map[int]bool{}
	for _, p := range v.reads {
		before[p.Read-1], after[p.Read-2+p.Reads] = true, true
	}
	counted := false // by the last fetcharg
	misses := func(like int) {
		if !counted {
			line = append(line, len(v.line.Args))
			count, label := v.misses(before[like])
			v.line.Append(count, label, v.line.Args[like].Span)
		}
		counted = true
	}
	for arg := range len(v.line.Args) {
		if arg == v.last-1 {
			continue
		}
		if before[arg] {
			misses(arg)
		}
		line, counted = append(line, arg), false
		if after[arg] {
			before[arg] = false
			misses(arg)
		}
	}
	if v.last > 0 {
		line = append(line, v.last-1)
	}
	return line
}
