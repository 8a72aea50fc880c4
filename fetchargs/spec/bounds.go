package spec

import (
	"errors"
	"fmt"
)

// Bounds of specs keep what they cost in proportion to their length. The specs that people
// and their scripts write stay far below: a kernel's probe has at most 128 values, and
// follows at most 14 pointers to one.
const (
	MaxText  = 16 << 10  // bytes of a spec
	MaxAll   = 128 << 10 // bytes of all specs of a run
	MaxItems = 500       // of a spec
	MaxRow   = 50        // members, elements, steps or alternatives in a row
	// MaxNesting limits the recursion.
	MaxNesting = 100
	// MaxErrors is how many errors in the specs of a run are looked for. To look for what
	// might have been meant takes long.
	MaxErrors = 50
)

// tooLong returns the error about a spec that is longer than MaxText.
func tooLong(text string) Errors {
	return Errors{{Text: text[:MaxText], Span: Span{0, 1}, Msg: fmt.Sprintf("this spec has %d bytes, and at most %d are possible", len(text), MaxText),
		Hint: "make several specs of it: each is traced by itself"}}
}

// ParseAll parses the specs of a run. wrong is what is wrong with them, up to MaxErrors; the
// others are returned anyway.
func ParseAll(texts []string) (specs []*Spec, wrong Errors) {
	size := 0
	for _, text := range texts {
		if size += len(text); size > MaxAll {
			wrong = append(wrong, &Error{Text: text[:min(len(text), MaxText)], Span: Span{0, 1}, Hint: "name many functions with one glob: 'tcp_*'",
				Msg: fmt.Sprintf("the specs up to this one have %d bytes, and at most %d are possible", size, MaxAll)})
			return specs, wrong
		}
		s, err := Parse(text)
		var errs Errors
		switch {
		case err == nil:
			specs = append(specs, s)
		case errors.As(err, &errs):
			if wrong = append(wrong, errs...); len(wrong) >= MaxErrors {
				return specs, wrong[:MaxErrors]
			}
		}
	}
	return specs, wrong
}

// A row is a kind of things of which a spec can have MaxRow in a row, and what helps if it has
// more.
type row struct{ what, hint string }

var (
	memberRow      = row{"members and elements", "write fewer: no kernel follows more than 14 pointers"}
	stepRow        = row{"steps", memberRow.hint}
	alternativeRow = row{"alternatives", "leave out alternatives that this kernel does not have"}
)

// inRow counts one more of a row, which begins with n = 0. If there are too many, it adds an
// error at the current token and returns false.
func (p *parser) inRow(n *int, of row) bool {
	if *n++; *n <= MaxRow {
		return true
	}
	p.fail(p.tok.Span, of.hint, "more than %d %s in a row", MaxRow, of.what)
	return false
}
