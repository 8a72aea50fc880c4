package value_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

func typedef(name string, t btf.Type) btf.Type { return &btf.Typedef{Name: name, Type: t} }

// TestTypes decides how values are shown. want is the form, what the number 0xfedcba98 means
// in hexadecimal, and what else there is.
func TestTypes(t *testing.T) {
	lock := func(size uint32) btf.Type { return typedef("spinlock_t", structOf("spinlock", size)) }
	bool1 := &btf.Int{Name: "_Bool", Size: 1}
	s64 := &btf.Int{Name: "long", Size: 8, Encoding: btf.IsSigned}
	s16 := &btf.Int{Name: "short", Size: 2, Encoding: btf.IsSigned}
	function := &btf.Pointer{Target: &btf.FuncProto{}}
	bytes := func(name string, n int) value.Field {
		return value.Field{Type: array(u8, uint32(n)), Name: name, Encoding: value.Array, Size: 1, Count: n}
	}
	for _, c := range []struct {
		name     string
		f        value.Field
		returned bool
		want     string
	}{
		{"a lock", value.Field{Type: lock(1), Size: 1}, false, "Hex 98"},
		{"in 2 bytes", value.Field{Type: lock(2), Size: 2}, false, "Hex ba98"},
		{"in 4", value.Field{Type: lock(4), Size: 4}, false, "Hex fedcba98"},
		{"in 8", value.Field{Type: lock(8), Size: 8}, false, "Hex fedcba98"},
		{"with debugging", value.Field{Type: lock(3), Size: 4}, false, "Unknown fedcba98"},
		{"a block", value.Field{Type: structOf("in6_addr", 16), Size: 1, Encoding: value.Array, Count: 16}, false, "IP6 98"},
		{"bool", value.Field{Type: bool1, Size: 1}, false, "Bool 98"},
		{"bool by another name", value.Field{Type: &btf.Int{Name: "bool", Size: 1}, Size: 1}, false, "Bool 98"},
		{"bool by its encoding", value.Field{Type: &btf.Int{Name: "x", Size: 1, Encoding: btf.Bool}, Size: 1}, false, "Bool 98"},
		{"char", value.Field{Type: char, Size: 1}, false, "Char 98 chars"},
		{"char by its encoding", value.Field{Type: &btf.Int{Name: "x", Size: 1, Encoding: btf.Char}, Size: 1}, false, "Char 98 chars"},
		{"bytes", bytes("x", 6), false, "Byte 98"},
		{"a hardware address", bytes("mac", 6), false, "LongMAC 98"},
		{"too short for one", bytes("mac", 5), false, "Byte 98"},
		{"IPv6", bytes("saddr", 16), false, "IP6 98"},
		{"IPv6 of another length", bytes("saddr", 15), false, "LongMAC 98"},
		{"not an array", value.Field{Type: u8, Name: "mac", Size: 1}, false, "Decimal 98"},
		{"an array of more than bytes", value.Field{Type: array(u16, 6), Name: "mac", Encoding: value.Array, Size: 2, Count: 6}, false, "Decimal ba98"},
		{"signed bytes", value.Field{Type: array(s8, 6), Name: "mac", Encoding: value.Array, Size: 1, Count: 6, Signed: true}, false, "Decimal ffffffffffffff98 signed"},
		{"a result", value.Field{Type: s32, Size: 4, Signed: true}, true, "Returned fffffffffedcba98 signed"},
		{"a short result", value.Field{Type: s16, Size: 2, Signed: true}, true, "Decimal ffffffffffffba98 signed"},
		{"an unsigned result", value.Field{Type: u32, Size: 4}, true, "Decimal fedcba98"},
		{"not a result", value.Field{Type: s32, Size: 4, Signed: true}, false, "Decimal fffffffffedcba98 signed"},
		{"a pointer", value.Field{Type: ptr, Size: 8}, false, "Address fedcba98"},
		{"a function", value.Field{Type: function, Size: 8}, false, "Symbol fedcba98"},
		{"a register", value.Field{Size: 8}, false, "Unknown fedcba98"},
		{"network byte order", value.Field{Type: be32, Size: 4}, false, "Decimal 98badcfe"},
		{"IPv4", value.Field{Type: be32, Name: "saddr", Size: 4}, false, "IP4 98badcfe"},
		{"a cast to more", value.Field{Type: s64, Size: 4, Signed: true}, false, "Decimal fedcba98 signed"},
		{"a cast to more than 8 bytes", value.Field{Type: u128, Size: 8}, false, "Decimal fedcba98"},
		{"a cast to less", value.Field{Type: u16, Size: 4}, false, "Decimal fedcba98"},
		{"a FORMAT narrower than the value", value.Field{Type: s64, Size: 4, Format: "u16"}, false, "Decimal ba98"},
		{"a FORMAT as wide", value.Field{Type: u128, Size: 4, Format: "ip4"}, false, "IP4 98badcfe"},
		{"a FORMAT that is wider", value.Field{Type: u16, Size: 2, Format: "u32"}, false, "Decimal ba98"},
		{"a FORMAT of all", value.Field{Type: u32, Size: 4, Format: "x"}, false, "Hex fedcba98"},
		{"a FORMAT with a sign", value.Field{Type: u32, Size: 4, Format: "s32"}, false, "Decimal fffffffffedcba98 signed"},
		{"a FORMAT for text", value.Field{Type: ptr, Size: 8, Format: "us"}, false, "Address fedcba98 chars"},
		{"a FORMAT for paths", value.Field{Type: ptr, Size: 8, Format: "path"}, false, "Address fedcba98 chars"},
		{"a FORMAT for names", value.Field{Type: ptr, Size: 8, Format: "%pd"}, false, "Address fedcba98 chars"},
		{"a FORMAT for kernel text", value.Field{Type: ptr, Size: 8, Format: "string"}, false, "Address fedcba98 chars"},
		{"a FORMAT for bytes", value.Field{Type: ptr, Size: 8, Format: "mac"}, false, "MAC fedcba98"},
		{"nanoseconds", value.Field{Type: s64, Size: 8, Format: "time", Signed: true}, false, "Seconds fedcba98 signed"},
		{"ticks", value.Field{Type: u32, Size: 4, Format: "jiffies", HZ: 250}, false, "Jiffies fedcba98 250 HZ"},
		{"signed ticks", value.Field{Type: s32, Size: 4, Format: "jiffies", Signed: true, HZ: 250}, false, "Jiffies fffffffffedcba98 signed 250 HZ"},
		{"no ticks", value.Field{Type: s32, Size: 4, Format: "u", Signed: true, HZ: 250}, false, "Decimal fedcba98"},
		{"a set of constants", value.Field{Type: u32, Size: 4, Set: "open"}, false, "Named fedcba98 open"},
		{"by its FORMAT", value.Field{Type: be32, Size: 4, Format: "ethertype"}, false, "Named 98badcfe ethertype"},
		{"a number of a set", value.Field{Type: s32, Size: 4, Set: "signal", Signed: true}, false, "Named fffffffffedcba98 signed signal"},
		{"a bit field", value.Field{Type: u32, Size: 4, Bits: 12, Encoding: value.BitField}, false, "Decimal fedcba98 2 bytes"},
		{"of whole bytes", value.Field{Type: u32, Size: 4, Bits: 16, Encoding: value.BitField}, false, "Decimal fedcba98 2 bytes"},
		{"of 17 bits", value.Field{Type: u32, Size: 4, Bits: 17, Encoding: value.BitField}, false, "Decimal fedcba98 3 bytes"},
		{"of whole bytes in network byte order", value.Field{Type: be32, Size: 4, Bits: 24, Encoding: value.BitField}, false, "Decimal 98badc 3 bytes"},
		{"of other bits", value.Field{Type: be32, Size: 4, Bits: 12, Encoding: value.BitField}, false, "Decimal fedcba98 2 bytes"},
		{"a signed bit field, cast", value.Field{Type: u32, Size: 4, Bits: 5, Signed: true, Encoding: value.BitField}, false, "Decimal fedcba98 4 bytes"},
		{"a signed one as wide as the cast", value.Field{Type: u8, Size: 4, Bits: 8, Signed: true, Encoding: value.BitField}, false, "Decimal fedcba98 1 bytes"},
	} {
		typ := value.NewType(&c.f, c.returned, binary.LittleEndian)
		got := fmt.Sprintf("%s %x", formNames[typ.Form], typ.Means(0xfedcba98))
		if typ.Signed {
			got += " signed"
		}
		if typ.Chars {
			got += " chars"
		}
		if typ.Names != nil {
			got += " " + typ.Names.Name
		}
		if typ.HZ > 0 {
			got += fmt.Sprint(" ", typ.HZ, " HZ")
		}
		if c.f.Bits > 0 {
			got += fmt.Sprint(" ", typ.Width(), " bytes")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

var formNames = map[value.Form]string{
	value.Decimal: "Decimal", value.Hex: "Hex", value.Char: "Char", value.Bool: "Bool", value.Byte: "Byte", value.Named: "Named", value.Address: "Address",
	value.Symbol: "Symbol", value.Returned: "Returned", value.Seconds: "Seconds", value.Jiffies: "Jiffies", value.IP4: "IP4", value.IP6: "IP6",
	value.MAC: "MAC", value.LongMAC: "LongMAC", value.Memory: "Memory", value.Pointer: "Pointer", value.Word: "Word", value.Unknown: "Unknown",
}

// TestNumbers reads numbers whose meaning depends on other args.
func TestNumbers(t *testing.T) {
	level := func(arg int) []value.Field {
		return []value.Field{{Type: s32, Size: 4, Signed: true, Set: "protocol", By: 1 + arg}}
	}
	use := func(u value.Use) []value.Field { return []value.Field{{Type: u32, Arg: 1, Size: 4, Use: &u}} }
	split := []value.Field{{Type: u64, Size: 8, Bits: 12, Encoding: value.BitField, Split: 4}}
	testRecords(t, []recordTest{
		{"the first case", level(1), []any{uint32(6), uint32(2)}, nil, "ipproto:6"},
		{"the last case", level(1), []any{uint32(6), uint32(16)}, nil, "netlink:6"},
		{"no case", level(1), []any{uint32(6), uint32(99)}, nil, "protocol:6"},
		{"chosen by itself", level(0), []any{uint32(2)}, nil, "ipproto:2"},
		{"nothing chooses", []value.Field{{Type: s32, Size: 4, Signed: true, Set: "protocol"}}, []any{uint32(2)}, nil, "protocol:2"},
		{"a bit field in two words", split, []any{uint64(0xa), uint64(0x1bc)}, nil, "3018"},
		{"used with a flag", use(value.Use{Values: []uint64{4, 3}}), []any{uint32(3), uint32(7)}, nil, "7"},
		{"not used without one", use(value.Use{Values: []uint64{4, 3}}), []any{uint32(2), uint32(7)}, nil, "- unused"},
		{"not used with a flag", use(value.Use{Values: []uint64{4}, Not: true}), []any{uint32(6), uint32(7)}, nil, "- unused"},
		{"used without it", use(value.Use{Values: []uint64{4}, Not: true}), []any{uint32(2), uint32(7)}, nil, "7"},
		{"used with a command", use(value.Use{Mask: 7, Values: []uint64{1}}), []any{uint32(9), uint32(7)}, nil, "7"},
		{"not with one that has its bits", use(value.Use{Mask: 7, Values: []uint64{1}}), []any{uint32(3), uint32(7)}, nil, "- unused"},
		{"never used", use(value.Use{}), []any{uint32(3), uint32(7)}, nil, "- unused"},
	})
	if typ := value.NewType(&value.Field{Type: u32, Size: 4}, false, nil); typ.Of(&value.Value{Kind: value.Uint, Reason: 1}) != &typ {
		t.Error("a type without cases has one")
	}
	d, b := (&recordTest{fields: use(value.Use{}), args: []any{uint32(3), uint32(7)}}).decoder(binary.LittleEndian)
	if v := d.Value(0, b); !v.IsUnused() || (&value.Value{}).IsUnused() || (&value.Value{Kind: value.Text, Reason: value.Unused}).IsUnused() {
		t.Errorf("%+v is unused, and nothing else is", v)
	}
}

// TestWidths converts signed numbers to unsigned types in C.
func TestWidths(t *testing.T) {
	for _, c := range []struct {
		f        value.Field
		unsigned int
	}{
		{value.Field{Type: u64, Size: 4, Signed: true}, 64},
		{value.Field{Type: u64, Size: 4}, 0},
		{value.Field{Type: u64, Bits: 5, Size: 4, Signed: true, Encoding: value.BitField}, 64},
		{value.Field{Type: u8, Bits: 7, Size: 4, Signed: true, Encoding: value.BitField}, 8},
		{value.Field{Type: u8, Bits: 8, Size: 4, Signed: true, Encoding: value.BitField}, 0},
		{value.Field{Type: u64, Size: 4, Signed: true, Encoding: value.Array}, 0},
		{value.Field{Type: u64, Size: 4, Signed: true, Format: "d"}, 0},
		{value.Field{Type: u64, Size: 4, Signed: true, Format: "x"}, 64},
		{value.Field{Type: s32, Size: 2, Signed: true}, 0},
		{value.Field{Type: &btf.Int{Name: "bool", Size: 8, Encoding: btf.Bool}, Size: 4, Signed: true}, 0},
		{value.Field{Type: ptr, Size: 4, Signed: true}, 0},
	} {
		if got := c.f.Unsigned(); got != c.unsigned {
			t.Errorf("%+v becomes an unsigned number of %d bits, want %d", c.f, got, c.unsigned)
		}
	}
	for _, c := range []struct {
		f    value.Field
		want string
	}{
		{value.Field{Type: u32}, "unsigned int"}, {value.Field{Type: s32, Signed: true}, "int"}, {value.Field{}, "a register of unknown type"},
		{value.Field{Type: s32}, "unsigned by its FORMAT"}, {value.Field{Type: u32, Signed: true}, "signed by its FORMAT"},
	} {
		if got := value.KindOf(&c.f); got != c.want {
			t.Errorf("%+v is %s, want %s", c.f, got, c.want)
		}
	}
	id := func(t btf.Type, size int) *value.Type {
		typ := value.NewType(&value.Field{Type: t, Size: size, Format: map[bool]string{true: "id"}[t != ptr]}, false, nil)
		return &typ
	}
	for i, c := range []struct {
		t    *value.Type
		x    uint64
		want bool
	}{{id(u32, 4), 1<<32 - 1, true}, {id(u32, 4), 1<<32 - 2, false}, {id(u16, 2), 1<<16 - 1, true}, {id(ptr, 4), 1<<32 - 1, false}, {id(u64, 8), 1<<64 - 1, false}} {
		if got := c.t.IsNoID(c.x); got != c.want {
			t.Errorf("%d: %#x is not an ID: %v", i, c.x, got)
		}
	}
}

// TestFormats lists the FORMATs with properties.
func TestFormats(t *testing.T) {
	var texts, counts []string
	for _, name := range append(value.FormatNames(), "%pd", "open") {
		f := value.FormatNamed(name)
		if f.IsText() {
			texts = append(texts, name)
		}
		if f.Counts() {
			counts = append(counts, name)
		}
	}
	if got, want := strings.Join(texts, " "), "s string us ustring str"; got != want {
		t.Errorf("FORMATs for text: %s, want %s", got, want)
	}
	want := "s string us ustring ip4 be32 port be16 hex u8 u16 u32 u64 s8 s16 s32 s64 x8 x16 x32 x64 char symbol str"
	if got := strings.Join(counts, " "); got != want {
		t.Errorf("FORMATs with a count: %s, want %s", got, want)
	}
	if !value.OfPointers("percpu") || !value.OfPointers("sym") || value.OfPointers("addr") || value.IsPerCPU("sym") {
		t.Error("percpu and sym are for pointers, and only percpu is per CPU")
	}
}

// TestErrnos finds errors by number and by name.
func TestErrnos(t *testing.T) {
	for name, want := range map[string]int64{"EPERM": 1, "ENOGRACE": 531, "EWOULDBLOCK": 11, "": 0, "EX": 0, "enoent": 0} {
		if n, ok := value.Errno(name); ok != (want > 0) || ok && n != want {
			t.Errorf("%s is %d, %v, want %d", name, n, ok, want)
		}
	}
	for x, want := range map[int64]string{-2: "ENOENT", 2: "", 0: "", -4095: "", -4096: "", -531: "ENOGRACE"} {
		if got := value.ReturnedErrno(uint64(x)); got != want {
			t.Errorf("the result %d is %q, want %q", x, got, want)
		}
	}
	for x, want := range map[int64]bool{-1: true, -4095: true, -4096: false, 0: false} {
		if got := value.IsErrno(uint64(x)); got != want {
			t.Errorf("%d is an error: %v", x, got)
		}
	}
	stamps := structOf("task_struct", 8)
	if !value.IsBootStamp(stamps, "start_boottime") || value.IsBootStamp(stamps, "start_time") || value.IsBootStamp(ptr, "load_time") {
		t.Error("task_struct.start_boottime is of CLOCK_BOOTTIME, and start_time is not")
	}
}
