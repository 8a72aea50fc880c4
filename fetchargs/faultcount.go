package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

const (
	kprobeBuckets = 64                 // of 8 bytes: KPROBE_TABLE_SIZE
	hashShift     = 58                 // 64 - KPROBE_HASH_BITS
	hashFactor    = 0x61c8864680b583eb // GOLDEN_RATIO_64
)

// A counter is the FaultCount of the probes of one function.
type counter struct {
	target.FaultCount
	addr  uint64 // of the function
	depth int    // kprobes before its own in the bucket of the table
}

// counter returns the counter of the plan's function. Functions whose probes the run
// defines later come before it in the bucket. If somebody else's probes also do, the
// address of the kprobe shows that, and nothing is proven.
func (r *resolver) counter() *counter {
	addr, ok := r.addressIn(r.fn.EntryPoint)
	at := slices.Index(r.order, r.fn.EntryPoint)
	if !ok || at < 0 || r.fn.Proto.Module != "" {
		return nil
	}
	c := &counter{FaultCount: *r.fn.Target.FaultCount, addr: addr}
	for _, name := range r.order[at+1:] {
		if other, ok := r.addressIn(name); ok && bucket(other) == bucket(addr) {
			c.depth++
		}
	}
	if _, text, limit := r.enc.Fitted(c.misses()); len(text) > limit {
		return nil
	}
	return c
}

// addressIn returns the address of a function of the kernel, if there is exactly one.
func (r *resolver) addressIn(name string) (uint64, bool) {
	offsets := r.fn.Symbols[name].Offsets
	if len(offsets) != 1 || offsets[0] == 0 {
		return 0, false
	}
	return r.fn.Target.FaultCount.Text + offsets[0], true
}

// bucket is hash_ptr of include/linux/hash.h.
func bucket(addr uint64) uint64 { return addr * hashFactor >> hashShift }

// kprobe returns the fetcharg of the n-th kprobe of the bucket.
func (c *counter) kprobe(n int) dynevent.Arg {
	first := dynevent.Base{Kind: dynevent.Memory, Name: dynevent.KprobeTable, N: int64(8 * bucket(c.addr)), Addr: c.Table}
	return dynevent.Arg{Base: first, Hops: make([]dynevent.Hop, n), Type: dynevent.X64} // hlist.next is the first member
}

// misses returns the fetcharg of the count. If several probes share the address,
// the one in the table stands for all of them, and they are in its list. A single
// probe is in its own list.
func (c *counter) misses() dynevent.Arg {
	return c.kprobe(c.depth).Then(dynevent.Hop{Offset: c.List}).Then(dynevent.Hop{Offset: c.Misses - c.List})
}

// counted adds the kprobe and its address, which the proof by the counter needs.
func (b *builder) counted(m piece) *value.Proof {
	c := b.counter
	p := &value.Proof{Kind: value.Counted, Reads: m.reads, Addr: c.addr, End: c.UserEnd, From: m.at, To: m.at + int64(m.size)}
	if m.text {
		m.arg = b.firstByte(m)
	}
	p.Read = m.arg + 1
	for n := range c.depth + 1 {
		i, _ := b.line.Add(c.kprobe(n), "kprobe", m.span)
		p.Args = append(p.Args, i)
	}
	i, _ := b.line.Add(c.kprobe(c.depth).Then(dynevent.Hop{Offset: c.Addr}), "kprobe addr", m.span)
	p.Args = append(p.Args, i)
	b.reads = append(b.reads, p)
	return p
}
