package fetchargs

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// bringIn checks whether the event of the system call itself reads memory that the
// plan reads. That event comes first and may wait for a page, so the memory is
// paged in by the time the function is entered, and conditions see it, too.
func (r *resolver) bringIn() {
	if r.call == nil || r.call.abi.Narrow || !r.target.Live || r.target.SyscallReads == nil {
		return // the kernel has no such events for calls of 32-bit programs
	}
	reads := r.target.SyscallReads(r.call.name)
	for i, p := range r.call.fn.Params {
		if slices.Contains(reads, p.Name) && r.entry.follows(r.params[i]) {
			r.out.BringsIn = r.call.name
			r.out.Details = append(r.out.Details, fmt.Sprintf("the kernel brings %s into memory for the event sys_enter_%s", p.Name, r.call.name))
		}
	}
}

// follows reports whether anything is fetched through the pointer p.
func (b *builder) follows(p route) bool {
	return slices.ContainsFunc(b.args, func(a dynevent.Arg) bool {
		return a.Base == p.base && len(a.Hops) > 1 && a.Hops[0] == dynevent.Hop{Offset: p.off}
	})
}
