package render

import (
	"fmt"
	"slices"
)

// GroupMode says what calls are shown under headings of.
type GroupMode uint8

const (
	GroupNone     GroupMode = iota // no headings
	GroupTask                      // the task that makes them
	GroupFunction                  // the function
)

// groupModes are the names of the modes.
var groupModes = [...]string{GroupTask: "task", GroupFunction: "function"}

// ParseGroupMode finds a mode by its name, as --group takes it.
func ParseGroupMode(name string) (GroupMode, error) {
	if m := slices.Index(groupModes[1:], name); m >= 0 {
		return GroupMode(1 + m), nil
	}
	return GroupNone, fmt.Errorf("nothing to group by is called %q", name)
}

// GroupModes are the names of the modes.
func GroupModes() []string { return slices.Clone(groupModes[1:]) }
