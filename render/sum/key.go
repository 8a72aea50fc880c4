package sum

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// The first byte of a summary's key. The value follows.
const (
	keyNone   = 'n' // not seen
	keyText   = 't' // name of a task
	keyCaller = 'c'
	keyUint   = 'u'
	keyInt    = 'i'
	keyString = 's' // a FaultReason, and the bytes
	keyBytes  = 'b'
	keyFault  = 'f' // why there is no value, in words
	keyTask   = 'k' // ID of a task, and its name
	keyShown  = 'x' // text of the value
	keyStack  = 'a' // functions, each after a newline
)

// A Key is what the calls of a row of a summary have in common.
type Key struct {
	By     string   // one of KeyWords, or the expression
	Text   []byte   // of comm and caller; nil if not known
	Module string   // of a caller
	Stack  []string // functions, the innermost first; nil if not known

	Field *render.Field // of Value
	Value value.Value
	Fault string // why there is no value

	// Others marks the row of the calls that are in no other row. Values is how many
	// values these calls have, 0 if not known.
	Others bool
	Values int
}

// appendValue appends a value of f in the form that decode reads. An address is another one on
// each host, so of several recordings its text is the key.
func (t *tally) appendValue(dst []byte, f *render.Field, v value.Value) []byte {
	if t.from != nil && slices.Contains(addresses, f.Form) && (v.Kind == value.Uint || v.Kind == value.Int) {
		return f.AppendValue(append(dst, keyShown), v)
	}
	return appendValue(dst, f, v)
}

// addresses are the forms of values that may be shown as symbols.
var addresses = []value.Form{value.Symbol, value.Address, value.Pointer, value.Word, value.Location}

// appendValue appends a value of f in the form that decode reads.
func appendValue(dst []byte, f *render.Field, v value.Value) []byte {
	switch v.Kind {
	case value.None:
		return append(dst, keyNone)
	case value.Uint:
		return binary.LittleEndian.AppendUint64(append(dst, keyUint), v.Uint)
	case value.Int:
		return binary.LittleEndian.AppendUint64(append(dst, keyInt), v.Uint)
	case value.Text:
		if f.Form == value.Task {
			return append(binary.LittleEndian.AppendUint64(append(dst, keyTask), v.Uint), v.Bytes...)
		}
		return append(append(dst, keyString, byte(v.Reason)), v.Bytes...)
	case value.Bytes:
		return append(append(dst, keyBytes), v.Bytes...)
	case value.Fault:
		return render.AppendFault(append(dst, keyFault), v.Pointer, v.Uint, v.Reason)
	}
	return f.AppendValue(append(dst, keyShown), v)
}

// keysOf decodes what appendKeys has appended.
func (t *tally) keysOf(text string) []Key {
	keys := make([]Key, len(t.keys))
	for i := range keys {
		n := 4 + binary.LittleEndian.Uint32([]byte(text))
		keys[i] = t.keys[i].decode(text[4:n])
		text = text[n:]
	}
	return keys
}

// decode decodes the key of a call.
func (of *key) decode(text string) Key {
	k := Key{By: of.by, Field: of.field}
	rest := []byte(text[1:])
	switch text[0] {
	case keyText:
		k.Text = rest
	case keyCaller:
		if module, name, ok := strings.Cut(text[1:], "\x00"); ok {
			k.Module, k.Text = module, []byte(name)
		}
	case keyUint:
		k.Value = value.Value{Kind: value.Uint, Uint: binary.LittleEndian.Uint64(rest)}
	case keyInt:
		k.Value = value.Value{Kind: value.Int, Uint: binary.LittleEndian.Uint64(rest)}
	case keyString:
		k.Value = value.Value{Kind: value.Text, Reason: value.FaultReason(rest[0]), Bytes: rest[1:]}
	case keyTask:
		k.Value = value.Value{Kind: value.Text, Uint: binary.LittleEndian.Uint64(rest), Bytes: rest[8:]}
	case keyBytes:
		k.Value = value.Value{Kind: value.Bytes, Bytes: rest}
	case keyFault:
		k.Fault = text[1:]
	case keyShown:
		k.Text = rest
	case keyStack:
		k.Stack = strings.Split(text[2:], "\n")
	}
	return k
}

// Append appends the text of a key, "-" if the key is not known.
func (k *Key) Append(dst []byte) []byte {
	start := len(dst)
	switch {
	case k.Others && k.Values > 0:
		dst = append(strconv.AppendInt(dst, int64(k.Values), 10), " others"...)
	case k.Others:
		dst = append(dst, "others"...)
	case k.Fault != "":
		dst = append(append(append(dst, '('), k.Fault...), ')')
	case k.Stack != nil:
		dst = append(dst, strings.Join(k.Stack, " <- ")...)
	case k.Text != nil && k.By == ByCaller:
		dst = render.AppendSymbol(dst, string(k.Text), k.Module, 0)
	case k.Text != nil && (k.By == ByComm || k.By == ByHost):
		dst = render.AppendEscaped(dst, k.Text, render.NoQuote)
	case k.Text != nil:
		dst = append(dst, k.Text...)
	case k.Value.Kind != value.None:
		dst = k.Field.AppendValue(dst, k.Value)
	}
	if len(dst) == start {
		dst = append(dst, '-')
	}
	return dst
}
