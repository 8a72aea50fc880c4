package program

import (
	"fmt"
	"slices"
	"strconv"
)

// A Setter parses the value of a flag and stores it. If Set returns an Error, that
// is shown; otherwise the flag's row says what the value should be.
type Setter struct {
	Set   func(string) error
	Bare  string   // what the flag means without a value; "" if it needs one
	Words []string // what it may be, for completion
}

// Yes returns a Setter for a flag that takes no value.
//
//go:noinline
func Yes(to *bool) Setter { return Optional("true", Parsed(to, strconv.ParseBool)) }

// Word returns a Setter for any text that is not empty.
func Word(to *string) Setter {
	return Parsed(to, some)
}

// Words returns a Setter that appends any text to a list.
func Words(to *[]string) Setter {
	return Setter{Set: func(s string) error {
		*to = append(*to, s)
		return nil
	}}
}

// Names is like Words, but the text must not be empty.
func Names(to *[]string) Setter {
	return Setter{Set: func(s string) error {
		s, err := some(s)
		if err == nil {
			*to = append(*to, s)
		}
		return err
	}}
}

// OneOf returns a Setter for one of some words.
//
//go:noinline
func OneOf(to *string, words ...string) Setter {
	s := Parsed(to, func(s string) (string, error) {
		if !slices.Contains(words, s) {
			return "", fmt.Errorf("none of %q", words)
		}
		return s, nil
	})
	return Suggested(words, s)
}

// Suggested adds words to complete the value with.
func Suggested(words []string, s Setter) Setter {
	s.Words = words
	return s
}

// some accepts any text that is not empty.
func some(s string) (string, error) {
	if s == "" {
		return "", strconv.ErrSyntax
	}
	return s, nil
}

// Number returns a Setter for a number from 0, which means that the flag was not given,
// to most.
func Number(to *int, least, most int64) Setter {
	return Parsed(to, func(s string) (int, error) {
		n, err := strconv.ParseInt(s, 0, 64)
		if err == nil && (n < least || n > most) {
			err = strconv.ErrRange
		}
		return int(n), err
	})
}

// Parsed returns a Setter for what parse accepts.
func Parsed[T any](to *T, parse func(string) (T, error)) Setter {
	return Setter{Set: func(s string) (err error) {
		*to, err = parse(s)
		return err
	}}
}

// Optional makes the value of a flag optional; without it, bare is used.
func Optional(bare string, s Setter) Setter {
	s.Bare = bare
	return s
}
