package btf

import (
	"fmt"
	"iter"
)

// NotFoundError says that the BTF has nothing of that name.
type NotFoundError struct {
	What string   // "function", "module", "type", "member" or "enum constant"
	Name string   // as it was asked for
	In   string   // where it was looked for: "vmlinux", "struct sk_buff"
	Near []string // names close to it, the best one first, at most three

	// All yields what there is in the place of Name, and of each in C what it is; nil
	// if that is not known.
	All iter.Seq2[string, string]
}

// Error tells what is missing where, without the suggestions.
func (e *NotFoundError) Error() string {
	if e.In == "" {
		return fmt.Sprintf("no %s %q", e.What, e.Name)
	}
	return fmt.Sprintf("no %s %q in %s", e.What, e.Name, e.In)
}
