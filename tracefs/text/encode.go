package text

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A lineFormat is a Format with what is needed to find its fields in text.
type lineFormat struct {
	*tracefs.Format
	heads []lineField // those that the kernel adds to each record
	args  []lineField // in the order in which they are printed

	doubts int // offset of the Doubts of args in a record; 0 if it has none
}

type lineField struct {
	tracefs.FormatField
	elem  int    // size of an array's elements in bytes
	delim []byte // " NAME=", which precedes the value
	next  []byte // what follows the value: the delim of the next field, or the record's end
	close []byte // what follows the last element of an array

	quoted []byte // what follows the text of a string, with its quote
}

// isHead reports whether the kernel adds a field to each record.
func isHead(f *tracefs.FormatField) bool {
	return strings.HasPrefix(f.Name, "common_") || strings.HasPrefix(f.Name, "__probe_")
}

// argsOf returns how many fields are of the probe.
func argsOf(f *tracefs.Format) (n int) {
	for i := range f.Fields {
		if !isHead(&f.Fields[i]) {
			n++
		}
	}
	return n
}

func newLineFormat(f *tracefs.Format) *lineFormat {
	args := argsOf(f)
	t := &lineFormat{Format: f, heads: make([]lineField, 0, len(f.Fields)-args), args: make([]lineField, 0, args)}
	for _, field := range f.Fields {
		x := lineField{FormatField: field, delim: []byte(" " + field.Name + "="), elem: field.ElemSize()}
		switch {
		case isHead(&field):
			t.heads = append(t.heads, x)
		case field.Name == doubts:
			t.doubts = field.Offset
		default:
			t.args = append(t.args, x)
		}
	}
	for i := range t.args {
		x := &t.args[i]
		x.next = []byte("\n")
		if i+1 < len(t.args) {
			x.next = t.args[i+1].delim
		}
		x.close = append([]byte("}"), x.next...)
		x.quoted = append([]byte(`"`), x.next...)
	}
	return t
}

// An encoder turns the fields of a line into the bytes of a record.
type encoder struct {
	order binary.ByteOrder
	addr  func(string) (uint64, bool)
	known map[string]uint64 // addresses of symbols that were seen
	data  []byte

	symbols *Symbols   // replaces addr, if not nil
	wanted  *lineField // the field that was expected where the text is wrong
	rest    []byte     // the text from there on
}

// encode makes a record of text, which begins after "NAME: (" and ends with the
// record's newline. It returns false if text does not fit f. The record is valid until
// the next call.
func (e *encoder) encode(f *lineFormat, text []byte, tid int) ([]byte, bool) {
	e.data = slices.Grow(e.data[:0], f.Size)[:f.Size]
	clear(e.data)
	e.wanted, e.rest = nil, text
	place, rest, ok := bytes.Cut(text, []byte(")"))
	if !ok {
		return nil, false
	}
	e.head(f, place, tid)
	for i := range f.args {
		e.wanted, e.rest = &f.args[i], rest
		if rest, ok = bytes.CutPrefix(rest, f.args[i].delim); !ok {
			return nil, false
		}
		if rest, ok = e.arg(&f.args[i], rest); !ok {
			return nil, false
		}
		if f.doubts > 0 && f.args[i].isString() {
			e.doubtEnd(f, i, rest)
		}
	}
	if f.doubts > 0 {
		e.doubtRepeated(f)
	}
	e.wanted, e.rest = nil, rest
	return e.data, len(rest) == 1 && rest[0] == '\n'
}

// head stores what the kernel adds to a record. place is "FUNC+OFF/SIZE" at entry and
// "CALLER+OFF/SIZE <- FUNC" at return.
func (e *encoder) head(f *lineFormat, place []byte, tid int) {
	caller, fn, isReturn := bytes.Cut(place, []byte(" <- "))
	for i := range f.heads {
		h := &f.heads[i]
		switch h.Name {
		case "common_type":
			e.put(h.Offset, h.Size, uint64(f.ID))
		case "common_pid":
			e.put(h.Offset, h.Size, uint64(tid))
		case "__probe_ip", "__probe_ret_ip":
			e.put(h.Offset, h.Size, e.symbol(caller))
		case "__probe_func":
			if isReturn {
				e.put(h.Offset, h.Size, e.symbol(fn))
			}
		}
	}
}

