package otlp

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	typed "github.com/tsnoop/tsnoop/render/json"
	"google.golang.org/protobuf/encoding/protowire"
)

// Names of attributes begin so, and go on with the name of the item.
const (
	argPrefix   = "tsnoop.arg."
	textPrefix  = "tsnoop.text." // the value as text shows it, where that shows more
	faultPrefix = "tsnoop.fault."
)

// deepest is how many levels arrays and objects may have: readers have limits of their own.
// Others are sent as the text of their JSON.
const deepest = 24

// appendValues appends values as attributes in the field n. before are those that have been
// appended. An attribute whose name is taken has #2 at the end, and so on.
func appendValues(dst []byte, n protowire.Number, before, all []call.Value) []byte {
	for i := range all {
		v, same := &all[i], 1
		for j := range before {
			same += equal(&before[j], v)
		}
		for j := range i {
			same += equal(&all[j], v)
		}
		dst = appendValue(dst, n, v, same)
	}
	return dst
}

// equal returns 1 if two values have the same name, otherwise 0.
func equal(a, b *call.Value) int {
	if a.Item != nil && b.Item != nil && a.Name == b.Name {
		return 1
	}
	return 0
}

// appendValue appends the same-th value of its name. One that is not known is left out, as
// attributes cannot be null.
func appendValue(dst []byte, n protowire.Number, v *call.Value, same int) []byte {
	if v.Kind != typed.Null {
		d, attr := begin(dst, n)
		d, value := begin(appendName(d, argPrefix, v.Name, same), attrValue)
		dst = end(end(appendTyped(d, &v.Typed), value), attr)
	}
	if len(v.Label) > 0 {
		d, attr := begin(dst, n)
		d, value := begin(appendName(d, textPrefix, v.Name, same), attrValue)
		dst = end(end(appendText(d, anyText, v.Label), value), attr)
	}
	return dst
}

// appendName appends the key of an attribute.
func appendName[T string | []byte](dst []byte, prefix string, name T, same int) []byte {
	dst, at := begin(dst, attrKey)
	dst = append(dst, prefix...)
	if valid(name) {
		dst = append(dst, name...)
	} else {
		dst = append(dst, bytes.ToValidUTF8([]byte(name), []byte("\uFFFD"))...)
	}
	if same > 1 {
		dst = strconv.AppendInt(append(dst, '#'), int64(same), 10)
	}
	return end(dst, at)
}

// appendTyped appends the field of an AnyValue.
func appendTyped(dst []byte, v *typed.Typed) []byte {
	switch v.Kind {
	case typed.Bool:
		return appendNumber(dst, anyBool, v.Number)
	case typed.Int:
		return appendNumber(dst, anyInt, v.Number)
	case typed.Uint: // a number above those that OTLP has
		return appendText(dst, anyText, strconv.FormatUint(v.Number, 10))
	case typed.Bytes:
		return appendBytes(dst, anyBytes, v.Text)
	case typed.Tree:
		return appendTree(dst, v.Text)
	}
	return appendText(dst, anyText, v.Text)
}

// appendTree appends an object or an array.
func appendTree(dst, text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	start := len(dst)
	dst, err := appendJSON(dst, d, 0)
	if err != nil {
		return appendText(dst[:start], anyText, text)
	}
	return dst
}

// errDeep says that a value has too many levels.
type errDeep struct{}

func (errDeep) Error() string { return "too deep" }

// appendJSON appends the next value that d decodes.
func appendJSON(dst []byte, d *json.Decoder, depth int) ([]byte, error) {
	token, err := d.Token()
	if err != nil {
		return dst, err
	}
	switch t := token.(type) {
	case json.Delim:
		return appendParts(dst, d, t, depth)
	case bool:
		x := uint64(0)
		if t {
			x = 1
		}
		return appendNumber(dst, anyBool, x), nil
	case json.Number:
		if x, err := strconv.ParseInt(string(t), 10, 64); err == nil {
			return appendNumber(dst, anyInt, uint64(x)), nil
		}
		return appendText(dst, anyText, string(t)), nil
	case string:
		return appendText(dst, anyText, t), nil
	}
	return dst, nil // null is the AnyValue without a field
}

// appendParts appends an array or an object that has begun.
func appendParts(dst []byte, d *json.Decoder, what json.Delim, depth int) (_ []byte, err error) {
	if depth >= deepest {
		return dst, errDeep{}
	}
	field, object := anyArray, what == '{'
	if object {
		field = anyMap
	}
	dst, all := begin(dst, field)
	for d.More() {
		var part, value int
		if object {
			var key json.Token
			if key, err = d.Token(); err != nil {
				return dst, err
			}
			dst, part = begin(dst, mapElement)
			dst, value = begin(appendText(dst, attrKey, key.(string)), attrValue)
		} else {
			dst, value = begin(dst, arrayValue)
		}
		if dst, err = appendJSON(dst, d, depth+1); err != nil {
			return dst, err
		}
		dst = end(dst, value)
		if object {
			dst = end(dst, part)
		}
	}
	_, err = d.Token()
	return end(dst, all), err
}
