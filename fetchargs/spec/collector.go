package spec

import (
	"cmp"
	"strings"
)

// A Collector collects the errors of one spec.
type Collector struct {
	Text string // of the spec
	Most int    // errors to look for; 0 stands for MaxErrors
	Errs Errors
}

// Full reports whether there are so many errors that no further ones are looked for.
func (c *Collector) Full() bool { return len(c.Errs) >= cmp.Or(c.Most, MaxErrors) }

// Add adds an error.
//
//go:noinline
func (c *Collector) Add(e *Error) {
	e.Text = c.Text
	c.Errs = append(c.Errs, e)
}

// Fail adds an error at a part of the spec.
func (c *Collector) Fail(at Span, hint, format string, args ...any) {
	c.Add(Errorf(at, hint, format, args...))
}

// FailFix is like Fail, with a hint that fixes the spec.
//
//go:noinline
func (c *Collector) FailFix(at Span, fix Fix, lead, format string, args ...any) {
	c.Add(ErrorFix(at, fix, lead, format, args...))
}

// FailWith is like Fail, for an error that has a cause.
func (c *Collector) FailWith(at Span, err error, hint, format string, args ...any) {
	c.Add(ErrorWith(at, err, hint, format, args...))
}

// DidYouMean returns a hint that offers names, and says otherwise, if that is not "".
func DidYouMean(suggestions []string, otherwise string) string {
	if len(suggestions) == 0 {
		return otherwise
	}
	hint := "did you mean " + strings.Join(suggestions, ", ") + "?"
	if otherwise != "" {
		hint += " " + otherwise
	}
	return hint
}
