package btf

import (
	"path"
	"strings"
)

// Glob returns a function that reports whether a pattern matches a whole name. * is any
// text, ? any character, [a-z] one of a class, [^a-z] and [!a-z] one that is not in a
// class. The error is path.ErrBadPattern.
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
