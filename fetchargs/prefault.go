package fetchargs

import (
	"fmt"
	"slices"
)

// prefault checks whether the event of the system call itself reads memory that the plan
// reads. That event comes first and may wait for a page, so the memory is paged in by
// the time the function is entered, and conditions also see it.
func (r *resolver) prefault() {
	if r.fn.Call == nil || r.fn.Call.ABI.Narrow || !r.fn.Target.Live || r.fn.Target.SyscallReads == nil {
		return // the kernel has no such events for calls of 32-bit programs
	}
	reads := r.fn.Target.SyscallReads(r.fn.Call.Name)
	for i, p := range r.fn.Call.Proto.Params {
		if slices.Contains(reads, p.Name) && r.entry.Follows(r.walk.Params[i]) {
			r.out.PrefaultCall = r.fn.Call.Name
			r.out.Details = append(r.out.Details, fmt.Sprintf("the kernel brings %s into memory for the event sys_enter_%s", p.Name, r.fn.Call.Name))
		}
	}
}
