package btf

import (
	"path"
	"strings"
)

// Glob makes of a pattern what tells whether it matches all of a name: * is any
// text, ? any letter, [a-z] one of a class, [^a-z] and [!a-z] one that is in none.
// The error is path.ErrBadPattern.
func Glob(pattern string) (func(name string) bool, error) {
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	return func(name string) bool {
		match, _ := path.Match(pattern, name)
		return match
	}, nil
}
