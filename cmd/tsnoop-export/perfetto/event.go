package perfetto

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render/json"
)

// appendEvent appends to a TrackEvent what a call is, without its type and track.
func (w *writer) appendEvent(dst []byte, c *call.Call) []byte {
	category := c.Func.Module
	if category == "" {
		category = "kernel"
	}
	dst = appendText(dst, eventCategories, category)
	dst = appendText(dst, eventName, c.Func.Name)
	for i := range c.Args {
		dst = w.appendValue(dst, &c.Args[i])
	}
	if c.Return.Item != nil {
		dst = w.appendValue(dst, &c.Return)
	}
	for i := range c.Results {
		dst = w.appendValue(dst, &c.Results[i])
	}
	for _, f := range c.Faults {
		dst = w.appendNote(dst, "fault "+string(f.Name), string(f.Text))
	}
	if c.Caller != "" {
		by := c.Caller
		if c.CallerModule != "" {
			by += " [" + c.CallerModule + "]"
		}
		dst = w.appendNote(dst, "caller", by)
	}
	if len(c.Stack) > 0 {
		dst = w.appendNote(dst, "stack", strings.Join(c.Stack, "\n"))
	}
	dst = w.appendCount(dst, "cpu", uint64(c.CPU))
	if c.Timed && c.EndCPU != c.CPU {
		dst = w.appendCount(dst, "return cpu", uint64(c.EndCPU))
	}
	if c.Unfinished {
		dst = w.appendTrue(dst, "unfinished")
	}
	if c.Orphan {
		dst = w.appendTrue(dst, "orphan")
	}
	return dst
}

// appendValue appends a value as annotations: itself, as text if that shows more, and its error.
func (w *writer) appendValue(dst []byte, v *call.Value) []byte {
	a := appendText(w.inner[:0], annotationName, v.Name)
	switch v.Kind {
	case json.Bool:
		a = appendNumber(a, annotationBool, v.Number)
	case json.Int:
		a = appendNumber(a, annotationInt, v.Number)
	case json.Uint:
		a = appendNumber(a, annotationUint, v.Number)
	case json.Tree:
		a = appendText(a, annotationJSON, v.Text)
	case json.Text, json.Bytes:
		if addr, ok := address(v.Text); ok {
			a = appendNumber(a, annotationPointer, addr)
		} else {
			a = appendText(a, annotationString, v.Text)
		}
	default:
		a = appendText(a, annotationString, "null")
	}
	w.inner = a
	dst = appendBytes(dst, eventAnnotations, a)
	if len(v.Label) > 0 {
		dst = w.appendNote(dst, v.Name+" text", string(v.Label))
	}
	if v.Errno != "" {
		dst = w.appendNote(dst, v.Name+" errno", v.Errno)
	}
	return dst
}

// address returns the number of an address, which is text such as 0xffff888003d2e000.
func address(text []byte) (uint64, bool) {
	digits, ok := bytes.CutPrefix(text, []byte("0x"))
	if !ok || len(digits) > 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(digits), 16, 64)
	return n, err == nil
}

func (w *writer) appendNote(dst []byte, name, text string) []byte {
	w.inner = appendText(appendText(w.inner[:0], annotationName, name), annotationString, text)
	return appendBytes(dst, eventAnnotations, w.inner)
}

func (w *writer) appendCount(dst []byte, name string, n uint64) []byte {
	w.inner = appendNumber(appendText(w.inner[:0], annotationName, name), annotationUint, n)
	return appendBytes(dst, eventAnnotations, w.inner)
}

func (w *writer) appendTrue(dst []byte, name string) []byte {
	w.inner = appendNumber(appendText(w.inner[:0], annotationName, name), annotationBool, 1)
	return appendBytes(dst, eventAnnotations, w.inner)
}
