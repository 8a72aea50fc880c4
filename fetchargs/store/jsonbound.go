package store

import "fmt"

// CheckJSON returns an error if JSON has more objects and arrays than its size justifies.
// An object of three bytes can become a structure of several hundred. Saved plans have one
// in every 30 bytes or more.
func CheckJSON(data []byte) error {
	n, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case !quoted && (c == '{' || c == '['):
			n++
		}
	}
	if most := mostObjects + len(data)/bytesAnObject; n > most {
		return fmt.Errorf("%w: %d objects and arrays of JSON in %d bytes, more than %d", ErrSaved, n, len(data), most)
	}
	return nil
}

const (
	mostObjects   = 16 << 10
	bytesAnObject = 20
)
