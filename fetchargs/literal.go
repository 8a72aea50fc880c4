package fetchargs

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// A constant is a literal that was found to fit the field it is compared
// with: a number in the field's own width and byte order, text, or bytes.
type constant struct {
	num   uint64 // sign-extended if the field is signed
	text  string
	bytes []byte
	kind  Kind   // Int or Uint, Text, Bytes
	shown string // as written in the spec
}

// constant makes of l what can be compared with f.
func (r *resolver) constant(l *Literal, f *Field, op Op) (constant, bool) {
	c, ok := r.constantOf(l, f, op)
	c.shown = l.String()
	return c, ok
}

func (r *resolver) constantOf(l *Literal, f *Field, op Op) (constant, bool) {
	switch f.Encoding {
	case String:
		return r.textConstant(l, f, op)
	case Array:
		return r.bytesConstant(l, f, op)
	}
	if op == "~" {
		r.fail(l.Span, "use ==", "~ matches text, and %s is %s", f.Label, typeName(f.Type))
		return constant{}, false
	}
	n, ok := r.integer(l, f)
	if !ok {
		return constant{}, false
	}
	return r.fit(n, l, f)
}

func (r *resolver) textConstant(l *Literal, f *Field, op Op) (constant, bool) {
	if l.Kind != Quoted && l.Kind != CharLit {
		r.fail(l.Span, fmt.Sprintf("put it in quotes: %q; for the pointer's value, use a cast: (u64)", l.Text),
			"%s is text and cannot be compared with %s", f.Label, l.Text)
		return constant{}, false
	}
	switch op {
	case "==", "!=", "~":
		return constant{text: l.Text, kind: Text}, true
	}
	r.fail(l.Span, `text has ==, != and ~ "glob*"`, "text cannot be compared with %s", op)
	return constant{}, false
}

func (r *resolver) bytesConstant(l *Literal, f *Field, op Op) (constant, bool) {
	if l.Kind != Address || len(l.Bytes) != f.Size*f.Count {
		r.fail(l.Span, fmt.Sprintf("compare one element: %s[0]", f.Label), "%s has %d bytes and cannot be compared with %s",
			f.Label, f.Size*f.Count, l)
		return constant{}, false
	}
	if op != "==" && op != "!=" {
		r.fail(l.Span, "an address has == and !=", "an address cannot be compared with %s", op)
		return constant{}, false
	}
	return constant{bytes: l.Bytes, kind: Bytes}, true
}

// integer is the number that l stands for next to f.
func (r *resolver) integer(l *Literal, f *Field) (*big.Int, bool) {
	switch l.Kind {
	case Number, CharLit:
		return l.Int, true
	case Address:
		if len(l.Bytes) == 4 && f.Size == 4 {
			return new(big.Int).SetBytes(l.Bytes), true
		}
		r.fail(l.Span, "", "%s has %d bytes, %s has %d", f.Label, f.Size, l, len(l.Bytes))
		return nil, false
	case Quoted:
		r.fail(l.Span, "for text behind a pointer use "+f.Label+":string in the list of items and a condition on it",
			"%s is %s and cannot be compared with text", f.Label, typeName(f.Type))
		return nil, false
	}
	switch l.Text {
	case "NULL", "false":
		return new(big.Int), true
	case "true":
		return big.NewInt(1), true
	}
	word, negative := strings.CutPrefix(l.Text, "-")
	if n, ok := errnos[word]; ok {
		if negative {
			n = -n
		}
		return big.NewInt(n), true
	}
	v, err := r.target.Kernel.Enumerator(f.Type, word)
	if err != nil {
		r.failWith(l.Span, err, r.wordHint(word, err), "%q is no constant, errno or parameter", word)
		return nil, false
	}
	n := big.NewInt(v)
	if v < 0 && !f.Signed {
		n.SetUint64(uint64(v))
	}
	if negative {
		n.Neg(n)
	}
	return n, true
}

func (r *resolver) wordHint(word string, err error) string {
	var near []string
	if e, ok := err.(*btf.NotFoundError); ok {
		near = e.Near
	}
	for _, p := range r.fn.Params {
		if strings.EqualFold(p.Name, word) {
			near = append(near, p.Name)
		}
	}
	return didYouMean(near, fmt.Sprintf("macros of the kernel are not known; text needs quotes: %q", word))
}

// fit checks that n can be a value of f, which otherwise could never match,
// and brings it into f's byte order.
func (r *resolver) fit(n *big.Int, l *Literal, f *Field) (constant, bool) {
	width := uint(f.Size * 8)
	if f.Encoding == BitField {
		width = uint(f.Bits)
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), width)
	kind := Uint
	if f.Signed {
		kind = Int
		high.Rsh(high, 1)
		low.Neg(high)
	}
	if high.Sub(high, big.NewInt(1)); n.Cmp(low) < 0 || n.Cmp(high) > 0 {
		hint := fmt.Sprintf("its values are %s to %s", low, high)
		if n.Sign() < 0 && !f.Signed {
			same := new(big.Int).Add(n, new(big.Int).Add(high, big.NewInt(1)))
			if same.Sign() > 0 {
				hint = fmt.Sprintf("it is unsigned: write 0x%x", same)
			}
		}
		r.fail(l.Span, hint, "%s does not fit %s, which is %s", l.Text, f.Label, typeName(f.Type))
		return constant{}, false
	}
	num := n.Uint64()
	if n.Sign() < 0 {
		num = uint64(n.Int64())
	}
	if f.BigEndian {
		num = f.swapped(num)
	}
	return constant{num: num, kind: kind}, true
}

// swapped turns the byte order of a value of f around. In a register that may be
// some bytes of it.
func (f *Field) swapped(n uint64) uint64 {
	width := 8 * f.Size
	if f.Encoding == BitField {
		width = f.Bits
	}
	return bits.ReverseBytes64(n) >> (64 - width)
}

// filterText writes c for a kernel filter. Not all text can be: a filter has
// no escapes, and its strings have 255 bytes.
func (c constant) filterText(f *Field, op Op) (string, bool) {
	if c.kind != Text {
		if c.kind == Int {
			return strconv.FormatInt(int64(c.num), 10), true
		}
		if pointee(f.Type) != nil || op == "&" {
			return fmt.Sprintf("0x%x", c.num), true
		}
		return strconv.FormatUint(c.num, 10), true
	}
	text := c.text
	odd := slices.ContainsFunc([]byte(text), func(b byte) bool { return b < ' ' || b == 0x7f })
	if odd || len(text) > 200 || f.Count > 0 && len(text) >= f.Count {
		return "", false
	}
	if op == "~" {
		// filter_parse_regex negates at "!" and takes a leading digit for an
		// index; "\" escapes in some kinds of patterns only.
		if text == "" || text[0] == '!' || strings.Contains(text, `\`) {
			return "", false
		}
		if isDigit(text[0]) {
			text = "[" + text[:1] + "]" + text[1:]
		}
	}
	switch {
	case !strings.Contains(text, `"`):
		return `"` + text + `"`, true
	case !strings.Contains(text, `'`):
		return `'` + text + `'`, true
	}
	return "", false
}
