package render

import (
	"encoding/binary"
	"strconv"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// texts has the functions that show each form: one number, and several bytes that mean
// one thing. A number has been widened to 64 bits, with the sign of its type.
var texts = [...]struct {
	number numberText
	block  func(dst, b []byte) []byte
}{
	value.Decimal:   {number: decimalText},
	value.Hex:       {number: hexText},
	value.Octal:     {number: octalText},
	value.Char:      {number: charText},
	value.Bool:      {number: boolText},
	value.Byte:      {number: hexText},
	value.Enum:      {number: enumText},
	value.SockAddr:  {hexText, appendSockAddr},
	value.Bits:      {bitsText, appendBits},
	value.Named:     {number: namedText},
	value.Device:    {number: deviceText},
	value.UserDev:   {number: userDeviceText},
	value.ID:        {number: idText},
	value.Location:  {number: locationText},
	value.Address:   {number: addressText},
	value.Symbol:    {number: symbolText},
	value.Pointer:   {number: pointerText},
	value.Word:      {number: wordText},
	value.Returned:  {number: returnText},
	value.ErrorCode: {number: errnoText},
	value.Seconds:   {number: secondsText},
	value.Elapsed:   {number: elapsedText},
	value.Jiffies:   {number: jiffiesText},
	value.Task:      {number: decimalText},
	value.PerCPU:    {number: perCPUText},
	value.IP4:       {ip4Text, appendIP4},
	value.IP6:       {hexText, appendIP6},
	value.MAC:       {hexText, appendMAC},
	value.LongMAC:   {hexText, appendPaddedMAC},
	value.Memory:    {memoryText, appendHexBytes},
	value.Unknown:   {hexText, appendHexBytes},
}

// A numberText appends the text of one number.
type numberText func(o *Options, t *value.Type, dst []byte, x uint64) []byte

func decimalText(_ *Options, t *value.Type, dst []byte, x uint64) []byte {
	if t.Signed {
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendUint(dst, x, 10)
}

func hexText(_ *Options, _ *value.Type, dst []byte, x uint64) []byte {
	return strconv.AppendUint(append(dst, "0x"...), x, 16)
}

func octalText(_ *Options, _ *value.Type, dst []byte, x uint64) []byte {
	if x != 0 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, x, 8)
}

func boolText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if x > 1 {
		return decimalText(o, t, dst, x)
	}
	return strconv.AppendBool(dst, x == 1)
}

func charText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if x > 0xff {
		return decimalText(o, t, dst, x)
	}
	return appendChar(dst, byte(x))
}

// enumText appends the name of the constant, the names of combined flags, or a cast if the
// enum has none for x.
func enumText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if name := btf.EnumName(t.Enum, x); name != "" {
		return AppendEscaped(dst, []byte(name), NoQuote)
	}
	if bits, ok := btf.EnumBits(t.Enum); ok && x != 0 && x&^bits == 0 {
		return enumFlags(t.Enum, dst, x)
	}
	if t.Enum.Name != "" {
		dst = append(dst, "(enum "...)
		dst = AppendEscaped(dst, []byte(t.Enum.Name), NoQuote)
		dst = append(dst, ')')
	}
	return decimalText(o, t, dst, x)
}

// enumFlags appends the names of the bits of x, the lowest first. The enum has them all.
func enumFlags(e *btf.Enum, dst []byte, x uint64) []byte {
	for sep := ""; x != 0; sep = "|" {
		dst = append(dst, sep...)
		dst = AppendEscaped(dst, []byte(btf.EnumName(e, x&-x)), NoQuote)
		x &= x - 1
	}
	return dst
}

// namedText appends the names of flags, or of a number.
func namedText(_ *Options, t *value.Type, dst []byte, x uint64) []byte { return t.Names.Append(dst, x) }

// deviceText appends the major and minor number (MINORBITS in include/linux/kdev_t.h).
func deviceText(_ *Options, _ *value.Type, dst []byte, x uint64) []byte {
	const minorBits = 20
	dst = append(strconv.AppendUint(dst, x>>minorBits, 10), ':')
	return strconv.AppendUint(dst, x&(1<<minorBits-1), 10)
}

// userDeviceText appends the major and minor number of what programs and struct stat have
// (new_decode_dev in include/linux/kdev_t.h).
func userDeviceText(_ *Options, _ *value.Type, dst []byte, x uint64) []byte {
	dst = append(strconv.AppendUint(dst, x>>8&0xfff, 10), ':')
	return strconv.AppendUint(dst, x&0xff|x>>12&0xfff00, 10)
}

// idText appends the ID of a user or group: all ones are -1, as in chown(2).
func idText(_ *Options, t *value.Type, dst []byte, x uint64) []byte {
	if t.IsNoID(x) {
		return append(dst, "-1"...)
	}
	return strconv.AppendUint(dst, x, 10)
}

// locationText appends an address as a number, and the symbol there if it is in the
// kernel's half.
func locationText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if x>>56 != 0xff || value.IsErrno(x) {
		return hexText(o, t, dst, x)
	}
	return pointerText(o, t, dst, x)
}

