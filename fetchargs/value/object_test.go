package value_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A line is a Visitor that writes a value in one line: numbers, "text" ("text"+ if it goes
// on), <bytes>, ? for a fault, - for nothing, {struct}, [array] with the index before an
// element where one is left out, or FIRST..LAST, and what is said of the rest.
type line struct{ strings.Builder }

func (l *line) Number(_ *value.Type, x uint64) { fmt.Fprint(l, int64(x)) }
func (l *line) Text(b []byte, cut bool) {
	fmt.Fprintf(l, "%q", b)
	if cut {
		l.WriteByte('+')
	}
}
func (l *line) Block(_ *value.Type, b []byte)                        { fmt.Fprintf(l, "<%x>", b) }
func (l *line) Fault(*value.PointerCheck, uint64, value.FaultReason) { l.WriteByte('?') }
func (l *line) Nothing()                                             { l.WriteByte('-') }
func (l *line) EmptyList()                                           { l.WriteString("empty") }
func (l *line) BeginArray(*value.Type)                               { l.WriteByte('[') }
func (l *line) Element(n, i, last int) {
	if n > 0 {
		l.WriteByte(' ')
	}
	if last > i {
		fmt.Fprintf(l, "%d..%d:", i, last)
	} else if n != i {
		fmt.Fprintf(l, "%d:", i)
	}
}
func (l *line) EndArray(rest value.Rest) {
	l.WriteString(map[value.Rest]string{value.RestZero: " zero", value.RestAbsent: " absent", value.RestCut: " cut"}[rest] + "]")
}
func (l *line) BeginStruct() { l.WriteByte('{') }
func (l *line) Member(n int, m *value.Member) {
	if n > 0 {
		l.WriteByte(' ')
	}
	l.WriteString(m.Name + "=")
}
func (l *line) EndStruct() { l.WriteByte('}') }

// C types to make others of.
var (
	char   = &btf.Int{Name: "char", Size: 1, Encoding: btf.IsSigned}
	u8     = &btf.Typedef{Name: "u8", Type: &btf.Int{Name: "unsigned char", Size: 1}}
	s8     = &btf.Int{Name: "signed char", Size: 1, Encoding: btf.IsSigned}
	u16    = &btf.Int{Name: "unsigned short", Size: 2}
	s32    = &btf.Int{Name: "int", Size: 4, Encoding: btf.IsSigned}
	u32    = &btf.Int{Name: "unsigned int", Size: 4}
	u64    = &btf.Int{Name: "unsigned long", Size: 8}
	u128   = &btf.Int{Name: "unsigned __int128", Size: 16}
	be32   = &btf.Typedef{Name: "__be32", Type: u32}
	ptr    = &btf.Pointer{Target: &btf.Void{}}
	lists  = structOf("list_head", 16, member("next", ptr, 0), member("prev", ptr, 8))
	pair   = structOf("pair", 4, member("a", u16, 0), member("b", u16, 2))
	nested = structOf("nested", 12, member("n", u32, 0), member("", structOf("", 4, member("x", u16, 0), member("y", u16, 2)), 4), member("p", pair, 8))
)

func array(t btf.Type, n uint32) btf.Type { return &btf.Array{Type: t, Nelems: n, Index: u32} }
func member(name string, t btf.Type, at int) btf.MemberOf {
	return btf.MemberOf{Name: name, Type: t, Offset: cbtf.Bits(8 * at)}
}
func bitField(name string, t btf.Type, at, n int) btf.MemberOf {
	return btf.MemberOf{Name: name, Type: t, Offset: cbtf.Bits(at), BitfieldSize: cbtf.Bits(n)}
}
func structOf(name string, size uint32, members ...btf.MemberOf) *btf.Struct {
	return &btf.Struct{Name: name, Size: size, Members: members}
}

// bytesOf has each number in a byte, or as many as a ... says of the one before.
func bytesOf(text string) (b []byte) {
	for _, word := range strings.Fields(text) {
		var x, n int
		if c, _ := fmt.Sscanf(word, "%dx%d", &x, &n); c < 2 {
			n = 1
		}
		for range n {
			b = append(b, byte(x))
		}
	}
	return b
}

// TestObjects shows objects as they lie in memory.
func TestObjects(t *testing.T) {
	enough := structOf("enough", 24, member("a", u64, 0), member("l", lists, 8))
	named := structOf("named", 8, member("c", char, 0), member("name", array(char, 7), 1))
	union := &btf.Union{Name: "u", Size: 8, Members: []btf.MemberOf{member("w", u64, 0), member("b", array(u8, 8), 0)}}
	bits := structOf("bits", 16, bitField("lo", u32, 0, 3), bitField("s", s32, 3, 4), bitField("hi", u32, 7, 9), member("n", u16, 2),
		bitField("wide", u64, 8*4+4, 64))
	hole := structOf("hole", 4, member("far", u32, 8), member("before", u16, 1))
	group := &btf.Union{Size: 4, Members: []btf.MemberOf{member("", pairNamed(""), 0), member("named", pairNamed("named"), 0)}}
	for _, c := range []struct {
		name   string
		t      btf.Type
		bytes  string
		absent []value.Range
		view   value.View
		want   string
	}{
		{"numbers", pair, "1 0 2 1", nil, value.View{}, "{a=1 b=258}"},
		{"zeros are left out", pair, "0 0 2 0", nil, value.View{}, "{b=2}"},
		{"zeros", pair, "0 0 2 0", nil, value.View{Zeros: true}, "{a=0 b=2}"},
		{"members of the unnamed", nested, "1 0 0 0 2 0 3 0 4 0 0 0", nil, value.View{}, "{n=1 x=2 y=3 p={a=4}}"},
		{"union", union, "1 0x7", nil, value.View{}, "{w=1 b=[1 zero]}"},
		{"signed", array(s8, 3), "255 1 128", nil, value.View{}, "[-1 1 -128]"},
		{"a number in 16 bytes", u128, "1 0x15", nil, value.View{}, "<01000000000000000000000000000000>"},
		{"an IPv4 address is a number", structOf("s", 4, member("saddr", be32, 0)), "10 0 0 1", nil, value.View{}, "{saddr=167772161}"},
		{"IPv6", structOf("s", 16, member("saddr", array(u8, 16), 0)), "254 128 0x13 1", nil, value.View{}, "{saddr=<fe800000000000000000000000000001>}"},
		{"IPv6 of another name", structOf("s", 16, member("a", array(u8, 16), 0)), "1 0x15", nil, value.View{}, "{a=[1 zero]}"},
		{"hardware address", structOf("s", 6, member("mac", array(u8, 6), 0)), "1 2 3 4 5 6", nil, value.View{}, "{mac=<010203040506>}"},
		{"too short for one", structOf("s", 5, member("mac", array(u8, 5), 0)), "1 2 3 4 5", nil, value.View{}, "{mac=[1 2 3 4 5]}"},
		{"not read at all", pair, "9 9 9 9", []value.Range{{0, 4}}, value.View{}, "?"},
		{"half not read", pair, "9 9 1 0", []value.Range{{0, 2}}, value.View{}, "{a=? b=1}"},
		{"a byte of a number not read", pair, "9 0 1 0", []value.Range{{1, 2}}, value.View{}, "{a=? b=1}"},
		{"not read, beside what was", pair, "1 0 1 0", []value.Range{{4, 9}}, value.View{}, "{a=1 b=1}"},
		{"cut off", nested, "1 0 0 0 2 0 3", nil, value.View{}, "{n=1 x=2}"},
		{"cut off, with zeros", nested, "1 0 0 0 2 0 3", nil, value.View{Zeros: true}, "{n=1 x=2}"},
		{"cut off within a struct", nested, "1 0 0 0 2 0 3 0 4 0 1", nil, value.View{}, "{n=1 x=2 y=3 p={a=4}}"},
		{"members outside of it", hole, "1 2 3 4", nil, value.View{}, "{before=770}"},
		{"text", named, "65 108 111 0 0 0 0 0", nil, value.View{}, `{c=65 name="lo"}`},
		{"text to the end", named, "0 108 111 108 111 108 111 33", nil, value.View{}, `{name="lololo!"}`},
		{"text before garbage", named, "0 108 9 10 0 1 2 3", nil, value.View{}, `{name="l\t\n"}`},
		{"text in UTF-8", named, "0 195 164 0 1 1 1 1", nil, value.View{}, `{name="ä"}`},
		{"half a character", named, "0 195 0 1 1 1 1 1", nil, value.View{}, "{name=[195 0 1 1 1 1 1]}"},
		{"a control character", named, "0 108 31 0 1 1 1 1", nil, value.View{}, "{name=[108 31 0 1 1 1 1]}"},
		{"DEL", named, "0 127 0 1 1 1 1 1", nil, value.View{}, "{name=[127 0 1 1 1 1 1]}"},
		{"no text, then garbage", named, "0 0 1 2 0 0 0 0", nil, value.View{}, "{name=[0 1 2 zero]}"},
		{"text, part of it not read", named, "0 108 111 0 0 0 0 0", []value.Range{{4, 8}}, value.View{}, "{name=?}"},
		{"a list that points elsewhere", enough, "1 0x7 2 0x7 3 0x7", nil, value.View{}, "{a=1 l={next=2 prev=3}}"},
		{"an empty list", enough, "0x8 8 16 0x6 8 16 0x6", nil, value.View{}, "{l=empty}"},
		{"half an empty list", enough, "0x8 8 16 0x6 7 16 0x6", nil, value.View{}, "{l={next=4104 prev=4103}}"},
		{"the other half", enough, "0x8 7 16 0x6 8 16 0x6", nil, value.View{}, "{l={next=4103 prev=4104}}"},
		{"an empty list cut off", enough, "0x8 8 16 0x6 8 16 0x5", nil, value.View{}, "{l={next=4104}}"},
		{"bit fields", bits, "213 133 2 0 240 255x7 15 0x3", nil, value.View{}, "{lo=5 s=-6 hi=267 n=2 wide=-1}"},
		{"bit fields that are zero", bits, "5 0 0 0 0x12", nil, value.View{}, "{lo=5}"},
		{"zeros after the last", array(u16, 6), "1 0 2 0 0x8", nil, value.View{}, "[1 2 zero]"},
		{"all elements", array(u16, 6), "1 0 2 0 0x8", nil, value.View{Full: true}, "[1 2 0 0 0 0]"},
		{"zeros too", array(u16, 3), "1 0 0x4", nil, value.View{Zeros: true}, "[1 0 0]"},
		{"few among zeros", array(u8, 20), "1 0x15 2 0x3", nil, value.View{}, "[1 16:2]"},
		{"half of them", array(u8, 10), "1 0 1 0 1 0 1 0 1 1", nil, value.View{}, "[1 0 1 0 1 0 1 0 1 1]"},
		{"less than half of nine", array(u8, 9), "1 0x3 2 0x3 1", nil, value.View{}, "[1 4:2 8:1]"},
		{"less than half of eight", array(u8, 9), "1 0x6 1 0", nil, value.View{}, "[1 0 0 0 0 0 0 1 zero]"},
		{"eight equal ones", array(u8, 10), "7x8 1 2", nil, value.View{}, "[0..7:7 8:1 9:2]"},
		{"seven equal ones", array(u8, 9), "7x7 1 2", nil, value.View{}, "[7 7 7 7 7 7 7 1 2]"},
		{"equal to the end", array(u16, 9), "1 0 2 0 2 0 2 0 2 0 2 0 2 0 2 0 2 0", nil, value.View{}, "[1 1..8:2]"},
		{"equal ones, all shown", array(u8, 9), "7x9", nil, value.View{Full: true}, "[7 7 7 7 7 7 7 7 7]"},
		{"structs that are zero", array(pair, 3), "1 0 0 0 0x4 2 0 0 0", nil, value.View{}, "[{a=1} 2:{a=2}]"},
		{"structs, zeros after", array(pair, 3), "1 0 0 0 0x8", nil, value.View{}, "[{a=1}]"},
		{"elements cut off", array(u16, 4), "1 0 2 0 3", nil, value.View{}, "[1 2 cut]"},
		{"elements cut off, all shown", array(u16, 4), "1 0 0 0 3", nil, value.View{Full: true}, "[1 0 cut]"},
		{"elements not read", array(u16, 4), "1 0 2 0 9 9 9 9", []value.Range{{4, 8}}, value.View{}, "[1 2 absent]"},
		{"one element not read", array(u16, 4), "1 0 2 0 3 0 9 9", []value.Range{{6, 8}}, value.View{}, "[1 2 3 ?]"},
		{"elements not read in between", array(u16, 4), "1 0 9 9 9 9 2 0", []value.Range{{2, 6}}, value.View{}, "[1 ? ? 2]"},
		{"equal ones not read", array(u16, 11), "1 0 9x18 2 0", []value.Range{{2, 20}}, value.View{}, "[1 1..9:? 10:2]"},
		{"zero before those not read", array(u16, 4), "0x4 9x4", []value.Range{{4, 8}}, value.View{}, "[0 0 absent]"},
		{"half an element not read, with zeros", array(u16, 4), "1 0 0 9x5", []value.Range{{3, 8}}, value.View{Zeros: true}, "[1 ? absent]"},
		{"rows", array(array(u8, 2), 3), "1 2 3 4 0 0", nil, value.View{}, "[[1 2] [3 4] zero]"},
		{"rows of text", array(array(char, 3), 2), "97 98 0 99 0 0", nil, value.View{}, `["ab" "c"]`},
		{"empty lists", array(lists, 3), "0 16 0x6 0 16 0x6 16 16 0x6 16 16 0x6 1 0x15", nil, value.View{}, "[0..1:empty 2:{next=1}]"},
		{"empty lists, each", array(lists, 2), "0 16 0x6 0 16 0x6 16 16 0x6 16 16 0x6", nil, value.View{Full: true}, "[empty empty]"},
		{"empty lists, one not read", array(lists, 2), "0 16 0x6 0 16 0x6 16 16 0x6 16 16 0x6", []value.Range{{16, 32}}, value.View{}, "[empty ?]"},
		{"an array of nothing", structOf("s", 4, member("a", u32, 0), member("flex", array(u8, 0), 4)), "1 0 0 0", nil, value.View{Zeros: true}, "{a=1}"},
		{"the same members twice", group, "1 0 2 0", nil, value.View{}, "{a=1 b=2}"},
		{"a row of nothing before a member", structOf("s", 4, member("flex", array(u8, 0), 0), member("a", u32, 0)), "1 0 0 0", nil, value.View{Zeros: true}, "{a=1}"},
		{"a row of elements without a size", array(structOf("none", 0), 3), "", nil, value.View{}, "[]"},
		{"a row of which nothing was fetched", array(u16, 2), "", nil, value.View{}, "[ cut]"},
		{"a row of one IPv4 address", structOf("s", 4, member("saddr", array(be32, 1), 0)), "10 0 0 1", nil, value.View{}, "{saddr=[167772161]}"},
		{"text with a space", named, "0 97 32 98 0 1 1 1", nil, value.View{}, `{name="a b"}`},
		{"cut off before a struct, with zeros", nested, "1 0 0 0 2 0 3 0", nil, value.View{Zeros: true}, "{n=1 x=2 y=3}"},
		{"empty lists at the end", array(lists, 3), "1 0x15 16 16 0x6 16 16 0x6 32 16 0x6 32 16 0x6", nil, value.View{}, "[{next=1} 1..2:empty]"},
		{"exactly half of them", array(u8, 10), "1 0 1 0 1 0 1 0 0 1", nil, value.View{}, "[1 0 1 0 1 0 1 0 0 1]"},
		{"elements of a member not read", structOf("s", 12, member("a", u32, 0), member("row", array(u16, 4), 4)), "1 0 0 0 1 0 2 0 9 9 9 9", []value.Range{{8, 12}}, value.View{}, "{a=1 row=[1 2 absent]}"},
		{"a member without a name", structOf("s", 8, member("", u32, 0), member("a", u32, 4)), "1 0 0 0 2 0 0 0", nil, value.View{}, "{a=2}"},
		{"a second name first", &btf.Union{Size: 4, Members: []btf.MemberOf{member("__a", u32, 0), member("a", u32, 0)}}, "1 0 0 0", nil, value.View{}, "{a=1}"},
		{"a second name last", &btf.Union{Size: 4, Members: []btf.MemberOf{member("a", u32, 0), member("__a", u32, 0)}}, "1 0 0 0", nil, value.View{}, "{a=1}"},
		{"a like name of another type", &btf.Union{Size: 4, Members: []btf.MemberOf{member("__a", u32, 0), member("a", u16, 0)}}, "1 0 0 0", nil, value.View{}, "{__a=1 a=1}"},
		{"the same type except for const", &btf.Union{Size: 4, Members: []btf.MemberOf{member("__a", u32, 0), member("a", &btf.Const{Type: u32}, 0)}}, "1 0 0 0", nil, value.View{}, "{a=1}"},
		{"other members in a second group", &btf.Union{Size: 4, Members: []btf.MemberOf{member("", pairNamed(""), 0), member("other", structOf("", 4, member("x", u32, 0)), 0)}}, "1 0 0 0", nil, value.View{}, "{a=1 other={x=1}}"},
		{"another name", &btf.Union{Size: 4, Members: []btf.MemberOf{member("a", u32, 0), member("b", u32, 0)}}, "1 0 0 0", nil, value.View{}, "{a=1 b=1}"},
		{"text by its member", structOf("qstr", 4, member("name", array(u8, 4), 0)), "97 98 0 0", nil, value.View{}, `{name="ab"}`},
		{"bytes by their member", structOf("sk_buff", 4, member("cb", array(char, 4), 0)), "97 98 0 0", nil, value.View{}, "{cb=[97 98 zero]}"},
		{"a bit field of a wide type", structOf("s", 16, bitField("a", u128, 0, 5)), "33 0x15", nil, value.View{}, "{a=1}"},
		{"a bit field that is too wide", structOf("s", 16, bitField("a", u64, 0, 100)), "255x16", nil, value.View{}, "{a=-1}"},
		{"a pointer", structOf("s", 8, member("p", ptr, 0)), "1 0x7", nil, value.View{}, "{p=1}"},
	} {
		b := bytesOf(c.bytes)
		size, _ := btf.Size(c.t)
		f := value.Field{Type: c.t, Encoding: value.Dumped, Whole: size}
		typ := value.NewType(&f, false, binary.LittleEndian)
		var l line
		c.view.Walk(&typ, &value.Value{Kind: value.Dump, Object: &value.Object{Bytes: b, Whole: size, Addr: 0x1000, Absent: c.absent}}, &l)
		if got := l.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func pairNamed(name string) *btf.Struct {
	return structOf(name, 4, member("a", u16, 0), member("b", u16, 2))
}

// TestObjectForms decides how members are shown, also by a FORMAT for all numbers.
func TestObjectForms(t *testing.T) {
	s64 := &btf.Int{Name: "long", Size: 8, Encoding: btf.IsSigned}
	all := structOf("all", 56, member("word", u64, 0), member("s", s64, 8), member("n", u32, 16), member("p", ptr, 24), member("c", char, 32),
		member("text", array(char, 3), 33), bitField("bits", u64, 36*8, 40), member("be", be32, 44), member("e", &btf.Enum{Name: "e", Size: 4}, 48))
	for format, want := range map[string]string{
		"":    "word:Word s:Decimal n:Decimal p:Pointer c:Char text:Char bits:Decimal be:Decimal e:",
		"x":   "word:Hex s:Hex n:Hex p:Pointer c:Hex text:Char bits:Hex be:Hex e:",
		"u8":  "word:Word s:Decimal n:Decimal p:Pointer c:Char text:Char bits:Decimal be:Decimal e:",
		"hex": "Memory of 56 bytes",
	} {
		typ := value.NewType(&value.Field{Type: all, Encoding: value.Dumped, Whole: 56, Format: format}, false, binary.LittleEndian)
		var got []string
		for _, m := range typ.Members {
			got = append(got, m.Name+":"+formNames[m.Type.Form])
			if m.Name == "be" && m.Type.Means(1) != 1<<24 {
				t.Errorf("%q: a number in network byte order is in that of the machine", format)
			}
		}
		if typ.Members == nil {
			got = []string{fmt.Sprintf("%s of %d bytes", formNames[typ.Form], typ.Size)}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("with %q: %s, want %s", format, got, want)
		}
	}
	for format, members := range map[string]int{"": 2, "x8": 0} {
		typ := value.NewType(&value.Field{Type: pair, Encoding: value.Array, Size: 4, Count: 2, Format: format}, false, nil)
		if len(typ.Members) != members {
			t.Errorf("an array of structs with %q has %d members", format, len(typ.Members))
		}
	}
}

// TestBytes shows values that are bytes of memory.
func TestBytes(t *testing.T) {
	array := func(t btf.Type, size int, format string) value.Field {
		return value.Field{Type: t, Encoding: value.Array, Size: size, Format: format}
	}
	for _, c := range []struct {
		f           value.Field
		bytes, want string
	}{
		{array(pair, 4, ""), "1 0 2 0", "{a=1 b=2}"},
		{array(pair, 4, ""), "1 0 2 0 3 0 0", "{a=1 b=2}"},
		{array(pair, 4, ""), "1 0 2 0 3 0 0 0", "[{a=1 b=2} {a=3}]"},
		{array(pair, 4, ""), "1 0 2 0 3 0 0 0 4 0 0 0", "[{a=1 b=2} {a=3} {a=4}]"},
		{array(u16, 2, ""), "1 0 2 0", "[1 2]"},
		{array(u16, 2, ""), "1 0 2", "[1]"},
		{array(u8, 1, "mac"), "1 2 3 4 5 6", "<010203040506>"},
		{array(u8, 1, "mac"), "1 2 3 4 5 6 7 8", "[<010203040506> 7 8]"},
		{array(u8, 1, "mac"), "1 2 3 4 5", "[1 2 3 4 5]"},
		{array(u8, 1, "mac"), "1x12", "[<010101010101> <010101010101>]"},
		{array(structOf("cpumask", 8), 8, ""), "1 2", "<0102>"},
	} {
		typ := value.NewType(&c.f, false, binary.LittleEndian)
		if got := shown(&typ, value.Value{Kind: value.Bytes, Bytes: bytesOf(c.bytes)}); got != c.want {
			t.Errorf("%s: got %s, want %s", c.bytes, got, c.want)
		}
	}
}

// TestBigEndianBits shows bit fields, whose first bits are the highest there.
func TestBigEndianBits(t *testing.T) {
	bits := structOf("bits", 16, bitField("lo", u32, 0, 3), bitField("s", s32, 3, 4), bitField("hi", u32, 7, 9), bitField("wide", u64, 8*4+4, 64))
	f := value.Field{Type: bits, Encoding: value.Dumped, Whole: 16}
	typ := value.NewType(&f, false, binary.BigEndian)
	b := bytesOf("181 11 0 0 240 0x7 31 0x3")
	if got, want := shown(&typ, value.Value{Kind: value.Dump, Object: &value.Object{Bytes: b}}), "{lo=5 s=-6 hi=267 wide=1}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
