package btf

import (
	"fmt"
	"iter"
)

// A NotFoundError says that the BTF has nothing of that name.
type NotFoundError struct {
	What        string   // "function", "module", "type", "member" or "enum constant"
	Name        string   // the name that was asked for
	In          string   // where it was searched: "vmlinux", "struct sk_buff"
	Suggestions []string // similar names, at most three, the closest first

	// All yields the names that exist instead of Name, each with its type or value in C;
	// nil if they are not known.
	All iter.Seq2[string, string]
}

// Error says what is missing and where, without the suggestions.
func (e *NotFoundError) Error() string {
	switch e.In {
	case "":
		return fmt.Sprintf("there is no %s %s", e.What, e.Name)
	case "vmlinux":
		return fmt.Sprintf("there is no %s %s in this kernel", e.What, e.Name)
	}
	return fmt.Sprintf("there is no %s %s in %s", e.What, e.Name, e.In)
}
