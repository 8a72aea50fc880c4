package target

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// A Witness locates the counter of a probe of tsnoop's own, at the function of the kernel that
// every fault passes which copy_from_kernel_nofault survives. A probe that is hit while the
// CPU handles another one is not run. The kernel counts it in nmissed of struct kprobe
// (reenter_kprobe and optimized_callback of arch/*/kernel/kprobes, 5.10 to 7.3), so the count
// rises with each fetch of another probe that faults. Two fetchargs that fetch the counter
// before and after a value show whether reading the value has faulted.
//
// Reads that the kernel refuses do not fault: see [value.ReadCheck].
type Witness struct {
	List, Misses, Addr, Flags int64 // offsets of members of struct kprobe, in bytes

	// Event is the offset of the pointer to the event, from the beginning of its struct
	// kprobe, and ID that of the number in the event.
	Event, ID int64

	Table    uint64 // address of kprobe_table
	Function uint64 // address of WitnessFunction
}

// WitnessFunction looks for the code to go on with after a fault. It is called in the faulting
// context (arch/x86/mm/extable.c, arch/arm64/mm/extable.c).
const WitnessFunction = "fixup_exception"

// WitnessOf returns where the counter of a probe is; nil if types do not show it, or symbols
// are hidden. addrs returns the addresses of a symbol of the kernel itself.
func WitnessOf(k *btf.Kernel, addrs func(symbol string) []uint64) *Witness {
	known := true
	offset := func(typ, member string) int64 {
		t, err := k.Type("struct " + typ)
		if err != nil {
			known = false
			return 0
		}
		m, err := btf.Member(t, member)
		known = known && err == nil
		return int64(m.Offset)
	}
	at := func(symbol string) uint64 {
		all := addrs(symbol)
		if known = known && len(all) == 1; !known {
			return 0
		}
		return all[0]
	}
	w := &Witness{
		List: offset("kprobe", "list"), Misses: offset("kprobe", "nmissed"), Addr: offset("kprobe", "addr"), Flags: offset("kprobe", "flags"),
		Event: offset("trace_kprobe", "tp") + offset("trace_probe", "event") - offset("trace_kprobe", "rp") - offset("kretprobe", "kp"),
		ID:    offset("trace_probe_event", "call") + offset("trace_event_call", "event") + offset("trace_event", "type"),
	}
	first := offset("kprobe", "hlist") == 0
	known = known && first && w.Addr == w.Misses+8
	if known { // symbols may take long to be found
		w.Table, w.Function = at(dynevent.KprobeTable), at(WitnessFunction)
	}
	if !known {
		return nil
	}
	return w
}