// put stores v in size bytes. If the format makes no sense it does nothing.
func (e *encoder) put(off, size int, v uint64) {
	if off < 0 || size < 0 || off > len(e.data)-size {
		return
	}
	switch b := e.data[off : off+size]; size {
	case 1:
		b[0] = byte(v)
	case 2:
		e.order.PutUint16(b, uint16(v))
	case 4:
		e.order.PutUint32(b, uint32(v))
	case 8:
		e.order.PutUint64(b, v)
	}
}

// arg stores the value at the start of rest and returns what follows it.
func (e *encoder) arg(f *lineField, rest []byte) ([]byte, bool) {
	switch {
	case f.Array && f.DataLoc:
		return e.strings(f, rest)
	case f.Array:
		return e.array(f, rest)
	case f.DataLoc:
		return e.str(f.Offset, rest, f.next)
	}
	v, rest, ok := e.number(rest, f.next)
	if ok {
		e.put(f.Offset, f.Size, v)
	}
	return rest, ok
}

var fault = []byte("(fault)")

// str stores a string and its data_loc word, which has length 0 if the string faulted.
// next is what follows the string. After the last argument that is the end of the
// record.
func (e *encoder) str(off int, rest, next []byte) ([]byte, bool) {
	if after, ok := bytes.CutPrefix(rest, fault); ok && bytes.HasPrefix(after, next) {
		e.put(off, 4, uint64(len(e.data)&0xffff))
		return after, true
	}
	if len(rest) == 0 || rest[0] != '"' {
		return nil, false
	}
	rest = rest[1:]
	end := indexQuoted(rest, next)
	if end < 0 || end+1 > 0xffff || len(e.data) > 0xffff {
		return nil, false
	}
	e.put(off, 4, uint64(end+1)<<16|uint64(len(e.data)))
	e.data = append(append(e.data, rest[:end]...), 0)
	return rest[end+1:], true
}

// indexQuoted returns the index of the closing quote that precedes next.
func indexQuoted(s, next []byte) int {
	if next[len(next)-1] == '\n' { // the end of the record
		if b, ok := bytes.CutSuffix(s, next); ok && len(b) > 0 && b[len(b)-1] == '"' {
			return len(b) - 1
		}
		return -1
	}
	for from := 0; ; {
		i := bytes.Index(s[from:], next)
		if i < 0 {
			return -1
		}
		if i += from; i > 0 && s[i-1] == '"' {
			return i - 1
		}
		from = i + 1
	}
}

// strings stores {"a","b"}. A string that contains `","` is cut there: the kernel's
// text does not show the difference.
func (e *encoder) strings(f *lineField, rest []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(rest, []byte("{"))
	for i := 0; ok && i < f.Size/4; i++ {
		if i > 0 {
			if rest, ok = bytes.CutPrefix(rest, []byte(",")); !ok {
				return nil, false
			}
		}
		end := f.close
		if i+1 < f.Size/4 {
			end = []byte(",")
		}
		rest, ok = e.str(f.Offset+4*i, rest, end)
	}
	if !ok {
		return nil, false
	}
	return bytes.CutPrefix(rest, []byte("}"))
}

// array stores {1,2,3}.
func (e *encoder) array(f *lineField, rest []byte) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(rest, []byte("{"))
	if !ok {
		return nil, false
	}
	for off := 0; off+f.elem <= f.Size; off += f.elem {
		if off > 0 {
			if rest, ok = bytes.CutPrefix(rest, []byte(",")); !ok {
				return nil, false
			}
		}
		end := []byte(",")
		if off+2*f.elem > f.Size {
			end = []byte("}")
		}
		var v uint64
		if v, rest, ok = e.number(rest, end); !ok {
			return nil, false
		}
		e.put(f.Offset+off, f.elem, v)
	}
	return bytes.CutPrefix(rest, []byte("}"))
}
