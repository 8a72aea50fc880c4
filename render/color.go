package render

// A Style is a meaning that text can have in a line. Each has a colour; none says
// what the text does not say itself.
type Style uint8

const (
	Aside   Style = iota // what is seldom looked for: time, CPU, caller, comments
	Heading              // names of functions, "hint:"
	Group                // what the calls below are of
	Literal              // strings
	Failure              // errors: what a function has returned, error pointers, errno
	Unread               // what could not be read
	Quick                // durations that are nothing to worry about
	Slow                 // durations that somebody may feel
	Stall                // durations that anybody would
	Caret                // of a picture
)

// sgr are the terminal's escape sequences for the styles (ECMA-48, "SGR"), of the
// eight colours that every terminal has.
var sgr = [...]string{
	Aside:   "\x1b[2m",
	Heading: "\x1b[1m",
	Group:   "\x1b[1;36m",
	Literal: "\x1b[32m",
	Failure: "\x1b[31m",
	Unread:  "\x1b[35m",
	Quick:   "\x1b[2m",
	Slow:    "\x1b[33m",
	Stall:   "\x1b[1;33m",
	Caret:   "\x1b[1;32m",
}

// shades are the styles of durations from so many ns on, the longest first. Those
// between are plain.
var shades = [...]struct {
	from  uint64
	style Style
}{{100e6, Stall}, {1e6, Slow}}

// quick is below how many ns a duration is Quick.
const quick = 10e3

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

// AppendDuration appends ns as the function of that name does, shaded by how long it is.
func (o *Options) AppendDuration(dst []byte, ns uint64) []byte {
	if !o.Color {
		return AppendDuration(dst, ns)
	}
	if ns < quick {
		return o.Reset(AppendDuration(o.Paint(dst, Quick), ns))
	}
	for _, shade := range shades {
		if ns >= shade.from {
			return o.Reset(AppendDuration(o.Paint(dst, shade.style), ns))
		}
	}
	return AppendDuration(dst, ns)
}
