package trace

import (
	"cmp"
	"context"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
)

// refuser returns a function for fetchargs.Target.Refused. What ftrace knows and kprobes
// do not need themselves can be probed. For all else the kernel is asked, if live is set,
// with probes that are never enabled.
func (m *Machine) refuser(t *fetchargs.Target) func(*fetchargs.Plan) (spec.Errors, error) {
	traceable := sync.OnceValue(t.Traceable)
	return func(p *fetchargs.Plan) (spec.Errors, error) {
		if p.Glob != nil { // has only functions that can be probed
			return nil, nil
		}
		name := p.Func.Name
		if p.IsSyscall() {
			name = p.Probes[0].Symbols[0]
		}
		known := traceable()
		switch {
		case m.blacklist()[name]:
			msg := "the kernel cannot probe " + p.Spec.Func.Text + ": " + m.whyNot(name, p.Func.Module)
			return spec.Errors{{Text: p.Spec.Text, Span: p.Spec.Func.Span, Msg: msg}}, nil
		case known != nil && known(p.Func.Module, name) || !t.Live:
			return nil, nil
		}
		return m.trial(p)
	}
}

// trial defines the probes of a plan and removes them again. It returns why the kernel
// refuses them.
func (m *Machine) trial(p *fetchargs.Plan) (refused spec.Errors, err error) {
	s, err := m.fs.NewSession(tracefs.Options{BufferKB: 64})
	if err != nil {
		return nil, nil // Arm returns that
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	t := &Trace{machine: m, session: s, progress: func(string, int, int) {}}
	all, err := t.defineSides(context.Background(), []*fetchargs.Plan{p})
	if err != nil {
		return nil, err
	}
	return all[0].Unique(), nil
}
