package pushdown

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// bytes writes a comparison of bytes for the kernel. Filters must not use arrays
// (5.10 crashes), so it compares numbers of up to 8 bytes each, which are fetched only
// for the filter.
func (s *Side) bytes(t *cond.Test, f *value.Field) (string, bool) {
	arg, c := s.Line.Args[f.Arg], t.Value
	if c.Kind != value.Bytes || t.Op != "==" && t.Op != "!=" {
		return "", false
	}
	bits := 8 * len(c.Bytes)
	if c.Bits > 0 {
		bits = c.Bits
	}
	var words []word
	for at := 0; 8*at < bits; at += words[len(words)-1].size {
		w, ok := wordAt(c, at, bits, s.Fn.Target.Arch.BigEndian, arg)
		if !ok || len(w.arg.String())+len(":x64") > s.Fn.Target.Features.MaxArg() {
			return "", false
		}
		words = append(words, w)
	}
	var parts []string
	for _, w := range words {
		i, ok := s.Line.Add(w.arg.As(dynevent.Number("x", w.size)), f.Label, arg.Span)
		if !ok {
			return "", false
		}
		name := s.Line.Args[i].Name
		if w.mask != 0 {
			parts = append(parts, masked(cond.Constant{Num: w.num, Mask: w.mask}, name, &value.Field{}, "=="))
		} else {
			parts = append(parts, fmt.Sprintf("%s == 0x%x", name, w.num))
		}
	}
	text := strings.Join(parts, " && ")
	if t.Op == "!=" {
		text = "!(" + text + ")"
	}
	return text, true
}

// A word is a part of the bytes that are compared, as a number in the machine's byte
// order.
type word struct {
	arg       dynevent.Arg // without its type
	size      int          // bytes
	num, mask uint64       // mask is 0 if all bits are compared
}

// wordAt returns the comparison of the bytes from at on, of bits in all. big is the byte
// order of the machine, and array the fetcharg of all bytes.
func wordAt(c cond.Constant, at, bits int, big bool, array dynevent.Arg) (w word, ok bool) {
	left := (bits+7)/8 - at
	for w.size = 8; w.size > left; {
		w.size /= 2
	}
	var num, mask [8]byte
	for i := range w.size {
		mask[i] = 0xff
		if over := 8*(at+i+1) - bits; over > 0 {
			mask[i] <<= over
		}
		num[i] = c.Bytes[at+i] & mask[i]
	}
	w.num, w.mask = value.Load(num[:w.size], big), value.Load(mask[:w.size], big)
	if w.mask == ^uint64(0)>>(64-8*w.size) {
		w.mask = 0
	}
	w.arg, ok = array.Shifted(at)
	return w, ok
}
