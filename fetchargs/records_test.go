package fetchargs_test

import (
	"fmt"
	"io"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// writeRecords writes where the records of probes, and of their spares, have what.
func writeRecords(w io.Writer, plans []*plan.Plan) {
	for _, p := range plan.Probes(plans) {
		writeRecord(w, p)
	}
}

func writeRecord(w io.Writer, p *plan.Probe) {
	fmt.Fprintf(w, "%s: comm %d, caller %d, stack %d, chooses %t, spare %t\n", p.Event, p.Comm, p.Caller, p.Stack, p.Chooses(), p.Spare != nil)
	for i, a := range p.Args {
		fmt.Fprintf(w, "  %d: %s=%s\n", i, a.Name, a)
	}
	for _, f := range p.Fields {
		fmt.Fprintf(w, "  %s: arg %d, again %d, alias %t", f.Label, f.Arg, f.Refetched, f.Alias)
		for _, g := range f.PointerChecks {
			fmt.Fprintf(w, ", through %d", g.Arg)
		}
		for path := f.Path; path != nil; path = path.Mount {
			fmt.Fprintf(w, ", path %d %d, ends %d %d %d+%d, file %d %d %d", path.Names, path.Dentries, path.Top, path.Up, path.Mnt, path.Off, path.Hash, path.Magic, path.Inode)
		}
		if f.Dump != nil {
			fmt.Fprintf(w, ", dump of %d bytes from %d on in %d args, %d after the pointer or at %#x, then %v", f.Count, f.Dump.At, f.Dump.Args, f.Dump.Off, f.Dump.Addr, f.Dump.Rest)
		}
		fmt.Fprintln(w)
	}
	for _, h := range p.Heads {
		fmt.Fprintf(w, "  head of arg %d of the probe: args %d to %d, sure %d bytes%s\n", h.Arg, h.First, h.First+h.Args-1, h.Sure, end(h.End))
	}
	if p.Filter != "" {
		fmt.Fprintf(w, "  filter: %s\n", p.KernelFilter())
	}
}

func end(check *value.ReadCheck) string {
	if check == nil {
		return ""
	}
	return fmt.Sprintf(", end in %d, trial %d", check.Args, check.Trial)
}
