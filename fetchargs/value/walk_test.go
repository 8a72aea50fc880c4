package value_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// An outline is a Visitor that writes one line for each part of a value.
type outline struct {
	strings.Builder
	depth int
}

func (o *outline) line(format string, args ...any) {
	fmt.Fprintf(o, strings.Repeat("  ", o.depth)+format+"\n", args...)
}

func (o *outline) Number(_ *value.Type, x uint64)                       { o.line("number %d", int64(x)) }
func (o *outline) Text(b []byte, _ bool)                                { o.line("text %q", b) }
func (o *outline) Block(_ *value.Type, b []byte)                        { o.line("%d bytes", len(b)) }
func (o *outline) Fault(*value.PointerCheck, uint64, value.FaultReason) { o.line("fault") }
func (o *outline) Nothing()                                             { o.line("nothing") }
func (o *outline) EmptyList()                                           { o.line("empty list") }
func (o *outline) BeginArray(*value.Type)                               { o.line("array"); o.depth++ }
func (o *outline) Element(int, int, int)                                {}
func (o *outline) EndArray(value.Rest)                                  { o.depth-- }
func (o *outline) BeginStruct()                                         { o.line("struct"); o.depth++ }
func (o *outline) Member(_ int, m *value.Member)                        { o.line("%s:", m.Name) }
func (o *outline) EndStruct()                                           { o.depth-- }

// ExampleView_Walk walks a struct in memory as an output does.
func ExampleView_Walk() {
	char := &btf.Int{Name: "char", Size: 1, Encoding: btf.IsSigned}
	short := &btf.Int{Name: "short int", Size: 2, Encoding: btf.IsSigned}
	member := func(name string, t btf.Type, size, count, offset int) value.Member {
		typ := value.NewType(&value.Field{Label: name, Type: t, Size: size}, false, nil)
		if count > 0 {
			typ.Dims = []int{count}
		}
		return value.Member{Name: name, Offset: offset, Type: typ}
	}
	t := value.Type{Form: value.Unknown, Size: 12, Members: []value.Member{
		member("mtu", short, 2, 0, 0), member("name", char, 1, 6, 2), member("stats", short, 2, 2, 8),
	}}
	var o outline
	value.View{}.Walk(&t, &value.Value{Kind: value.Bytes, Bytes: []byte("\xdc\x05lo\x00\x00\x00\x00\x01\x00\xff\xff")}, &o)
	fmt.Print(o.String())
	// Output:
	// struct
	//   mtu:
	//   number 1500
	//   name:
	//   text "lo"
	//   stats:
	//   array
	//     number 1
	//     number -1
}

// A balance is a Visitor that looks only at how much there is.
type balance struct {
	depth   int // what has begun and not ended
	parts   int
	longest int // bytes at once
}

func (v *balance) Number(*value.Type, uint64)                           { v.parts++ }
func (v *balance) Text(b []byte, _ bool)                                { v.parts, v.longest = v.parts+1, max(v.longest, len(b)) }
func (v *balance) Block(_ *value.Type, b []byte)                        { v.Text(b, false) }
func (v *balance) Fault(*value.PointerCheck, uint64, value.FaultReason) { v.parts++ }
func (v *balance) Nothing()                                             { v.parts++ }
func (v *balance) EmptyList()                                           { v.parts++ }
func (v *balance) BeginArray(*value.Type)                               { v.parts, v.depth = v.parts+1, v.depth+1 }
func (v *balance) Element(int, int, int)                                {}
func (v *balance) EndArray(value.Rest)                                  { v.depth-- }
func (v *balance) BeginStruct()                                         { v.parts, v.depth = v.parts+1, v.depth+1 }
func (v *balance) Member(int, *value.Member)                            { v.parts++ }
func (v *balance) EndStruct()                                           { v.depth-- }

