package pushdown

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// constant writes c for a kernel filter. It returns false if a filter cannot hold
// it: a filter has no escapes, and its strings have at most 255 bytes. plain is set
// for lines that people read.
func constant(c cond.Constant, f *value.Field, op spec.Op, plain bool) (string, bool) {
	if c.Kind != value.Text {
		if c.Kind == value.Int {
			return strconv.FormatInt(int64(c.Num), 10), true
		}
		if btf.Pointee(f.Type) != nil || op == "&" {
			return fmt.Sprintf("0x%x", c.Num), true
		}
		return strconv.FormatUint(c.Num, 10), true
	}
	if f.Path != nil { // the kernel has only the names in it
		return "", false
	}
	text := c.Text
	// Refuse what is not printable, because the filter is also printed.
	odd := strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) })
	if odd || len(text) > 200 || f.Count > 0 && len(text) >= f.Count || op == "~" && text == "" {
		return "", false
	}
	if op == "~" {
		text = filter.Glob(text, plain)
		if unended(c, f, op) {
			text += "*"
		}
	}
	return filter.Quoted(text)
}

// unended reports whether a glob may match less in user space than in the kernel:
// an array of char may lack a final NUL, and then the kernel reads on.
func unended(c cond.Constant, f *value.Field, op spec.Op) bool {
	return op == "~" && f.Count > 0 && filter.StarsInside(c.Text)
}
