package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/btf"
)

// The functions here append the text of one number. x has been widened to 64
// bits, signed or not as the view's rule says.

func decimalText(v *view, dst []byte, x uint64) []byte {
	if v.sign == signed {
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendUint(dst, x, 10)
}

func hexText(_ *view, dst []byte, x uint64) []byte {
	return strconv.AppendUint(append(dst, "0x"...), x, 16)
}

func octalText(_ *view, dst []byte, x uint64) []byte {
	if x != 0 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, x, 8)
}

func boolText(v *view, dst []byte, x uint64) []byte {
	if x > 1 {
		return decimalText(v, dst, x)
	}
	return strconv.AppendBool(dst, x == 1)
}

func charText(v *view, dst []byte, x uint64) []byte {
	if x > 0xff {
		return decimalText(v, dst, x)
	}
	return appendChar(dst, byte(x))
}

// enumText appends the constant's name, or a cast if the enum has none for x.
func enumText(v *view, dst []byte, x uint64) []byte {
	if name := btf.EnumName(v.enum, x); name != "" {
		return appendEscaped(dst, []byte(name), noQuote)
	}
	if v.enum.Name != "" {
		dst = append(dst, "(enum "...)
		dst = appendEscaped(dst, []byte(v.enum.Name), noQuote)
		dst = append(dst, ')')
	}
	return decimalText(v, dst, x)
}

// pointerText appends an address, NULL, or the error in an error pointer.
func pointerText(v *view, dst []byte, x uint64) []byte {
	switch {
	case x == 0:
		return append(dst, "NULL"...)
	case isErrno(x):
		dst = append(v.opts.color(dst, failure), "ERR_PTR("...)
		dst = append(appendErrno(dst, x), ')')
		return v.opts.reset(dst)
	}
	return hexText(v, dst, x)
}

// symbolText appends the name of what lies at an address of the kernel.
func symbolText(v *view, dst []byte, x uint64) []byte {
	if v.opts.Symbol != nil && x != 0 {
		if name, module, off, ok := v.opts.Symbol(x); ok {
			return appendSymbol(dst, name, module, off)
		}
	}
	return pointerText(v, dst, x)
}

// appendSymbol appends a symbol as the kernel's %ps does: "func+0x10 [module]".
func appendSymbol(dst []byte, name, module string, off uint64) []byte {
	dst = appendEscaped(dst, []byte(name), noQuote)
	if off != 0 {
		dst = strconv.AppendUint(append(dst, "+0x"...), off, 16)
	}
	if module != "" {
		dst = append(appendEscaped(append(dst, " ["...), []byte(module), noQuote), ']')
	}
	return dst
}

// errnoText appends an error number by name. Members such as sk_err hold it
// as a positive number, but a function that returns one has succeeded: that is a
// count.
func errnoText(v *view, dst []byte, x uint64) []byte {
	if isErrno(x) {
		return appendErrno(dst, x)
	}
	if name := errnoName(int64(x)); name != "" && !v.returned {
		return append(dst, name...)
	}
	return decimalText(v, dst, x)
}

// returnText appends a return value that is an error if it is a small negative
// number.
func returnText(v *view, dst []byte, x uint64) []byte {
	name := returnedErrno(x)
	if name == "" {
		return decimalText(v, dst, x)
	}
	dst = append(decimalText(v, v.opts.color(dst, failure), x), " ("...)
	dst = append(append(dst, name...), ')')
	return v.opts.reset(dst)
}

// appendErrno appends the error x, which isErrno holds to be one: "-ENOENT".
func appendErrno(dst []byte, x uint64) []byte {
	if name := errnoName(-int64(x)); name != "" {
		return append(append(dst, '-'), name...)
	}
	return strconv.AppendInt(dst, int64(x), 10)
}

// returnedErrno is the name of the error x, "" if it is none or has no name.
func returnedErrno(x uint64) string {
	if !isErrno(x) {
		return ""
	}
	return errnoName(-int64(x))
}

// secondsText appends nanoseconds as seconds, exactly.
func secondsText(v *view, dst []byte, x uint64) []byte {
	if v.sign == signed && int64(x) < 0 {
		dst, x = append(dst, '-'), -x
	}
	return append(appendSeconds(dst, x, 9), 's')
}

func ip4Text(_ *view, dst []byte, x uint64) []byte {
	return appendIP4(dst, []byte{byte(x >> 24), byte(x >> 16), byte(x >> 8), byte(x)})
}

// memoryText appends the bytes of a number in the order they have in memory.
func memoryText(v *view, dst []byte, x uint64) []byte {
	n := v.size()
	for i := range n {
		shift := 8 * i
		if v.bigEndian {
			shift = 8 * (n - 1 - i)
		}
		if i > 0 {
			dst = append(dst, ' ')
		}
		c := byte(x >> shift)
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}
