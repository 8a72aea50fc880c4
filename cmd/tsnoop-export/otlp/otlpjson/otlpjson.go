// Package otlpjson writes the messages of OTLP as JSON. It knows those that this program sends,
// with the fields that they have.
//
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
package otlpjson

import (
	enc64 "encoding/base64"
	enchex "encoding/hex"
	"encoding/json"
	"math"
	"strconv"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"google.golang.org/protobuf/encoding/protowire"
)

// Append appends the JSON of a request. It panics if the request is not a valid message, with
// all elements of a field one after the other.
func Append(dst []byte, s env.Signal, request []byte) []byte {
	return appendMessage(dst, [...]fields{traces, logs, metrics}[s], request)
}

func appendMessage(dst []byte, known fields, b []byte) []byte {
	dst = append(dst, '{')
	before := protowire.Number(0)
	for len(b) > 0 {
		n, wire, size := protowire.ConsumeTag(b)
		b = must(b, size)
		f, ok := known[n]
		if !ok {
			panic("otlpjson: unknown field")
		}
		if n != before || !f.many {
			if before != 0 {
				dst = append(closed(dst, known[before]), ',')
			}
			dst = append(append(append(dst, '"'), f.name...), `":`...)
			if f.many {
				dst = append(dst, '[')
			}
		} else {
			dst = append(dst, ',')
		}
		before = n
		size = protowire.ConsumeFieldValue(n, wire, b)
		rest := must(b, size)
		dst = f.append(dst, b[:size])
		b = rest
	}
	if before != 0 {
		dst = closed(dst, known[before])
	}
	return append(dst, '}')
}

// closed ends the array of a field.
func closed(dst []byte, f field) []byte {
	if f.many {
		dst = append(dst, ']')
	}
	return dst
}

// must returns what follows n bytes.
func must(b []byte, n int) []byte {
	if n < 0 {
		panic(protowire.ParseError(n))
	}
	return b[n:]
}

// append appends the value of a field.
func (f field) append(dst, b []byte) []byte {
	switch f.kind {
	case fixed64:
		x, _ := protowire.ConsumeFixed64(b)
		return quoted(dst, x)
	case fixed32:
		x, _ := protowire.ConsumeFixed32(b)
		return strconv.AppendUint(dst, uint64(x), 10)
	case double:
		x, _ := protowire.ConsumeFixed64(b)
		return strconv.AppendFloat(dst, math.Float64frombits(x), 'g', -1, 64)
	case boolean, number, signed, int64s:
		x, _ := protowire.ConsumeVarint(b)
		return f.appendNumber(dst, x)
	}
	b, _ = protowire.ConsumeBytes(b)
	switch f.kind {
	case message:
		return appendMessage(dst, f.of, b)
	case hex:
		return append(enchex.AppendEncode(append(dst, '"'), b), '"')
	case base64:
		return append(enc64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
	case packed:
		return appendPacked(dst, b)
	}
	return appendText(dst, b)
}

func (f field) appendNumber(dst []byte, x uint64) []byte {
	switch f.kind {
	case boolean:
		return strconv.AppendBool(dst, x != 0)
	case number:
		return strconv.AppendUint(dst, x, 10)
	case signed:
		return strconv.AppendInt(dst, protowire.DecodeZigZag(x), 10)
	}
	return append(strconv.AppendInt(append(dst, '"'), int64(x), 10), '"')
}

func quoted(dst []byte, x uint64) []byte {
	return append(strconv.AppendUint(append(dst, '"'), x, 10), '"')
}

func appendPacked(dst, b []byte) []byte {
	dst = append(dst, '[')
	for i := 0; len(b) > 0; i++ {
		x, n := protowire.ConsumeVarint(b)
		b = must(b, n)
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = quoted(dst, x)
	}
	return append(dst, ']')
}

// appendText appends a string. Few need an escape.
func appendText(dst, b []byte) []byte {
	for _, c := range b {
		if c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			text, err := json.Marshal(string(b))
			if err != nil {
				panic(err)
			}
			return append(dst, text...)
		}
	}
	return append(append(append(dst, '"'), b...), '"')
}