// FuzzWalk: no type, however damaged, leads out of the bytes, and what begins ends.
func FuzzWalk(f *testing.F) {
	f.Add([]byte("abcdefgh"), uint8(value.Unknown), 4, 2, 1, 3, 5, false)
	f.Add([]byte("0"), uint8(90), 0, 16, -57, -27, 1, false)
	f.Add([]byte("abcdefghijklmnopq"), uint8(value.IP6), 1, 16, 0, 0, 0, true)
	badinput.Fuzz(f, func(t *testing.T, b []byte, form uint8, size, count, offset, shift, bits int, chars bool) {
		field := value.Field{Size: size, Bits: bits, Count: count}
		if bits > 0 {
			field.Encoding = value.BitField
		}
		typ := value.NewType(&field, false, nil)
		typ.Form, typ.Chars = value.Form(form%uint8(value.Unknown+1)), chars
		array := func(t value.Type, dims ...int) value.Type {
			t.Dims = dims
			return t
		}
		inner := value.Type{Form: value.Unknown, Size: size, Members: []value.Member{
			{Name: "a", Type: typ, Offset: offset, Shift: shift}, {Name: "b", Type: array(typ, count), Offset: offset},
		}}
		outer := value.Type{Form: value.Unknown, Size: count, Members: []value.Member{
			{Name: "c", Type: inner}, {Name: "d", Type: array(inner, count, shift), Offset: offset},
		}}
		object := value.Object{Bytes: b, Whole: size, Addr: uint64(bits), Absent: []value.Range{{Start: offset, End: count}, {Start: shift, End: size}}}
		for _, whole := range []value.Type{typ, inner, outer} {
			for _, view := range []value.View{{}, {Zeros: true}, {Full: true}} {
				var v balance
				view.Walk(&whole, &value.Value{Kind: value.Dump, Object: &object}, &v)
				if v.depth != 0 || v.longest > len(b) {
					t.Errorf("%+v of %d bytes", v, len(b))
				}
			}
			for _, kind := range []value.Kind{value.Uint, value.Text, value.Bytes, value.Fault, value.None} {
				var v balance
				val := value.Value{Kind: kind, Uint: uint64(shift), Bytes: b}
				value.View{}.Walk(&whole, &val, &v)
				value.View{}.Walk(&whole, &value.Value{Kind: value.List, Parts: &value.Parts{val, {Kind: value.Struct, Parts: &value.Parts{val, val, val}}}}, &v)
				if v.depth != 0 || v.parts == 0 || v.longest > len(b) {
					t.Errorf("%+v of %d bytes", v, len(b))
				}
			}
		}
	})
}

// TestDamagedTypes bounds what types of damaged BTF can make of an object.
func TestDamagedTypes(t *testing.T) {
	within := &btf.Struct{Size: 4}
	within.Members = []btf.MemberOf{member("x", u32, 0), member("", within, 0)}
	deep := structOf("s", 4, member("x", u32, 0))
	for range 99 {
		deep = structOf("s", 4, member("d", deep, 0))
	}
	many := structOf("many", 1<<17)
	for i := range 1<<16 + 1 {
		many.Members = append(many.Members, member("m", u8, i))
	}
	levels := func(typ value.Type) (n int) {
		for ; len(typ.Members) > 0; typ = typ.Members[0].Type {
			n++
		}
		return n
	}
	dump := func(t btf.Type) value.Type {
		return value.NewType(&value.Field{Type: t, Encoding: value.Dumped}, false, binary.LittleEndian)
	}
	if a, b, c := len(dump(within).Members), levels(dump(deep)), len(dump(many).Members); a != 65 || b != 65 || c != 1<<16 {
		t.Errorf("%d members of a struct within itself, %d levels, %d members", a, b, c)
	}
	for _, of := range []btf.Type{pair, structOf("one", 1, member("a", u8, 0))} {
		typ := dump(array(of, 200_000))
		var v visits
		value.View{Zeros: true, Full: true}.Walk(&typ, &value.Value{Kind: value.Dump, Object: &value.Object{Bytes: make([]byte, 800_000)}}, &v)
		if v.n != 1<<18 {
			t.Errorf("%d elements and members of %s are visited", v.n, btf.Name(of))
		}
	}
}

// visits counts elements and members.
type visits struct {
	discard
	n int
}

func (v *visits) Element(int, int, int)     { v.n++ }
func (v *visits) Member(int, *value.Member) { v.n++ }
