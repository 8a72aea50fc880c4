package cond

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// constant turns the value of a comparison into a constant that fits f.
func (m *comparer) constant(c *spec.Compare, f *value.Field) (Constant, bool) {
	l := c.Value
	switch {
	case f.Encoding == value.Who && (c.Mask != nil || !l.IsText()):
		m.Fail(c.Where(), "", "a task is compared by its name: text in quotes, with ==, != or ~")
		return Constant{}, false
	case c.Mask != nil && f.Encoding != value.Integer && f.Encoding != value.BitField:
		m.Fail(c.X.Where(), "", "%s is %s: only numbers have bits", c.X, value.TypeName(f.Type))
		return Constant{}, false
	case c.Mask != nil:
		return m.maskedConstant(c, f)
	case comparedAsText(f):
		return m.textConstant(c, f)
	case f.Encoding == value.Array:
		return m.bytesConstant(c, f)
	case c.Op == "~":
		m.notText(c, f, fmt.Sprintf("~ matches text, and %s is %s", c.X, value.TypeName(f.Type)))
		return Constant{}, false
	}
	return m.numberConstant(c, f)
}

// numberConstant returns the constant that a number is compared with: a number, or the
// prefix of an address.
func (m *comparer) numberConstant(c *spec.Compare, f *value.Field) (Constant, bool) {
	l := c.Value
	n, ok := m.integer(c, l, f)
	if !ok {
		return Constant{}, false
	}
	if c.Op == "<" && n.Sign() == 0 && !f.Signed && btf.Pointee(f.Type) != nil {
		m.FailFix(c.Where(), spec.Fix{Span: c.Where(), Text: fmt.Sprintf("%s >= 0x%x", spec.Formatted(c.X, c.Format), abi.ErrorPointers)}, "test for an error with ", "%s is a pointer, and never less than 0", c.X)
		return Constant{}, false
	}
	if bits := new(big.Int).Rsh(n, f.Width()-1); c.Op == "&" && f.Signed && f.Unsigned() == 0 && bits.Cmp(big.NewInt(1)) == 0 {
		n = new(big.Int).Sub(n, new(big.Int).Lsh(bits, f.Width())) // the sign bit, and others
	}
	k, ok := m.fit(n, l, f)
	if ok && l.Bits > 0 && l.Bits < 32 {
		if c.Op != "==" && c.Op != "!=" {
			m.Fail(l.Span, "use == or !=", "a prefix cannot be compared with %s", c.Op)
			return k, false
		}
		k.Mask = f.Swapped(uint64(^uint32(0) << (32 - l.Bits)))
	}
	return k, ok
}

// maskedConstant returns the constant of (X & MASK) == VALUE.
func (m *comparer) maskedConstant(c *spec.Compare, f *value.Field) (Constant, bool) {
	unsigned := *f
	unsigned.Signed = false
	if wide := f.Unsigned(); wide > 0 {
		unsigned.Encoding, unsigned.Size = value.Integer, wide/8
	}
	if c.Op == "&" || c.Op == "~" {
		m.Fail(c.Where(), "", "a masked value cannot be compared with %s", c.Op)
		return Constant{}, false
	}
	if c.Mask.Kind == spec.Word && m.isValue(c.Mask.Text) {
		m.Fail(c.Mask.Span, "", "the mask must be a number, and %s is a value", c.Mask)
		return Constant{}, false
	}
	mask, ok := m.integer(c, c.Mask, f)
	if !ok {
		return Constant{}, false
	}
	bits, ok := m.fit(mask, c.Mask, &unsigned)
	if !ok {
		return Constant{}, false
	}
	value, ok := m.integer(c, c.Value, f)
	if !ok {
		return Constant{}, false
	}
	v, ok := m.fit(value, c.Value, &unsigned)
	if !ok {
		return Constant{}, false
	}
	if bits.Num == 0 {
		m.Fail(c.Mask.Span, "", "a mask of 0 has no bits")
		return Constant{}, false
	}
	if v.Num&^bits.Num != 0 && (c.Op == "==" || c.Op == "!=") {
		m.Fail(c.Value.Span, "", "%s & %s is never %s", c.X, c.Mask, c.Value)
		return Constant{}, false
	}
	v.Mask = bits.Num
	return v, true
}

