package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A FaultCount locates the counter in which kernels before 5.14 count the faulting
// fetches of a probe: nmissed of struct kprobe (kprobe_fault_handler, removed by
// ec6aba3d2be1). The kernel finds that struct in kprobe_table by the address of the
// probe, and so can a fetcharg. Two fetchargs that fetch the counter before and
// after a value show whether reading the value has faulted.
type FaultCount struct {
	List, Misses, Addr int64  // offsets of members of struct kprobe, in bytes
	Text               uint64 // address of _stext
	Table              uint64 // address of kprobe_table
	UserEnd            uint64 // end of user memory; faults at addresses after it are not counted
}

const (
	kprobeBuckets = 64                 // of 8 bytes: KPROBE_TABLE_SIZE
	hashShift     = 58                 // 64 - KPROBE_HASH_BITS
	hashFactor    = 0x61c8864680b583eb // GOLDEN_RATIO_64
)

// FaultCountOf returns the location of the counter; nil if the kernel has none, or
// hides it. addrs returns the addresses of a symbol of the kernel itself.
func FaultCountOf(k *btf.Kernel, addrs func(symbol string) []uint64, userEnd uint64) *FaultCount {
	kprobe, err := k.Type("struct kprobe")
	if err != nil {
		return nil
	}
	offset := func(name string) int64 {
		m, e := btf.Member(kprobe, name)
		if e != nil {
			err = e
		}
		return int64(m.Offset)
	}
	at := func(symbol string) uint64 {
		if all := addrs(symbol); len(all) == 1 {
			return all[0]
		}
		return 0
	}
	offset("fault_handler") // the member exists in the kernels that count
	c := &FaultCount{List: offset("list"), Misses: offset("nmissed"), Addr: offset("addr"), UserEnd: userEnd}
	if err != nil || offset("hlist") != 0 {
		return nil // before the symbols are looked at, which may take long
	}
	if c.Text, c.Table = at("_stext"), at(dynevent.KprobeTable); c.Table == 0 || c.Text == 0 {
		return nil
	}
	return c
}

// A counter is the FaultCount of the probes of one function.
type counter struct {
	FaultCount
	addr  uint64 // of the function
	depth int    // kprobes before its own in the bucket of the table
}

// counter returns the counter of the plan's function. Functions whose probes the run
// defines later come before it in the bucket. If somebody else's probes also do, the
// address of the kprobe shows that, and nothing is proven.
func (r *resolver) counter() *counter {
	addr, ok := r.addressIn(r.entryPoint)
	at := slices.Index(r.order, r.entryPoint)
	if !ok || at < 0 || r.fn.Module != "" {
		return nil
	}
	c := &counter{FaultCount: *r.target.FaultCount, addr: addr}
	for _, name := range r.order[at+1:] {
		if other, ok := r.addressIn(name); ok && bucket(other) == bucket(addr) {
			c.depth++
		}
	}
	if _, text, limit := r.fitted(c.misses()); len(text) > limit {
		return nil
	}
	return c
}

// addressIn returns the address of a function of the kernel, if there is exactly one.
func (r *resolver) addressIn(name string) (uint64, bool) {
	facts, err := r.symbolTable()
	offsets := facts[name].Offsets
	if err != nil || len(offsets) != 1 || offsets[0] == 0 {
		return 0, false
	}
	return r.target.FaultCount.Text + offsets[0], true
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
		i, _ := b.arg(c.kprobe(n), "kprobe", m.span)
		p.Args = append(p.Args, i)
	}
	i, _ := b.arg(c.kprobe(c.depth).Then(dynevent.Hop{Offset: c.Addr}), "kprobe addr", m.span)
	p.Args = append(p.Args, i)
	b.reads = append(b.reads, p)
	return p
}

// count adds fetchargs of the count before and after all reads that it proves.
func (b *builder) count() {
	before, after := map[int]bool{}, map[int]bool{}
	for _, p := range b.reads {
		before[p.Read-1], after[p.Read-2+p.Reads] = true, true
	}
	old := b.args
	b.args = nil
	moved, counted := make([]int, len(old)), false
	misses := func(like dynevent.Arg) {
		if !counted {
			b.named(b.counter.misses(), "misses", like.Span)
		}
		counted = true
	}
	for i, a := range old {
		if before[i] {
			misses(a)
		}
		moved[i], counted = len(b.args), false
		if b.args = append(b.args, a); after[i] {
			misses(a)
		}
	}
	b.probe.move(moved)
}
