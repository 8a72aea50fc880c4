package plan

import (
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// A Many is one event at all functions that a glob matches: an fprobe event, which since 6.5
// costs the kernel little more than one at a single function. A kprobe event for each takes
// 10 ms to enable and 20 ms to remove.
//
// All records have the same fields, and the address of the function. The reader drops those of
// functions that are not asked for. The kernel keeps a count of missed calls (nmissed in
// include/linux/fprobe.h) and does not show it.
type Many struct {
	Glob      string // in the kernel's syntax
	Event     string // name, without group
	Kind      dynevent.Kind
	Args      []dynevent.Arg // nil if it is part of a recording
	Filter    string
	Functions int // whose records are asked for
	MaxActive int // as in Probe
}

// A Share is the part of a Many that is about one function.
type Share struct {
	Of     *Many
	Addr   uint64 // of the function, as the records have it: that of its ftrace site
	Number int    // from 1, among all shares of a run
}

// Definition returns the line that defines the event. active is as in [dynevent.Kind.Head].
func (m *Many) Definition(group string, active int) string {
	var line strings.Builder
	head := m.Kind.Head(group, m.Event, 0)
	if active > 0 {
		head = strings.Replace(head, ":", strconv.Itoa(active)+":", 1)
	}
	line.WriteString(head + " " + m.Glob + m.Kind.AfterPlace())
	for _, a := range m.Args {
		line.WriteString(" " + a.Name + "=" + a.String())
	}
	return line.String()
}

// Manys returns the events that the plans share, each once.
func Manys(plans []*Plan) (all []*Many) {
	known := map[*Many]bool{}
	for _, p := range plans {
		for _, probe := range p.Probes {
			if s := probe.Share; s != nil && !known[s.Of] {
				known[s.Of] = true
				all = append(all, s.Of)
			}
		}
	}
	return all
}

// ShareIn makes the probe a share of an event. Its Args and Event stay.
func (p *Probe) ShareIn(m *Many, addr uint64, number int) {
	p.Share, p.Kind = &Share{Of: m, Addr: addr, Number: number}, m.Kind
	m.Functions++
}

// Separate gives the probes of the plan events of their own again.
func (p *Plan) Separate() {
	for _, probe := range p.Probes {
		if probe.Share == nil {
			continue
		}
		probe.Share.Of.Functions--
		if probe.Share, probe.Kind = nil, dynevent.Kprobe; probe.Side == dynevent.Return {
			probe.Kind = dynevent.Kretprobe
		}
	}
}

// Shares reports whether the plan has its records from events of many functions.
func (p *Plan) Shares() bool { return p.Probes[0].Share != nil }

// KernelEvent returns the name that the kernel has for the probe's event.
func (p *Probe) KernelEvent() string {
	if p.Share != nil {
		return p.Share.Of.Event
	}
	return p.Event
}

// EventOf returns the function that the probe's event is about, or the glob of all of them.
func (p *Probe) EventOf() string {
	if p.Share != nil {
		return p.Share.Of.Glob
	}
	return p.Plan.Spec.Func.Text
}

// Shared returns the fetcharg of an event of many functions that has the value of p.Args[i].
// It reports false if that is possible only in an event of the function's own.
func (p *Probe) Shared(i int) (dynevent.Arg, bool) {
	a := p.Args[i]
	switch {
	case !dynevent.Fentries.Takes(&a):
		return a, false
	case i == p.Comm:
		a.Name = "task_comm"
	case i == p.Caller:
		a.Name = "caller"
	case i == p.Stack:
		a.Name = "stack"
	case a.Base.Kind == dynevent.ArgN && a.Base.N <= mostShared && a.Type.Size <= 8 && !a.IsString():
		a.Name, a.Type = "arg"+strconv.FormatInt(a.Base.N, 10), dynevent.X64
	case a.Base.Kind == dynevent.Retval && a.Type.Size <= 8 && !a.IsString():
		a.Name, a.Type = "retval", dynevent.X64
	default:
		return a, false
	}
	return a, true
}

// mostShared is how many arguments of a function are in registers that an fprobe has: those
// that x86-64 and arm64 both have.
const mostShared = 6