func (m *comparer) textConstant(c *spec.Compare, f *value.Field) (Constant, bool) {
	l := c.Value
	switch {
	case l.IsNull() && (c.Op == "==" || c.Op == "!="): // text in place is not a pointer
		m.FailFix(c.X.Where(), spec.Fix{Span: c.Where(), Text: fmt.Sprintf(`%s %s ""`, spec.Formatted(c.X, c.Format), c.Op)}, "test whether it is empty with ",
			"%s is text in place, and never NULL", c.X)
		return Constant{}, false
	case !l.IsText():
		lead, fix := "put text in quotes: ", spec.Fix{Span: l.Span, Text: `"` + spec.Escape(l.Text, '"') + `"`}
		if btf.Pointee(f.Type) != nil && c.Format.Text == "" {
			lead, fix = fmt.Sprintf("put text in quotes: %s; or compare the pointer's value: ", fix.Text), spec.Fix{Span: c.X.Where(), Text: "(u64)" + c.X.String()}
			if l.Kind != spec.Number {
				lead, fix = "put text in quotes: ", spec.Fix{Span: l.Span, Text: `"` + spec.Escape(l.Text, '"') + `"`}
			}
		}
		m.FailFix(l.Span, fix, lead, "%s is text and cannot be compared with %s", c.X, l.Text)
		return Constant{}, false
	case c.Op != "==" && c.Op != "!=" && c.Op != "~":
		m.Fail(l.Span, `use ==, != or ~ "glob*"`, "text cannot be compared with %s", c.Op)
		return Constant{}, false
	case c.Op == "~" && !m.checkGlob(l):
		return Constant{}, false
	}
	return Constant{Text: l.Text, Kind: value.Text}, true
}

// bytesConstant returns the constant of an address. A MAC address may be compared
// with the beginning of a field that has room for longer addresses.
func (m *comparer) bytesConstant(c *spec.Compare, f *value.Field) (Constant, bool) {
	l, size := c.Value, f.Size*f.Count
	longer := len(l.Bytes) == 6 && f.Size == 1 && size > 6
	switch {
	case l.Kind == spec.Address && len(l.Bytes) != size && !longer:
		m.Fail(l.Span, addressHint(size), "%s has %s, %s has %d", c.X, plural.Of(size, "byte"), l, len(l.Bytes))
		return Constant{}, false
	case l.Kind != spec.Address:
		m.FailFix(l.Span, spec.Fix{Span: c.X.Where(), Text: spec.Postfixed(c.X) + "[0]"}, "compare one element: ", "%s has %s and cannot be compared with %s", c.X, plural.Of(size, "byte"), l)
		return Constant{}, false
	case c.Op != "==" && c.Op != "!=":
		m.Fail(l.Span, "use == or !=", "an address cannot be compared with %s", c.Op)
		return Constant{}, false
	}
	return Constant{Bytes: l.Bytes, Bits: l.Bits, Kind: value.Bytes}, true
}

func addressHint(size int) string {
	switch size {
	case 6:
		return "write a MAC address, which has 6 bytes: 52:54:00:12:34:56"
	case 16:
		return "write an IPv6 address, which has 16 bytes: fe80::1"
	}
	return ""
}

