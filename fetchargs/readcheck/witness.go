package readcheck

import (
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// witness returns the probe that counts the faults of e, an object; nil if none does. It counts
// only while the kernel handles a kprobe, and only while kprobes are armed: a call may return
// after somebody has disarmed all of them (debugfs, kprobes/enabled). User memory is not read
// in every context (copy_from_user_nofault), which is not counted.
func (v *Builder) witness(e encode.Encoded) *target.Witness {
	labels, t := e.Route.Labels, v.fn.Target
	if v.counter != nil || t.Witness == nil || !t.Live || t.AsText || len(labels) == 0 || v.kind != dynevent.Kprobe {
		return nil
	}
	if e.Route.User || !labels[len(labels)-1].InKernel() && !t.Arch.OneSpace {
		return nil
	}
	return t.Witness()
}

// WitnessRoom returns how many bytes of the record, and characters of the line, the counts of
// all reads take if e is read too, and whether a witness counts that one.
func (v *Builder) WitnessRoom(e encode.Encoded) (record, line int, counts bool) {
	n := len(v.reads)
	if counts = v.witness(e) != nil; counts {
		n++
	}
	if n == 0 || v.counter != nil {
		return 0, 0, false
	}
	each := dynevent.MaxArgName + 2 + len(count(v.fn.Target.Witness(), 2).String())
	return 16*n + 8 + 4, each * (n + 2), counts
}

// member returns the fetcharg of a member of the witness's struct kprobe.
func member(offset int64, typ dynevent.Type) dynevent.Arg {
	return dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Memory, Name: dynevent.Witness, N: offset}, Type: typ}
}

// count returns the fetcharg of the count, and if words is 2 of the address of the probe, which
// follows it.
func count(w *target.Witness, words int) dynevent.Arg {
	a := member(w.Misses, dynevent.X64)
	if words > 1 {
		a.Count = words
	}
	return a
}

// witnessed adds what shows that the witness is still there and enabled. That is fetched after
// everything that it counts.
func (v *Builder) witnessed(w *target.Witness, m piece) *value.ReadCheck {
	p := &value.ReadCheck{Kind: value.Witnessed, Read: m.arg + 1, Reads: m.reads}
	flags, _ := v.line.Add(member(w.Flags, dynevent.Number("x", 4)), "witness flags", m.span)
	p.Args = []int{flags}
	v.reads, v.last = append(v.reads, p), flags+1
	v.misses = func(before bool) (dynevent.Arg, string) {
		if before {
			return count(w, 1), "faults"
		}
		return count(w, 2), "faults"
	}
	return p
}
