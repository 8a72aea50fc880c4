package render

// A style is a role that text can have in a line, shown by a colour.
type style uint8

const (
	aside   style = iota // time, caller
	heading              // function names, "tsnoop:"
	literal              // strings
	failure              // errors and faults
	pointer              // the caret of a picture
)

// sgr are the terminal's escape sequences for the styles (ECMA-48, "SGR").
var sgr = [...]string{
	aside:   "\x1b[2m",
	heading: "\x1b[1m",
	literal: "\x1b[32m",
	failure: "\x1b[31m",
	pointer: "\x1b[1;32m",
}

// color starts text in style s, if there are to be colours.
func (o *Options) color(dst []byte, s style) []byte {
	if !o.Color {
		return dst
	}
	return append(dst, sgr[s]...)
}

// reset ends what color has started.
func (o *Options) reset(dst []byte) []byte {
	if !o.Color {
		return dst
	}
	return append(dst, "\x1b[0m"...)
}
