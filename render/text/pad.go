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

// padLeft moves dst[start:], which must be ASCII, right until it takes width columns.
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

// appendRight appends x right-aligned in width columns, at most 16; it takes more columns
// if it has to. It is used for columns of every line, and moves no bytes.
func appendRight(dst []byte, x uint64, width int) []byte {
	n := width - 1
	for rest := x; rest >= 10; rest /= 10 {
		n--
	}
	return strconv.AppendUint(append(dst, "                "[:max(n, 0)]...), x, 10)
}
