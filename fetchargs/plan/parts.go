package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// NamedIn returns the args that a filter names.
func NamedIn(args []dynevent.Arg, filter string) (used []dynevent.Arg) {
	words := strings.FieldsFunc(filter, func(c rune) bool { return c > 0x7f || !spec.IsWord(byte(c)) })
	for _, a := range args {
		if slices.Contains(words, a.Name) {
			used = append(used, a)
		}
	}
	return used
}

// SameFilters checks that all parts of a side have the same filter and fetch what
// it needs. Otherwise some parts would be recorded without the others.
func (p *Plan) SameFilters() error {
	for _, side := range []dynevent.Side{dynevent.Entry, dynevent.Return} {
		parts := p.Of(side)
		for _, part := range parts {
			if part.Filter != parts[0].Filter {
				return fmt.Errorf("part %d of the %s has another filter: %s", part.Part, side, part.Filter)
			}
			for _, a := range NamedIn(parts[0].Args, part.Filter) {
				same := func(b dynevent.Arg) bool { return b.Name == a.Name && b.String() == a.String() }
				if !slices.ContainsFunc(part.Args, same) {
					return fmt.Errorf("part %d of the %s does not fetch %s=%s", part.Part, side, a.Name, a)
				}
			}
		}
	}
	return nil
}
