package render

// A Style is a meaning of text in a line. Each has a colour. A colour never adds
// information that the text does not have.
type Style uint8

const (
	Aside   Style = iota // details: time, CPU, caller, comments
	Heading              // names of functions, "hint:"
	Group                // heading of a group of calls
	Literal              // strings
	Failure              // errors: return values, error pointers, errno
	Unread               // values that could not be read
	Quick                // short durations
	Slow                 // durations that people may notice
	Stall                // durations that people will notice
	Caret                // the caret below a spec
)

// sgr has the terminal's escape sequences for the styles (ECMA-48, "SGR"). It uses only
// the eight colours that every terminal has.
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

// shades are the styles of durations of at least so many ns, the longest first. Durations
// between quick and the last one are plain.
var shades = [...]struct {
	from  uint64
	style Style
}{{100e6, Stall}, {1e6, Slow}}

// quick is the duration in ns below which a duration is Quick.
const quick = 10e3

// Paint appends the start of style s, if there are colours.
func (o *Options) Paint(dst []byte, s Style) []byte {
	if !o.Color {
		return dst
	}
	return append(dst, sgr[s]...)
}

// Reset appends the end of the style that Paint has started.
func (o *Options) Reset(dst []byte) []byte {
	if !o.Color {
		return dst
	}
	return append(dst, "\x1b[0m"...)
}

// AppendDuration appends ns like the function AppendDuration, coloured by its length.
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
