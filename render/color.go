package render

// A Style is a role that text can have in a line, shown by a colour.
type Style uint8

const (
	Aside   Style = iota // time, caller
	Heading              // function names, "tsnoop:"
	Literal              // strings
	Failure              // errors and faults
	Caret                // of a picture
)

// sgr are the terminal's escape sequences for the styles (ECMA-48, "SGR").
var sgr = [...]string{
	Aside:   "\x1b[2m",
	Heading: "\x1b[1m",
	Literal: "\x1b[32m",
	Failure: "\x1b[31m",
	Caret:   "\x1b[1;32m",
}

// Paint starts text in style s, if there are to be colours.
func (o *Options) Paint(dst []byte, s Style) []byte {
	if !o.Color {
		return dst
	}
	return append(dst, sgr[s]...)
}

// Reset ends what Paint has started.
func (o *Options) Reset(dst []byte) []byte {
	if !o.Color {
		return dst
	}
	return append(dst, "\x1b[0m"...)
}
