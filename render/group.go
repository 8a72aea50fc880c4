package render

import (
	"fmt"
	"slices"
)

// A GroupMode says what the headings above groups of calls are.
type GroupMode uint8

const (
	GroupNone     GroupMode = iota // no headings
	GroupTask                      // the task that makes the calls
	GroupFunction                  // the function that is called
)

// groupModes has the names of the modes.
var groupModes = [...]string{GroupTask: "task", GroupFunction: "function"}

// ParseGroupMode returns the mode of that name, for --group.
func ParseGroupMode(name string) (GroupMode, error) {
	if m := slices.Index(groupModes[1:], name); m >= 0 {
		return GroupMode(1 + m), nil
	}
	return GroupNone, fmt.Errorf("nothing to group by is called %q", name)
}

// GroupModes returns the names of the modes.
func GroupModes() []string { return slices.Clone(groupModes[1:]) }
