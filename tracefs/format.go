package tracefs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ErrFormat is wrapped by errors about malformed format files.
var ErrFormat = errors.New("malformed event format")

// ParseFormat parses events/GROUP/EVENT/format. The file does not name the group.
// Fields are in the order of the file, common_* first. An error about its content wraps
// ErrFormat.
//
// See Documentation/trace/events.rst, "Event formats".
func ParseFormat(r io.Reader) (*Format, error) {
	f := &Format{ID: -1}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	n := 0
	for sc.Scan() {
		n++
		line := strings.TrimSpace(sc.Text())
		switch key, rest, _ := strings.Cut(line, ":"); key {
		case "print fmt":
			f.Print = strings.TrimSpace(rest)
		case "name":
			f.Name = strings.TrimSpace(rest)
		case "ID":
			id, err := strconv.ParseUint(strings.TrimSpace(rest), 10, 16)
			if err != nil {
				return nil, atLine(n, errorf("ID", line))
			}
			f.ID = int(id)
		case "field":
			field, err := parseField(line)
			if err != nil {
				return nil, atLine(n, err)
			}
			f.Fields = append(f.Fields, field)
			f.Size = max(f.Size, field.Offset+field.Size)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, atLine(n+1, err)
	}
	if f.Name == "" || f.ID < 0 {
		return nil, errorf("name and ID", "")
	}
	if f.overlaps() {
		return nil, errorf("place of its own for each field", "")
	}
	f.index()
	return f, nil
}

// overlaps reports whether the fields have several times as many bytes as a record: a
// value of each would be made of the same bytes.
func (f *Format) overlaps() bool {
	total := 0
	for i := range f.Fields {
		total += f.Fields[i].Size
	}
	return total > 2*f.Size
}

// few is how many fields are found as fast without a map.
const few = 16

func (f *Format) index() {
	if len(f.Fields) <= few {
		return
	}
	f.byName = make(map[string]int, len(f.Fields))
	for i := range f.Fields {
		if _, ok := f.byName[f.Fields[i].Name]; !ok {
			f.byName[f.Fields[i].Name] = i
		}
	}
}

// Field returns the first field of that name, or nil.
//
//go:noinline
func (f *Format) Field(name string) *FormatField {
	if f.byName != nil {
		if i, ok := f.byName[name]; ok {
			return &f.Fields[i]
		}
		return nil
	}
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return &f.Fields[i]
		}
	}
	return nil
}

// maxRecord limits offsets and sizes, in bytes. No record is larger than a sub-buffer;
// the largest has order 7 with 64 KiB pages.
const maxRecord = 8 << 20

// parseField parses "field:u8 b[4];       offset:8;       size:4; signed:0;".
func parseField(line string) (FormatField, error) {
	var f FormatField
	var seen int
	for part := range strings.SplitSeq(line, ";") {
		key, val, ok := strings.Cut(strings.TrimSpace(part), ":")
		if !ok {
			continue
		}
		if key == "field" {
			f.declare(val)
			continue
		}
		n, err := strconv.ParseUint(val, 10, 32)
		if err != nil || n > maxRecord {
			return f, errorf(key, line)
		}
		switch key {
		case "offset":
			f.Offset = int(n)
			seen++
		case "size":
			f.Size = int(n)
			seen++
		case "signed":
			f.Signed = n != 0
		}
	}
	if f.Name == "" || seen != 2 {
		return f, errorf("field", line)
	}
	return f, nil
}

// declare parses a declaration. 5.10 writes "u8 b[4]"; since 6.1 a kprobe's array is
// "u8 b[]", and its length is its size divided by that of an element.
func (f *FormatField) declare(decl string) {
	decl = strings.TrimSpace(decl)
	i := strings.LastIndexByte(decl, ' ')
	typ, name := strings.TrimSpace(decl[:max(i, 0)]), decl[i+1:]
	if j := strings.IndexByte(name, '['); j >= 0 {
		typ, name = typ+name[j:], name[:j]
		f.Array = true
	}
	f.Relative = strings.HasPrefix(typ, "__rel_loc ")
	if strings.HasPrefix(typ, "__data_loc ") || f.Relative {
		f.DataLoc = true
		// "__data_loc char[] s" is one string, "__data_loc char[][2] s" are two.
		f.Array = strings.Count(typ, "[") > 1
	}
	f.Type, f.Name = typ, name
}

// ElemSize returns the size in bytes of a number, or of each number in an array. It
// depends on the name of the C type, and is 1 if that is not known. For a __data_loc it
// is 4, the size of the word.
func (f *FormatField) ElemSize() int {
	base, _, _ := strings.Cut(f.Type, "[")
	base = strings.TrimPrefix(strings.TrimPrefix(base, "const "), "unsigned ")
	switch {
	case f.DataLoc:
		return 4
	case strings.HasSuffix(base, "64"), strings.HasPrefix(base, "long"), strings.HasSuffix(base, "*"):
		return 8
	case strings.HasSuffix(base, "32"), base == "int":
		return 4
	case strings.HasSuffix(base, "16"), base == "short":
		return 2
	}
	return 1
}

func errorf(what, line string) error {
	return &formatError{what, line}
}

// atLine adds the line number of an error.
func atLine(n int, err error) error { return fmt.Errorf("line %d: %w", n, err) }

type formatError struct{ what, line string }

func (e *formatError) Error() string {
	if e.line == "" {
		return ErrFormat.Error() + ": no " + e.what
	}
	return ErrFormat.Error() + ": bad " + e.what + " in " + strconv.Quote(e.line)
}

func (e *formatError) Unwrap() error { return ErrFormat }
