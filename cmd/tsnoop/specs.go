package main

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

func openTracefs(o *flags.Options) (*tracefs.FS, error) {
	if o.Tracefs != "" {
		return tracefs.At(o.Tracefs)
	}
	return tracefs.Find()
}

// machine returns this machine. If tracefs cannot be read, nothing can be armed. That
// is an error if arms is set, or if the user has said where tracefs is.
func machine(o *flags.Options, arms bool) (*trace.Machine, error) {
	fs, err := openTracefs(o)
	if err != nil && (arms || o.Tracefs != "") {
		return nil, err
	}
	return trace.NewMachine(fs), nil
}

// planSlowly is like plan, but reports progress if it takes long.
func planSlowly(o *flags.Options, ui *terminal.UI, text bool) (*trace.Machine, []*fetchargs.Plan, error) {
	defer ui.Watch(func() string { return "reading the kernel's types and symbols..." })()
	return plan(o, text)
}

// plan resolves the specs for this machine.
func plan(o *flags.Options, text bool) (*trace.Machine, []*fetchargs.Plan, error) {
	m, err := machine(o, true)
	if err != nil {
		return nil, nil, err
	}
	po, err := planOptions(o)
	if err != nil {
		return nil, nil, err
	}
	po.Text = text
	plans, err := m.Plan(o.Args, po)
	if err != nil {
		return nil, nil, err
	}
	return m, plans, checkPlans(o, plans)
}

// linePlans resolves specs for the lines that --emit prints. If tracefs cannot be read,
// it is assumed to offer what every kernel since 5.10 does.
func linePlans(o *flags.Options, specs []string) ([]*fetchargs.Plan, error) {
	m, err := machine(o, false)
	if err != nil {
		return nil, err
	}
	po, err := planOptions(o)
	if err != nil {
		return nil, err
	}
	po.Lines, po.Explained = true, o.Explain
	return m.Plan(specs, po)
}

// planOptions says what the specs are resolved for.
func planOptions(o *flags.Options) (po trace.PlanOptions, err error) {
	po = o.Plan
	po.CPUs = o.Trace.CPUs
	po.Pair = o.Pairs()
	if len(o.BTF) > 0 {
		po.Kernel, err = kernelOf(o)
	}
	return po, err
}

// kernelOf opens the BTF files in the options, or that of the running kernel.
func kernelOf(o *flags.Options) (*btf.Kernel, error) {
	if len(o.BTF) == 0 {
		return btf.Running(), nil
	}
	k := btf.Open(o.BTF...)
	return k, k.CheckModules()
}

// checkPlans refuses specs that cannot be shown in the way that was asked for.
func checkPlans(o *flags.Options, plans []*fetchargs.Plan) error {
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
