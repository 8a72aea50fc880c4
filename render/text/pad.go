package text

import "github.com/tsnoop/tsnoop/render"

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
