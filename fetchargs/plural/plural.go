// Package plural writes numbers with the nouns that they count.
package plural

import (
	"fmt"
	"strings"
)

// Of returns text like "1 call" or "2 calls", for a noun in the singular.
func Of[T int | int64 | uint32 | uint64](n T, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Were adds a verb to what Of returns: "1 call was" or "2 calls were".
func Were[T int | int64 | uint32 | uint64](n T, noun string) string {
	return Of(n, noun) + " " + Verb(n)
}

// Verb returns "was" or "were".
func Verb[T int | int64 | uint32 | uint64](n T) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// List returns text like "a, b and 3 more" with the first most of all, or with all of them if
// most is 0. It does not leave out a single one.
func List[T any](all []T, most int) string {
	more := len(all) - most
	if most == 0 || more <= 1 {
		more = 0
	}
	texts := make([]string, len(all)-more)
	for i := range texts {
		texts[i] = fmt.Sprint(all[i])
	}
	list := strings.Join(texts, ", ")
	if more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}