// notText adds an error for text that is compared with a number.
func (m *comparer) notText(c *spec.Compare, f *value.Field, msg string) {
	switch t := f.Type; {
	case !c.Value.IsText():
		m.FailFix(c.Value.Span, spec.Fix{Span: spec.Span{Pos: c.X.Where().End, End: c.Value.Pos}, Text: " =="}, "compare numbers with", "%s", msg)
	case c.Format.Text != "":
		m.FailFix(c.Value.Span, spec.Fix{Span: c.Format.Span, Text: "string"}, "give the format of text at a pointer: ", "%s", msg)
	case t == nil || btf.Pointee(t) != nil:
		m.FailFix(c.Value.Span, spec.Fix{Span: c.X.Where(), Text: c.X.String() + ":string"}, "compare the text at the pointer: ", "%s", msg)
	case f.Encoding == value.Integer && f.Size == 8 && !btf.IsStruct(t):
		m.FailFix(c.Value.Span, spec.Fix{Span: c.X.Where(), Text: "(char *)" + c.X.String()}, "if it is an address of text write ", "%s", msg)
	case f.Encoding == value.Integer && f.Size == 1 && isCharacter(c.Value.Text):
		m.FailFix(c.Value.Span, spec.Fix{Span: c.Value.Span, Text: "'" + c.Value.Text + "'"}, "put one character in single quotes: ", "%s", msg)
	default:
		m.FailFix(c.Value.Span, spec.Fix{Span: c.Where(), Text: spec.Formatted(c.X, c.Format) + " == 0"}, "compare it with a number: ", "%s", msg)
	}
}

