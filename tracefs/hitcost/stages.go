package hitcost

import (
	"fmt"
	"strings"
)

// A stage is a test probe that is enabled in addition to those before it.
type stage struct {
	name string
	kind string // "p" or "r"
	n    int    // how many values it fetches
	each string // fetcharg of each of them; %d is its number
}

const (
	first = iota
	further
	returns
	values
	reads
	texts
)

// readsEach is how many reads each value of the stage of reads takes.
const readsEach = 8

// stages are all at the same function. The stack pointer and the stack can be fetched at any
// function of any architecture, and no fetch faults. The cheap ones come first, since what a
// stage adds is known the better the less there was before.
var stages = [...]stage{
	first:   {name: "first", kind: "p"},
	further: {name: "further", kind: "p"},
	returns: {name: "returns", kind: "r"},
	values:  {name: "values", kind: "p", n: 16, each: "v%d=$stack"},
	reads:   {name: "reads", kind: "p", n: 16, each: fmt.Sprintf("v%%d=+0($stack):x64[%d]", readsEach)},
	texts:   {name: "texts", kind: "p", n: 8, each: "v%d=$comm"},
}

// definition returns the line that defines the event of the group at the symbol.
func (s *stage) definition(group, symbol string) string {
	words := []string{fmt.Sprintf("%s:%s/%s", s.kind, group, s.event(group)), symbol}
	for i := range s.n {
		words = append(words, fmt.Sprintf(s.each, i))
	}
	return strings.Join(words, " ")
}

// event returns the name of the event. No other session has it: kprobe_profile does not name
// groups.
func (s *stage) event(group string) string { return group + "_" + s.name }
