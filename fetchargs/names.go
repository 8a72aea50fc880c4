package fetchargs

import "github.com/tsnoop/tsnoop/fetchargs/target"

// These are what whoever calls Resolve fills in.
type (
	Target      = target.Target
	SymbolFacts = target.SymbolFacts
	SymbolPlace = target.SymbolPlace
	FaultCount  = target.FaultCount
	CPUs        = target.CPUs
)
