package plan

import "github.com/tsnoop/tsnoop/fetchargs/dynevent"

// An Own says what a trace fetches with a probe for itself.
type Own struct{ Caller, Stack, Comm bool }

// Own returns what a trace fetches with the probe for itself, if its plan has returns that are
// paired with entries or not. A call has the caller and the name of the task that its entry
// has: $comm costs as much as several numbers, more for each letter, and is not fetched if
// names are known without it.
func (p *Probe) Own(paired bool) Own {
	atReturn := p.Side == dynevent.Return
	return Own{
		Caller: !atReturn && p.Part == 0 && p.Kind.AtFunction() && !p.Plan.NoCallers,
		Stack:  paired && !(atReturn && p.Plan.OnceAt(p.Symbols[0])),
		Comm:   (!atReturn || !paired) && !p.Plan.NamesKnown,
	}
}
