package otlp

import (
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	typed "github.com/tsnoop/tsnoop/render/json"
	"google.golang.org/protobuf/encoding/protowire"
)

// A remote is a span of an application, on whose behalf a call was made.
type remote struct {
	trace [16]byte
	span  [8]byte // zero if only the trace is known
	flags byte    // of traceparent
}

// Fields of Link, and what its flags are beside those of traceparent: known to be remote.
const (
	linkTrace, linkSpan, linkAttributes, linkFlags protowire.Number = 1, 2, 4, 6
	flagsRemote                                                     = 0x300
)

// parentOf returns the span that the value with a name holds. found is false if a call does
// not have the value.
func parentOf(c *call.Call, name string) (of remote, ok, found bool) {
	for _, all := range [2][]call.Value{c.Args, c.Results} {
		for i := range all {
			if v := &all[i]; v.Name == name && v.Kind != typed.Null {
				of, ok = parseParent(&v.Typed)
				return of, ok, true
			}
		}
	}
	return of, false, false
}

// parseParent understands a traceparent as text, as HTTP headers have it, and the bytes of a
// trace's id, also with those of a span's after it, as bytes, in hexadecimal or as an array.
func parseParent(v *typed.Typed) (of remote, ok bool) {
	switch {
	case v.Kind == typed.Tree:
		var numbers []byte
		var all []int
		if json.Unmarshal(v.Text, &all) != nil {
			return of, false
		}
		for _, n := range all {
			if n < -128 || n > 255 {
				return of, false
			}
			numbers = append(numbers, byte(n))
		}
		return ids(numbers)
	case v.Kind != typed.Text && v.Kind != typed.Bytes:
		return of, false
	case len(v.Text) == 16 || len(v.Text) == 24:
		return ids(v.Text)
	}
	text := strings.TrimSpace(string(v.Text))
	if of, ok := parseHeader(text); ok {
		return of, true
	}
	text = strings.NewReplacer(":", "", " ", "").Replace(strings.TrimPrefix(text, "0x"))
	b, err := hex.DecodeString(text)
	if err != nil {
		return of, false
	}
	return ids(b)
}

// parseHeader parses VERSION-TRACE-SPAN-FLAGS, which other text may follow.
//
// https://www.w3.org/TR/trace-context/#traceparent-header
func parseHeader(text string) (of remote, ok bool) {
	const size = len("00-0123456789abcdef0123456789abcdef-0123456789abcdef-01")
	if len(text) < size || text[2] != '-' || text[35] != '-' || text[52] != '-' || text[:2] == "ff" {
		return of, false
	}
	if len(text) > size && strings.IndexByte("0123456789abcdefABCDEF", text[size]) >= 0 {
		return of, false
	}
	b, err := hex.DecodeString(text[:2] + text[3:35] + text[36:52] + text[53:55])
	if err != nil {
		return of, false
	}
	of, ok = ids(b[1:25])
	of.flags = b[25]
	return of, ok && of.span != [8]byte{}
}

// ids returns the remote of the bytes of ids.
func ids(b []byte) (of remote, ok bool) {
	if len(b) != 16 && len(b) != 24 {
		return of, false
	}
	copy(of.trace[:], b)
	copy(of.span[:], b[16:])
	return of, of.trace != [16]byte{}
}

// appendLink appends to a span that it was made on behalf of another one.
func appendLink(dst []byte, of *remote, name string) []byte {
	dst, at := begin(dst, spanLinks)
	dst = appendBytes(appendBytes(dst, linkTrace, of.trace[:]), linkSpan, of.span[:])
	dst = appendTextAttr(dst, linkAttributes, "tsnoop.item", name)
	dst = protowire.AppendFixed32(protowire.AppendTag(dst, linkFlags, protowire.Fixed32Type), flagsRemote|uint32(of.flags))
	return end(dst, at)
}

// appendIDs appends to a log record the span on whose behalf it was made.
func appendIDs(dst []byte, of *remote) []byte {
	dst = appendBytes(dst, recordTrace, of.trace[:])
	if of.span == [8]byte{} {
		return dst
	}
	return appendBytes(dst, recordSpan, of.span[:])
}
