package text

import (
	"strconv"

	"github.com/tsnoop/tsnoop/render"
)

// padRight adds spaces until dst[start:] takes width columns.
func padRight(dst []byte, start, width int) []byte {
	for n := render.TextWidth(dst[start:]); n < width; n++ {
		dst = append(dst, ' ')
	}
	return dst
}

// padLeft moves dst[start:] right until it takes width columns; it is ASCII.
func padLeft(dst []byte, start, width int) []byte {
	n := width - (len(dst) - start)
	if n <= 0 {
		return dst
	}
	for range n {
		dst = append(dst, ' ')
	}
	copy(dst[start+n:], dst[start:])
	for i := range n {
		dst[start+i] = ' '
	}
	return dst
}

// appendRight appends x at the right end of width columns, at most 16, or of as many as
// it takes. A column of every line is written so: nothing has to be moved.
func appendRight(dst []byte, x uint64, width int) []byte {
	n := width - 1
	for rest := x; rest >= 10; rest /= 10 {
		n--
	}
	return strconv.AppendUint(append(dst, "                "[:max(n, 0)]...), x, 10)
}
