package fetchargs

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// These are what Resolve returns, and what whoever calls it fills in.
type (
	Plan  = plan.Plan
	Probe = plan.Probe

	Target      = target.Target
	SymbolFacts = target.SymbolFacts
	SymbolPlace = target.SymbolPlace
	FaultCount  = target.FaultCount
	CPUs        = target.CPUs
)
