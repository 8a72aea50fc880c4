package otlp

import (
	"math"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// appendText appends a field that is UTF-8. Other bytes are replaced.
func appendText[T string | []byte](dst []byte, n protowire.Number, text T) []byte {
	if !valid(text) {
		return appendBytes(dst, n, strings.ToValidUTF8(string(text), string(utf8.RuneError)))
	}
	return appendBytes(dst, n, text)
}

func valid[T string | []byte](text T) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return utf8.ValidString(string(text[i:]))
		}
	}
	return true
}

// appendBytes appends a field of bytes, or a message that is complete.
func appendBytes[T string | []byte](dst []byte, n protowire.Number, b T) []byte {
	dst = protowire.AppendVarint(protowire.AppendTag(dst, n, protowire.BytesType), uint64(len(b)))
	return append(dst, b...)
}

// appendNumber appends a field of the types int32, int64, uint32, uint64, bool or an enum.
func appendNumber(dst []byte, n protowire.Number, x uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, n, protowire.VarintType), x)
}

// appendFixed appends a field of the types fixed64 or sfixed64.
func appendFixed(dst []byte, n protowire.Number, x uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(dst, n, protowire.Fixed64Type), x)
}

func appendDouble(dst []byte, n protowire.Number, x float64) []byte {
	return appendFixed(dst, n, math.Float64bits(x))
}

// begin begins a message whose fields are appended next. end ends it.
func begin(dst []byte, n protowire.Number) (_ []byte, at int) {
	dst = append(protowire.AppendTag(dst, n, protowire.BytesType), 0)
	return dst, len(dst)
}

// end writes the length of the message that has begun at a place.
func end(dst []byte, at int) []byte {
	n := len(dst) - at
	if n < 1<<7 {
		dst[at-1] = byte(n)
		return dst
	}
	size := protowire.SizeVarint(uint64(n))
	for range size - 1 {
		dst = append(dst, 0)
	}
	copy(dst[at+size-1:], dst[at:at+n])
	protowire.AppendVarint(dst[:at-1], uint64(n))
	return dst
}

// Fields of KeyValue, which attributes are in all messages, and of AnyValue.
const (
	attrKey, attrValue               protowire.Number = 1, 2
	anyText, anyBool, anyInt         protowire.Number = 1, 2, 3
	anyDouble, anyArray, anyMap      protowire.Number = 4, 5, 6
	anyBytes, arrayValue, mapElement protowire.Number = 7, 1, 1
)

// appendTextAttr appends an attribute in the field n.
func appendTextAttr[T string | []byte](dst []byte, n protowire.Number, key string, text T) []byte {
	dst, attr := begin(dst, n)
	dst, value := begin(appendText(dst, attrKey, key), attrValue)
	return end(end(appendText(dst, anyText, text), value), attr)
}

func appendIntAttr(dst []byte, n protowire.Number, key string, x int64) []byte {
	dst, attr := begin(dst, n)
	dst, value := begin(appendText(dst, attrKey, key), attrValue)
	return end(end(appendNumber(dst, anyInt, uint64(x)), value), attr)
}

func appendBoolAttr(dst []byte, n protowire.Number, key string) []byte {
	dst, attr := begin(dst, n)
	dst, value := begin(appendText(dst, attrKey, key), attrValue)
	return end(end(appendNumber(dst, anyBool, 1), value), attr)
}
