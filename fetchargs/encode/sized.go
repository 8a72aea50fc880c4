package encode

import (
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// WordOf returns the size of the numbers as which a value of so many bytes is fetched.
func WordOf(size int) int {
	word := 8
	for size%word > 0 {
		word /= 2
	}
	return word
}

// Sized encodes so many bytes as numbers of size word, and what is left after the longest
// array as smaller ones.
func Sized(e Encoded, word, bytes int) Encoded {
	if bytes > word*dynevent.MaxElements {
		word = 8
	}
	e.Count = min(bytes/word, dynevent.MaxElements)
	e.Type = dynevent.Number("x", word)
	e.Field.Encoding, e.Field.Size, e.Field.Count = value.Array, word, bytes/word
	for at := e.Count * word; at < bytes; {
		for word > bytes-at {
			word /= 2
		}
		rest := e.Route.At(int64(at), nil).Arg().As(dynevent.Number("x", word))
		n := (bytes - at) / word
		if rest.Count = n; n == 1 {
			rest.Count = 0
		}
		e.Next = append(e.Next, rest)
		at += n * word
	}
	if len(e.Next) > 0 {
		e.Field.Size, e.Field.Count = 1, bytes
	}
	return e
}