// addressText appends an address, NULL, or the error in an error pointer.
func addressText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	switch {
	case x == 0:
		return append(dst, "NULL"...)
	case value.IsErrno(x):
		dst = append(o.Paint(dst, Failure), "ERR_PTR("...)
		dst = append(appendErrno(dst, x), ')')
		return o.Reset(dst)
	}
	return hexText(o, t, dst, x)
}

// symbolText appends the symbol at an address of the kernel.
func symbolText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if o.Symbol != nil && x != 0 {
		if name, module, off, ok := o.Symbol(x); ok {
			return AppendSymbol(dst, name, module, off)
		}
	}
	return addressText(o, t, dst, x)
}

// pointerText appends an address and the symbol there; for code only the symbol.
func pointerText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	switch {
	case o.Symbol == nil || x == 0 || value.IsErrno(x):
		return addressText(o, t, dst, x)
	case o.IsCode != nil && o.IsCode(x):
		return symbolText(o, t, dst, x)
	}
	dst = hexText(o, t, dst, x)
	if name, module, off, ok := o.Symbol(x); ok {
		dst = append(AppendSymbol(append(dst, " <"...), name, module, off), '>')
	}
	return dst
}

// wordText appends a number, or an address with its symbol if it is in the kernel's half.
func wordText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	switch {
	case x>>56 != 0xff: // also with five levels of page tables
		return decimalText(o, t, dst, x)
	case value.IsErrno(x):
		return hexText(o, t, dst, x)
	}
	return pointerText(o, t, dst, x)
}

// AppendSymbol appends a symbol like the kernel's %ps: "func+0x10 [module]".
func AppendSymbol(dst []byte, name, module string, off uint64) []byte {
	dst = AppendEscaped(dst, []byte(name), NoQuote)
	if off != 0 {
		dst = strconv.AppendUint(append(dst, "+0x"...), off, 16)
	}
	if module != "" {
		dst = append(AppendEscaped(append(dst, " ["...), []byte(module), NoQuote), ']')
	}
	return dst
}

// errnoText appends the name of an error number. Members such as sk_err hold it as a
// positive number. But a function that returns a positive number has succeeded: it is a
// count.
func errnoText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if value.IsErrno(x) {
		return o.Reset(appendErrno(o.Paint(dst, Failure), x))
	}
	if name := value.ErrnoName(int64(x)); name != "" && !t.Returned {
		return o.Reset(append(o.Paint(dst, Failure), name...))
	}
	return decimalText(o, t, dst, x)
}

// returnText appends a return value. It is an error if it is a small negative number.
func returnText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	name := value.ReturnedErrno(x)
	if name == "" {
		return decimalText(o, t, dst, x)
	}
	dst = append(decimalText(o, t, o.Paint(dst, Failure), x), " ("...)
	dst = append(append(dst, name...), ')')
	return o.Reset(dst)
}

// appendErrno appends the error x, for which IsErrno must be true: "-ENOENT".
func appendErrno(dst []byte, x uint64) []byte {
	if name := value.ErrnoName(-int64(x)); name != "" {
		return append(append(dst, '-'), name...)
	}
	return strconv.AppendInt(dst, int64(x), 10)
}

// AppendErrnoName appends the name of error n, or the number if it has none.
func AppendErrnoName(dst []byte, n int) []byte {
	if name := value.ErrnoName(int64(n)); name != "" {
		return append(dst, name...)
	}
	return strconv.AppendInt(dst, int64(n), 10)
}

// secondsText appends nanoseconds as seconds, exactly.
func secondsText(o *Options, t *value.Type, dst []byte, x uint64) []byte {
	if t.Signed && int64(x) < 0 {
		dst, x = append(dst, '-'), -x
	}
	return append(AppendFixed(dst, x, 1e9), 's')
}

// elapsedText appends nanoseconds as a duration.
func elapsedText(_ *Options, _ *value.Type, dst []byte, x uint64) []byte {
	return AppendAge(dst, int64(x))
}

// AppendAge appends an age of so many ns: "12.3us". A time in the future has a minus.
func AppendAge(dst []byte, ns int64) []byte {
	if ns < 0 {
		return AppendDuration(append(dst, '-'), -uint64(ns))
	}
	return AppendDuration(dst, uint64(ns))
}

func ip4Text(_ *Options, _ *value.Type, dst []byte, x uint64) []byte {
	return appendIP4(dst, []byte{byte(x >> 24), byte(x >> 16), byte(x >> 8), byte(x)})
}

// memoryText appends the bytes of a number in the order of memory.
func memoryText(_ *Options, t *value.Type, dst []byte, x uint64) []byte {
	var b [8]byte
	n := min(t.Width(), len(b))
	if t.Big {
		binary.BigEndian.PutUint64(b[:], x<<(64-8*n))
	} else {
		binary.LittleEndian.PutUint64(b[:], x)
	}
	return appendHexBytes(dst, b[:n])
}
