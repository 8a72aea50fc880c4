package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// withNarrow adds the plan for 32-bit programs. If there is none, it adds a note why to
// the plan for the machine's own programs.
func withNarrow(plans []*plan.Plan, plan *plan.Plan, j *find.Job, errs spec.Errors) []*plan.Plan {
	if len(errs) == 0 {
		plan.Glob = j.Glob
		return append(plans, plan)
	}
	for _, native := range slices.Backward(plans) {
		if native == nil {
			break
		} else if strings.HasPrefix(native.Func.Name, syscalls.Compat) {
			continue
		}
		by := ""
		if syscalls.Compat+native.Func.Name != j.Call.Proto.Name {
			by = " by " + j.Call.Name
		}
		native.Notes = append(native.Notes, "calls of 32-bit programs"+by+" are not shown: "+errs[0].Msg)
		break
	}
	return plans
}

// withVia adds a note to the plan of a system call if 32-bit programs may also do it in a
// way that is not shown.
func withVia(t *target.Target, p *plan.Plan, c *find.Syscall) {
	via := syscalls.NarrowOf(c.Name, t.Arch.Name).Via
	if via == "" || c.ABI.Narrow || len(find.OnlyNarrow(t, via)) == 0 {
		return
	}
	p.Notes = append(p.Notes, fmt.Sprintf("calls of 32-bit programs by %s are not shown: trace compat_sys_%[1]s", via))
}
