package target

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
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
