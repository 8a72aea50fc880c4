package spec

import (
	"errors"
	"fmt"
)

// A Span is a range of a spec's text: bytes Pos up to, but not including, End.
type Span struct{ Pos, End int }

// Where returns the span: what has one is at that part of the spec.
func (s Span) Where() Span { return s }

// To returns the span from the start of s to the end of t.
func (s Span) To(t Span) Span { return Span{s.Pos, t.End} }

// An Error describes what is wrong with a spec: the place, the problem, and how to fix
// it. Err, if not nil, is the cause for errors.Is and errors.As.
type Error struct {
	Text string // the whole spec
	Span
	Where string // FILE:LINE:COLUMN of Span, "" if the spec is not from a file
	Msg   string // lowercase, no full stop
	Hint  string // "" if there is nothing to advise
	Fix   Fix    // the text that Hint ends in, if it is a piece of a spec
	Err   error
}

// A Fix is text that corrects a spec when it replaces the text at Span. TYPE, MEMBER and
// N in it are for the user to fill in.
type Fix struct {
	Span
	Text string
}

// Errorf returns an error at a part of a spec. Its Text is set by the [Collector] that it is
// added to.
//
//go:noinline
func Errorf(at Span, hint, format string, args ...any) *Error {
	return ErrorWith(at, nil, hint, format, args...)
}

// Errorf returns an error at what s is about.
//
//go:noinline
func (s *Spec) Errorf(hint, format string, args ...any) *Error {
	e := Errorf(s.Func.Span, hint, format, args...)
	e.Text = s.Text
	return e
}

// ErrorFix is like Errorf, with a hint that fixes the spec.
func ErrorFix(at Span, fix Fix, lead, format string, args ...any) *Error {
	e := Errorf(at, "", format, args...)
	e.Mend(fix.Span, lead, fix.Text)
	return e
}

// ErrorWith is like Errorf, for an error that has a cause.
//
//go:noinline
func ErrorWith(at Span, cause error, hint, format string, args ...any) *Error {
	return &Error{Span: at, Msg: fmt.Sprintf(format, args...), Hint: hint, Err: cause}
}

// Mend sets the hint of an error to lead and text, the text that should replace what is
// at span.
//
//go:noinline
func (e *Error) Mend(span Span, lead, text string) {
	e.Hint, e.Fix = lead+text, Fix{span, text}
}

func (e *Error) Error() string {
	if e.Where != "" {
		return fmt.Sprintf("%s: %s", e.Where, e.Msg)
	}
	return fmt.Sprintf("%s: %s", e.Text, e.Msg)
}

func (e *Error) Unwrap() error { return e.Err }

// ErrUnsupported is wrapped by errors about specs that are well formed but ask for
// something that tsnoop cannot do yet.
var ErrUnsupported = errors.New("not supported yet")

// Errors holds everything that is wrong with the specs of one run, in order.
type Errors []*Error

// Unique drops duplicate errors: a value in the condition of an item is both shown and
// compared, and so reports its errors twice.
//
//go:noinline
func (e Errors) Unique() Errors {
	type same struct {
		Span
		msg string
	}
	var once Errors
	seen := map[same]bool{}
	for _, err := range e {
		key := same{err.Span, err.Msg}
		if !seen[key] {
			once = append(once, err)
		}
		seen[key] = true
	}
	return once
}

func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%v (and %d more)", e[0], len(e)-1)
}

func (e Errors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, err := range e {
		errs[i] = err
	}
	return errs
}
