package render_test

import (
	"encoding/binary"
	stdjson "encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestObjects shows the objects of testdata/objects/*.txtar.
//
// In the archive, "object" has lines: "type CTYPE", "btf FILE", "addr NUMBER", "cut
// BYTES" of what was fetched, "empty MEMBER" of a
// list_head, "absent START END", "format FORMAT", the flags "zeros",
// "types", "compact" and "code", and "MEMBER = VALUE", where a value is a number, a text in
// quotes, or "self" for the address of the member, "self-8" for that of what is before it.
func TestObjects(t *testing.T) {
	files, _ := filepath.Glob("testdata/objects/*.txtar")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o := newObject(t, string(archive.Files[0].Data))
			got := []string{"", string(o.text()), string(o.json())}
			if !stdjson.Valid([]byte("{" + got[2] + "}")) {
				t.Errorf("not JSON: %s", got[2])
			}
			got[2] += "\n"
			if *update {
				archive.Files = archive.Files[:1]
				for i, name := range []string{"text", "json"} {
					archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(got[i+1])})
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			for i := 1; i < len(archive.Files); i++ {
				if diff := cmp.Diff(string(archive.Files[i].Data), got[i]); diff != "" {
					t.Errorf("%s: -want +got:\n%s", archive.Files[i].Name, diff)
				}
			}
		})
	}
}

// A testObject is an object of a golden file.
type testObject struct {
	t     testing.TB
	typ   btf.Type
	field value.Field
	opts  render.Options
	shown *render.Field // nil until needed
	value.Object
}

const linuxFile = "../testdata/btf/linux-6.12-amd64.btf"

func newObject(t testing.TB, config string) *testObject {
	o := &testObject{t: t, opts: render.Options{Symbol: testSymbol}}
	file, cut := linuxFile, 0
	for _, line := range strings.Split(strings.TrimSpace(config), "\n") {
		word, rest, _ := strings.Cut(line, " ")
		name, val, isMember := strings.Cut(line, " = ")
		var err error
		switch {
		case isMember:
			o.set(name, val)
		case word == "btf":
			file = "../testdata/btf/" + rest
		case word == "type":
			if o.typ, err = btf.Open(file).Type(rest); err == nil {
				o.Whole, _ = btf.Size(o.typ)
				o.Bytes, cut = make([]byte, o.Whole), o.Whole
			}
		case word == "empty":
			o.set(rest+".next", "self")
			o.set(rest+".prev", "self-8")
		case word == "addr":
			o.Addr, err = strconv.ParseUint(rest, 0, 64)
		case word == "cut":
			cut, err = strconv.Atoi(rest)
		case word == "absent":
			var r value.Range
			_, err = fmt.Sscan(rest, &r.Start, &r.End)
			o.Absent = append(o.Absent, r)
		case word == "format":
			o.field.Format = rest
		case word == "code": // what testSymbol knows is
			o.opts.IsCode = func(addr uint64) bool { return addr>>16 == 0xffffffff8100 }
		case word == "zeros":
			o.opts.Zeros = true
		case word == "types":
			o.opts.Types = true
		case word == "compact":
			o.opts.Compact = true
		default:
			err = fmt.Errorf("unknown")
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	o.Bytes = o.Bytes[:cut]
	o.field.Label, o.field.Type, o.field.Encoding = "*p", o.typ, value.Dumped
	return o
}

// set gives a member a value.
func (o *testObject) set(path, val string) {
	typ, bits, width := o.typ, 0, 0
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' }) {
		if i, ok := strings.CutSuffix(step, "]"); ok {
			n, _ := strconv.Atoi(i)
			typ = btf.Strip(typ).(*btf.Array).Type
			size, _ := btf.Size(typ)
			bits += 8 * n * size
			continue
		}
		p, err := btf.Member(typ, step)
		if err != nil {
			o.t.Fatalf("%s: %v", path, err)
		}
		typ, bits, width = p.Type, bits+int(p.BitOffset), int(p.BitSize)
	}
	at := o.Bytes[bits/8:]
	size, _ := btf.Size(typ)
	if text, err := strconv.Unquote(val); err == nil {
		copy(at[:size], text)
		return
	}
	n, err := strconv.ParseInt(val, 0, 64)
	x := uint64(n)
	if before, ok := strings.CutPrefix(val, "self"); ok {
		n, _ = strconv.ParseInt(before, 10, 64)
		x = o.Addr + uint64(bits/8) + uint64(n)
	} else if err != nil {
		if x, err = strconv.ParseUint(val, 0, 64); err != nil {
			o.t.Fatalf("%s: %v", path, err)
		}
	}
	if width > 0 {
		for i := range width {
			at[(bits%8+i)/8] |= byte(x>>i&1) << ((bits%8 + i) % 8)
		}
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], x)
	copy(at[:size], b[:])
}

func (o *testObject) value() value.Value { return value.Value{Kind: value.Dump, Object: &o.Object} }

// how says how the object is shown.
func (o *testObject) how() *render.Field {
	if o.shown == nil {
		o.shown = render.NewField(&o.field, false, &o.opts)
	}
	return o.shown
}

func (o *testObject) text() []byte {
	val := o.value()
	return o.how().AppendTree(nil, &val, 0)
}

func (o *testObject) json() []byte {
	return json.New(nil, o.opts).AppendValue(nil, o.how(), o.value())
}

// BenchmarkObject shows an sk_buff, and says how much of it a line and a byte cost.
func BenchmarkObject(b *testing.B) {
	archive, err := txtar.ParseFile("testdata/objects/skbuff.txtar")
	if err != nil {
		b.Fatal(err)
	}
	o := newObject(b, string(archive.Files[0].Data))
	f, p, val := render.NewField(&o.field, false, &o.opts), json.New(nil, o.opts), o.value()
	for _, bb := range []struct {
		name string
		show func(dst []byte) []byte
	}{
		{"text", func(dst []byte) []byte { return f.AppendTree(dst, &val, 0) }},
		{"json", func(dst []byte) []byte { return p.AppendValue(dst, f, val) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			line := bb.show(nil)
			b.ReportAllocs()
			b.SetBytes(int64(len(o.Bytes)))
			for b.Loop() {
				line = bb.show(line[:0])
			}
		})
	}
}
