package parquet

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	pq "github.com/parquet-go/parquet-go"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

// atOnce is how many rows are turned into columns at once.
const atOnce = 1024

// A leaf is the values of a leaf column, for the rows so far.
type leaf struct {
	values []pq.Value
	rows   int        // that have values; those that follow have the usual one
	usual  pq.Value   // null, except for what all rows of a file have
	all    []pq.Value // the usual one, for as many rows as there may be
	level  int        // of what is not null
	any    bool       // a row has another one
}

// A block turns rows into the columns of a file.
type block struct {
	columns []column // of items
	leaves  []leaf
	rows    int
	pairs   []pair // of the column text, for this row
	bytes   []byte // texts that are not in the rows
}

type pair struct{ name, text []byte }

func newBlock(items []column, of *constants) *block {
	b := &block{columns: items, leaves: make([]leaf, colItems+len(items)-1)}
	usual := map[int]pq.Value{
		colHost: of.host, colBoot: of.boot, colFunc: of.name, colModule: of.module,
		colOrphan: pq.BooleanValue(false), colUnfinished: pq.BooleanValue(false),
	}
	nulls := make([]pq.Value, atOnce)
	for i := range b.leaves {
		l := &b.leaves[i]
		switch l.level = 1; i {
		case colFunc, colOrphan, colUnfinished:
			l.level = 0
		case colFaultName, colFaultText, colTextName, colTextText, colStack:
			l.level = 2
		}
		if l.usual = usual[i]; l.usual.IsNull() {
			l.usual, l.all = pq.Value{}.Level(0, 0, i), nulls
			continue
		}
		l.usual = l.usual.Level(0, l.level, i)
		l.all = slices.Repeat([]pq.Value{l.usual}, atOnce)
	}
	return b
}

// set sets the value of the last row.
func (b *block) set(i int, v pq.Value) {
	l := &b.leaves[i]
	l.pad(b.rows - 1)
	l.values = append(l.values, v.Level(0, l.level, i))
	l.rows, l.any = b.rows, true
}

// add adds an element to the list or map of the last row.
func (b *block) add(i int, v pq.Value) {
	l := &b.leaves[i]
	if l.rows < b.rows {
		b.set(i, v)
		return
	}
	l.values = append(l.values, v.Level(1, l.level, i))
}

// pad adds the usual value for each row without one.
func (l *leaf) pad(rows int) {
	for ; l.rows < rows; l.rows++ {
		l.values = append(l.values, l.usual)
	}
}

// reset removes all rows.
func (b *block) reset() {
	b.rows, b.bytes = 0, b.bytes[:0]
	for i := range b.leaves {
		l := &b.leaves[i]
		l.values, l.rows, l.any = l.values[:0], 0, false
	}
}

func (b *block) int64(i int, x uint64, name string) {
	if x > math.MaxInt64 {
		b.note(name, strconv.AppendUint(nil, x, 10))
		return
	}
	b.set(i, pq.Int64Value(int64(x)))
}

func (b *block) int32(i int, x int64, name string) {
	if x != int64(int32(x)) {
		b.note(name, strconv.AppendInt(nil, x, 10))
		return
	}
	b.set(i, pq.Int32Value(int32(x)))
}

// note adds a text to the column text, unless it has one of this name for the row.
func (b *block) note(name string, text []byte) {
	b.pairs = append(b.pairs, pair{[]byte(name), text})
}

// row adds the next row.
func (b *block) row(r *reader) {
	b.rows++
	b.pairs = b.pairs[:0]
	flags := r.byte()
	b.int64(colTS, r.fixed(), "ts_ns")
	if flags&hasWall != 0 {
		b.set(colTime, pq.Int64Value(int64(r.fixed())))
	}
	if flags&hasDuration != 0 {
		b.int64(colDuration, r.fixed(), "duration_ns")
	}
	if flags&hasEnd != 0 {
		b.int32(colEndCPU, r.varint(), "end_cpu")
	}
	b.int32(colCPU, r.varint(), "cpu")
	if pid := r.varint(); pid != -1 {
		b.int32(colPID, pid, "pid")
	}
	b.int32(colTID, r.varint(), "tid")
	b.word(colComm, r.bytes(), "comm")
	b.word(colCaller, r.bytes(), "caller")
	b.word(colCallerModule, r.bytes(), "caller_module")
	errno := r.bytes()
	b.word(colErrno, errno, "errno")
	if flags&isOrphan != 0 {
		b.set(colOrphan, pq.BooleanValue(true))
	}
	if flags&isUnfinished != 0 {
		b.set(colUnfinished, pq.BooleanValue(true))
	}
	for n := r.uvarint(); n > 0; n-- {
		if slot, name, v := r.value(); slot < overflow {
			if slot == 0 && len(errno) > 0 {
				v = errorPointer(v)
			}
			b.value(slot, &v)
		} else {
			b.note(string(valid(name)), b.utf8(appendText(nil, &v)))
		}
	}
	b.faults(r)
	for n := r.uvarint(); n > 0; n-- {
		b.add(colStack, pq.ByteArrayValue(b.utf8(r.bytes())))
	}
	for i, p := range b.pairs {
		if !known(b.pairs[:i], p.name) {
			b.add(colTextName, pq.ByteArrayValue(p.name))
			b.add(colTextText, pq.ByteArrayValue(p.text))
		}
	}
}

