package main

import (
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

func openTracefs(o *options) (*tracefs.FS, error) {
	if o.tracefs != "" {
		return tracefs.At(o.tracefs)
	}
	return tracefs.Find()
}

// machine returns this machine. If tracefs cannot be read, nothing can be armed. That
// is an error if arms is set, or if the user has said where tracefs is.
func (o *options) machine(arms bool) (*trace.Machine, error) {
	fs, err := openTracefs(o)
	if err != nil && (arms || o.tracefs != "") {
		return nil, err
	}
	return trace.NewMachine(fs), nil
}

// planSlowly is like plan, but reports progress if it takes long.
func planSlowly(o *options, ui *ui, text bool) (*trace.Machine, []*fetchargs.Plan, error) {
	defer ui.watch(func() string { return "reading the kernel's types and symbols..." })()
	return plan(o, text)
}

// plan resolves the specs for this machine.
func plan(o *options, text bool) (*trace.Machine, []*fetchargs.Plan, error) {
	m, err := o.machine(true)
	if err != nil {
		return nil, nil, err
	}
	po, err := o.planOptions()
	if err != nil {
		return nil, nil, err
	}
	po.Text = text
	plans, err := m.Plan(o.args, po)
	if err != nil {
		return nil, nil, err
	}
	return m, plans, o.checkPlans(plans)
}

// linePlans resolves specs for the lines that --emit prints. If tracefs cannot be read,
// it is assumed to offer what every kernel since 5.10 does.
func linePlans(o *options, specs []string) ([]*fetchargs.Plan, error) {
	m, err := o.machine(false)
	if err != nil {
		return nil, err
	}
	po, err := o.planOptions()
	if err != nil {
		return nil, err
	}
	po.Lines, po.Explained = true, o.explain
	return m.Plan(specs, po)
}

// planOptions says what the specs are resolved for.
func (o *options) planOptions() (po trace.PlanOptions, err error) {
	po = o.plan
	po.CPUs = o.trace.CPUs
	po.Pair = o.pairs()
	if len(o.btf) > 0 {
		po.Kernel, err = kernelOf(o)
	}
	return po, err
}

// kernelOf opens the BTF files in the options, or that of the running kernel.
func kernelOf(o *options) (*btf.Kernel, error) {
	if len(o.btf) == 0 {
		return btf.Running(), nil
	}
	k := btf.Open(o.btf...)
	return k, k.CheckModules()
}

// noTypes adds to an error about missing BTF how to get it.
func noTypes(err error) error {
	if err == nil || !errors.Is(err, btf.ErrNoBTF) {
		return err
	}
	return &tracefs.MachineError{
		Msg:  fmt.Sprintf("there are no types to resolve names with: %v", err),
		Cure: "give BTF of this very kernel with --btf FILE: pahole --btf_encode_detached makes it from a vmlinux with debug information; BTFHub has it for many distributions",
		Err:  err,
	}
}

// checkPlans refuses specs that cannot be shown in the way that was asked for.
func (o *options) checkPlans(plans []*fetchargs.Plan) error {
	if !o.begins() {
		return nil
	}
	for _, p := range plans {
		if p.HoldsBack() {
			return usagef("leave the condition on the return value or the duration out, or --chain and --tree",
				"%s: a call is shown when it begins, before its end can decide", p.Spec.Func.Text)
		}
	}
	return nil
}