// isCharacter reports whether text is a character that needs no escape in C.
func isCharacter(text string) bool {
	return len(text) == 1 && ' ' <= text[0] && text[0] <= '~' && text != "'" && text != `\`
}

// integer returns the number that l stands for when it is compared with f.
func (m *comparer) integer(c *spec.Compare, l *spec.Literal, f *value.Field) (*big.Int, bool) {
	switch l.Kind {
	case spec.Number, spec.CharLit:
		return l.Int, true
	case spec.Address:
		return m.ipv4(c, l, f)
	case spec.Time:
		m.Fail(l.Span, "use duration, the time that a call took", "%s is a time, and %s is %s", l, c.X, value.TypeName(f.Type))
		return nil, false
	case spec.Quoted:
		m.notText(c, f, fmt.Sprintf("%s is %s and cannot be compared with text", c.X, value.TypeName(f.Type)))
		return nil, false
	}
	switch l.Text {
	case "NULL", "false":
		return new(big.Int), true
	case "true":
		return big.NewInt(1), true
	}
	word, negative := strings.CutPrefix(l.Text, "-")
	if n, ok := value.Errno(word); ok {
		switch {
		case negative && (btf.Pointee(f.Type) != nil || f.Type == nil && !f.Signed): // a register's number has no sign
			return new(big.Int).SetUint64(uint64(-n)), true
		case negative:
			return big.NewInt(-n), true
		}
		return big.NewInt(n), c.Mask != nil || !m.isReturned(l, n, f)
	}
	n, err := m.named(word, f)
	if err != nil {
		m.FailWith(l.Span, m.constants(l, f, err), m.wordHint(word, f.Type, err), "%q is not a constant, errno or parameter", word)
		return nil, false
	}
	if negative {
		n.Neg(n)
	}
	return n, true
}

// isReturned adds an error, and returns true, if f is compared with the number n of an
// error although the kernel has -n there: in return values and in pointers. Elsewhere the
// kernel stores errors either way, as 2 or -2.
func (m *comparer) isReturned(l *spec.Literal, n int64, f *value.Field) bool {
	pointer := btf.Pointee(f.Type) != nil
	if !pointer && (f.Name != "return" || len(f.PointerChecks) > 0) {
		return false
	}
	what, text := "return values", "-"+l.Text
	if pointer {
		what = "pointers"
	}
	if !pointer && f.Type != nil && !f.Signed {
		text = fmt.Sprintf("0x%x", uint64(-n)&(1<<f.Width()-1))
	}
	m.FailFix(l.Span, spec.Fix{Span: l.Span, Text: text}, "write ", "%s is %d, and errors in %s are negative", l.Text, n, what)
	return true
}

// named returns the value of an enum constant or a macro that is compared with f.
func (m *comparer) named(word string, f *value.Field) (*big.Int, error) {
	v, err := m.Enumerator(f.Type, word)
	if err != nil {
		if n, ok := macro(m.Macros(), word, f); ok {
			return n, nil
		}
		return nil, err
	}
	n := big.NewInt(v)
	if v < 0 && !f.Signed {
		n.SetUint64(uint64(v))
	}
	return n, nil
}

// ipv4 returns an IPv4 address as the number to compare with f. The type or format
// of f must say that f is in network byte order.
func (m *comparer) ipv4(c *spec.Compare, l *spec.Literal, f *value.Field) (*big.Int, bool) {
	size, _ := btf.Size(btf.Pointee(f.Type))
	switch {
	case len(l.Bytes) == 4 && f.Size == 4 && f.Encoding == value.Integer && f.BigEndian:
		return new(big.Int).SetBytes(l.Bytes), true
	case len(l.Bytes) == 4 && f.Size == 4 && f.Encoding == value.Integer:
		msg := fmt.Sprintf("%s is %s, and an address is in network byte order", c.X, value.TypeName(f.Type))
		whole := c.X.Where()
		whole.End = max(whole.End, c.Format.Span.End)
		m.FailFix(l.Span, spec.Fix{Span: whole, Text: c.X.String() + ":ip4"}, "if it is an address write ", "%s", msg)
	case len(l.Bytes) == 4 && size == 4 && c.Format.Text == "":
		m.FailFix(l.Span, spec.Fix{Span: c.X.Where(), Text: "*" + c.X.String()}, "read what it points to: ", "%s is a pointer", c.X)
	default:
		m.Fail(l.Span, "", "%s has %s, %s has %d", c.X, plural.Of(f.Size, "byte"), l, len(l.Bytes))
	}
	return nil, false
}

// wordHint returns the hint for a word that is not known, which is compared with a value of
// type t.
func (m *comparer) wordHint(word string, t btf.Type, err error) string {
	var own []string
	if e, ok := err.(*btf.NotFoundError); ok {
		own = e.Suggestions
		if _, enum := btf.Strip(t).(*btf.Enum); !enum {
			own = m.SimilarConstants(word)
		}
	}
	for _, name := range m.Values() {
		if strings.EqualFold(name, word) {
			own = append(own, name)
		}
	}
	suggestions := btf.Suggest(word, func(yield func(string) bool) {
		for _, name := range own {
			if !yield(name) {
				return
			}
		}
		m.Macros().EachName(yield)
	})
	return spec.DidYouMean(suggestions, "use a macro of the kernel's user API: others are not known")
}

// fit checks that n can be a value of f, because otherwise it could never match,
// and converts it to f's byte order.
func (m *comparer) fit(n *big.Int, l *spec.Literal, f *value.Field) (Constant, bool) {
	width, wide := f.Width(), uint(f.Unsigned())
	if wide > 0 {
		width = wide
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), width)
	kind := value.Uint
	if f.Signed && wide == 0 {
		kind = value.Int
		high.Rsh(high, 1)
		low.Neg(high)
	}
	if high.Sub(high, big.NewInt(1)); kind == value.Uint && n.Cmp(big.NewInt(-1)) == 0 && value.NewType(f, false, nil).Form == value.ID {
		n = high // no user or group, as it is shown
	}
	if n.Cmp(low) < 0 || n.Cmp(high) > 0 {
		m.Fail(l.Span, fmt.Sprintf("give a value from %s to %s", low, high), "%s does not fit %s, which is %s", l.Text, f.Label, value.KindOf(f))
		if n.Sign() < 0 && !f.Signed {
			same := new(big.Int).Add(n, new(big.Int).Add(high, big.NewInt(1)))
			if same.Sign() > 0 {
				m.Errs[len(m.Errs)-1].Mend(l.Span, "write it as unsigned: ", fmt.Sprintf("0x%x", same))
			}
		}
		return Constant{}, false
	}
	num := new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64() // two's complement
	if f.BigEndian {
		num = f.Swapped(num)
	}
	return Constant{Num: num, Kind: kind}, true
}