// faults adds the faults of the row. A map has each name once, with its first text.
func (b *block) faults(r *reader) {
	n := r.uvarint()
	if n == 0 {
		return
	}
	all := make([]pair, 0, n)
	for ; n > 0; n-- {
		p := pair{b.utf8(r.bytes()), b.utf8(r.bytes())}
		if known(all, p.name) {
			continue
		}
		all = append(all, p)
		b.add(colFaultName, pq.ByteArrayValue(p.name))
		b.add(colFaultText, pq.ByteArrayValue(p.text))
	}
}

func known(all []pair, name []byte) bool {
	for i := range all {
		if string(all[i].name) == string(name) {
			return true
		}
	}
	return false
}

// word sets a text that is null if it is empty.
func (b *block) word(i int, word []byte, name string) {
	if len(word) == 0 {
		return
	}
	b.text(i, word, name)
}

// text sets a text. The bytes of one that is not UTF-8 are in the column text, escaped.
func (b *block) text(i int, t []byte, name string) {
	if utf8.Valid(t) {
		b.set(i, pq.ByteArrayValue(t))
		return
	}
	b.set(i, pq.ByteArrayValue(valid(t)))
	b.note(name, render.AppendEscaped(nil, t, render.NoQuote))
}

// value sets the value of an item.
func (b *block) value(slot int, v *json.Typed) {
	i, c := colRet, &b.columns[slot]
	if slot > 0 {
		i = colItems + slot - 1
	}
	if len(v.Label) > 0 {
		b.note(c.Name, b.utf8(v.Label))
	}
	switch {
	case v.Kind == json.Null:
	case c.form == text:
		b.asText(i, c, v)
	case c.form == boolean && v.Kind == json.Bool:
		b.set(i, pq.BooleanValue(v.Number != 0))
	case c.form == signed && (v.Kind == json.Int || v.Kind == json.Bool),
		c.form == unsigned && (v.Kind == json.Int && int64(v.Number) >= 0 || v.Kind == json.Uint || v.Kind == json.Bool):
		b.set(i, pq.Int64Value(int64(v.Number)))
	default:
		b.note(c.Name, b.utf8(appendText(nil, v)))
	}
}

// errorPointer returns the number of an error pointer, which is that of its error.
func errorPointer(v json.Typed) json.Typed {
	if digits, ok := strings.CutPrefix(string(v.Text), "0x"); ok && v.Kind == json.Text {
		if n, err := strconv.ParseUint(digits, 16, 64); err == nil {
			return json.Typed{Kind: json.Int, Number: n}
		}
	}
	return v
}

// asText sets the value of a column of texts.
func (b *block) asText(i int, c *column, v *json.Typed) {
	switch v.Kind {
	case json.Text, json.Tree, json.Bytes:
		b.text(i, v.Text, c.Name)
		return
	}
	start := len(b.bytes)
	b.bytes = appendText(b.bytes, v)
	b.set(i, pq.ByteArrayValue(b.bytes[start:len(b.bytes):len(b.bytes)]))
}

// appendText appends a value as text.
func appendText(dst []byte, v *json.Typed) []byte {
	switch v.Kind {
	case json.Bool:
		return strconv.AppendBool(dst, v.Number != 0)
	case json.Int:
		return strconv.AppendInt(dst, int64(v.Number), 10)
	case json.Uint:
		return strconv.AppendUint(dst, v.Number, 10)
	}
	return append(dst, v.Text...)
}

func (b *block) utf8(t []byte) []byte {
	if utf8.Valid(t) {
		return t
	}
	return valid(t)
}

// valid returns a text with U+FFFD for each byte that is not UTF-8, as JSON has it.
func valid(t []byte) []byte {
	if utf8.Valid(t) {
		return t
	}
	var out []byte
	for len(t) > 0 {
		r, n := utf8.DecodeRune(t)
		out = utf8.AppendRune(out, r)
		t = t[n:]
	}
	return out
}

// constants are the values that all rows of a file have.
type constants struct{ host, boot, name, module pq.Value }

func newConstants(t *call.Trace, f *call.Func) *constants {
	word := func(text string) pq.Value {
		if text == "" {
			return pq.Value{}
		}
		return pq.ByteArrayValue(valid([]byte(text)))
	}
	return &constants{word(t.Origin.Host), word(t.Origin.BootID), pq.ByteArrayValue(valid([]byte(f.Name))), word(f.Module)}
}

// write writes the rows to a file, and resets the block.
func (b *block) write(to []*pq.ColumnWriter) error {
	for i := range b.leaves {
		l := &b.leaves[i]
		values := l.all[:b.rows]
		if l.any {
			l.pad(b.rows)
			values = l.values
		}
		if _, err := to[i].WriteRowValues(values); err != nil {
			return err
		}
	}
	b.reset()
	return nil
}
