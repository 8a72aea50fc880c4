// Package target is what a command line is about: a machine, this one or one that it
// describes, with its types, and what specs become there.
package target

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// Tracefs opens the tracefs of this host, or the one that the user has named.
func Tracefs(o *flags.Options) (*tracefs.FS, error) {
	if o.Tracefs != "" {
		return tracefs.At(o.Tracefs)
	}
	return tracefs.Find()
}

// Host returns this host. If tracefs cannot be read, nothing can be armed. That
// is an error if arms is set, or if the user has said where tracefs is.
func Host(o *flags.Options, arms bool) (*host.Host, error) {
	fs, err := Tracefs(o)
	if err != nil && (arms || o.Tracefs != "") {
		return nil, err
	}
	return host.New(fs), nil
}

// NoModule returns err. If that is that there is no module of a name, which may be one of
// events, and this host's tracefs cannot be read, a *tracefs.HostError says why not.
func NoModule(o *flags.Options, err error) error {
	var missing *btf.NotFoundError
	if len(o.BTF) > 0 || !errors.As(err, &missing) || missing.What != "module" {
		return err
	}
	var unread *tracefs.HostError
	if _, e := Tracefs(o); !errors.As(e, &unread) {
		return err
	}
	hint := unread.Hint
	if errors.Is(unread, fs.ErrPermission) && os.Geteuid() != 0 {
		hint = "run as root: " + o.Line("sudo tsnoop "+o.Command)
	}
	return &tracefs.HostError{Msg: fmt.Sprintf("no module %s is known, and events cannot be read: %s", missing.Name, unread.Msg), Hint: hint, Err: err}
}

// Plans resolves the specs for this host. later, if not nil, is as in
// [host.PlanOptions].
func Plans(o *flags.Options, text bool, later func(*spec.Spec)) (*host.Host, []*plan.Plan, error) {
	h, err := Host(o, true)
	if err != nil {
		return nil, nil, err
	}
	po, err := PlanOptions(o)
	if err != nil {
		return nil, nil, err
	}
	po.Text, po.Later = text, later
	plans, err := h.Plan(o.Args, po)
	if err != nil {
		return nil, nil, err
	}
	return h, plans, CheckPlans(o, plans)
}

// LinePlans resolves specs for the lines that --emit prints. If tracefs cannot be read,
// it is assumed to offer what every kernel since 5.10 does.
func LinePlans(o *flags.Options, specs []string) ([]*plan.Plan, error) {
	h, err := Host(o, false)
	if err != nil {
		return nil, err
	}
	po, err := PlanOptions(o)
	if err != nil {
		return nil, err
	}
	po.Lines, po.Explained = true, o.Explain
	return h.Plan(specs, po)
}

// PlanOptions says what the specs are resolved for. Files of types are read only once.
func PlanOptions(o *flags.Options) (po host.PlanOptions, err error) {
	if len(o.BTF) > 0 && o.Plan.Kernel == nil {
		kernel, err := Kernel(o)
		if err != nil {
			return po, err
		}
		o.Plan.Kernel = kernel
	}
	po = o.Plan
	po.CPUs, po.Pair, po.Raw, po.FromFile = o.Trace.CPUs, o.Pairs(), o.Reader != "text", len(o.Files) > 0
	// The functions of one event cannot be edited one by one, the text of its records has another form, and the stacks of those that are dropped would stay.
	po.Kprobes = po.Kprobes || o.Trace.Reload || o.Trace.Stacks || o.Reader == "text"
	return po, nil
}

// Kernel opens the BTF files in the options, or that of the running kernel.
func Kernel(o *flags.Options) (*btf.Kernel, error) {
	if len(o.BTF) == 0 {
		return btf.Running(), nil
	}
	k := btf.Open(o.BTF...)
	return k, k.CheckModules()
}

// CheckPlans refuses specs that cannot be shown in the way that was asked for.
func CheckPlans(o *flags.Options, plans []*plan.Plan) error {
	if !o.Begins() {
		return nil
	}
	for _, p := range plans {
		if p.HoldsBack() {
			return flags.Errorf("leave the condition on the return value or the duration out, or --chain and --tree",
				"%s: a call is shown when it begins, before its end can decide", p.Spec.Func.Text)
		}
	}
	return nil
}
