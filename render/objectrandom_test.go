package render_test

import (
	"bytes"
	"encoding/binary"
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// TestRandomObjects shows objects of all types of the fixtures with random bytes. An
// independent reader of the BTF must find the same in JSON; no bit that is set and lies
// in a member may be missing; and the text, parsed, must say what JSON says.
func TestRandomObjects(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	leaves, named := 0, 0
	for _, file := range []string{"linux-6.12-amd64.btf", "corners.btf", "sample.btf"} {
		k := btf.Open("../testdata/btf/" + file)
		var names []string
		for _, glob := range []string{"struct ?*", "union ?*"} {
			more, err := k.TypeNames(glob)
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, more...)
		}
		if len(names) < 5 {
			t.Fatalf("%s has %d types", file, len(names))
		}
		for _, name := range names {
			typ, err := k.Type(name)
			if err != nil {
				t.Fatal(err)
			}
			size, ok := btf.Size(typ)
			if !ok || size == 0 {
				continue
			}
			for range 3 {
				o := &testObject{t: t, typ: typ, opts: render.Options{Symbol: testSymbol, Zeros: rng.IntN(3) == 0, Compact: rng.IntN(4) == 0}}
				o.field = value.Field{Label: "*p", Type: typ, Encoding: value.Dumped}
				o.Bytes, o.Whole = randomBytes(rng, size), size
				found := o.check(name)
				leaves, named = leaves+found.leaves, named+found.named
				if t.Failed() {
					t.FailNow()
				}
			}
		}
	}
	if named < 200 {
		t.Errorf("only %d values with a text were compared", named)
	}
	if leaves < 10000 {
		t.Errorf("only %d values were compared", leaves)
	}
	t.Logf("%d values, %d with a text", leaves, named)
}

// randomBytes are bytes of which some words are not zero.
func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	every := 1 + rng.IntN(12)
	for i := 0; i < n; i += 1 + rng.IntN(8) {
		if rng.IntN(every) == 0 {
			b[i] = byte(rng.Uint32())
		}
		if rng.IntN(20) == 0 {
			copy(b[i:], "abc")
		}
		if rng.IntN(20) == 0 && i%8 == 0 && i+8 <= n {
			copy(b[i:], []byte{4, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff})
		}
	}
	return b
}

// check compares what is shown of o and returns what it found.
func (o *testObject) check(name string) *reader {
	text, js := string(o.text()), o.json()
	var all struct{ Value any }
	d := stdjson.NewDecoder(strings.NewReader("{" + string(js) + "}"))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		o.t.Fatalf("%s: %v in %s", name, err, js)
	}
	r := &reader{o: o, seen: make([]bool, 8*len(o.Bytes)), member: make([]bool, 8*len(o.Bytes))}
	r.compare(name, o.typ, 0, 0, all.Value)
	r.cover(o.typ, 0, 0)
	for bit := range r.seen {
		if o.Bytes[bit/8]>>(bit%8)&1 == 1 && r.member[bit] && !r.seen[bit] {
			o.t.Errorf("%s: bit %d of byte %d is set and in no member that is shown:\n%s", name, bit%8, bit/8, text)
			break
		}
	}
	if strings.ContainsFunc(strings.TrimSuffix(text, "\n"), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) {
		o.t.Errorf("%s: a control character is in\n%q", name, text)
	}
	_, tree, _ := strings.Cut(text, " = ")
	p := &treeParser{text: strings.TrimSpace(tree)}
	shown, err := p.value()
	if err != nil || p.text != "" {
		o.t.Fatalf("%s: %v at %q of\n%s", name, err, p.text, text)
	}
	if why := differs(name, shown, all.Value); why != "" {
		o.t.Errorf("%s\n%s\n%s", why, text, js)
	}
	return r
}

// FuzzObject: whatever the bytes, of whatever type, with whatever ranges that were not
// there, nothing panics, no control character is shown, and JSON is JSON.
func FuzzObject(f *testing.F) {
	var types []btf.Type
	for _, file := range []string{"linux-6.12-amd64.btf", "corners.btf"} {
		k := btf.Open("../testdata/btf/" + file)
		names, err := k.TypeNames("struct ?*")
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			if t, err := k.Type(name); err == nil {
				types = append(types, t)
			}
		}
	}
	f.Add(uint16(3), []byte("abc\x1b[2J\xff\x00\x9b\xe2\x80\xae\xff\xff"), 2, 5, uint64(0xffff888000000000), 400, uint8(0))
	f.Add(uint16(300), []byte("\x01\x00\x00\x00\x00"), 0, 64, uint64(0), 64, uint8(3))
	type way struct {
		typ   btf.Type
		flags uint8
	}
	ways := make(map[way]*testObject) // to make one takes longer than to show it
	badinput.Fuzz(f, func(t *testing.T, n uint16, pattern []byte, start, end int, addr uint64, whole int, flags uint8) {
		typ := types[int(n)%len(types)]
		size, _ := btf.Size(typ)
		if len(pattern) == 0 || whole < 0 {
			return
		}
		w := way{typ, flags & 0x3f}
		o := ways[w]
		if o == nil {
			o = &testObject{typ: typ, opts: render.Options{Symbol: testSymbol, Zeros: flags&1 != 0, Compact: flags&2 != 0, Types: flags&4 != 0}}
			if flags&8 != 0 {
				o.opts.Order = binary.BigEndian
			}
			o.field = value.Field{Label: "*p", Type: typ, Encoding: value.Dumped, Format: []string{"", "x", "hex", "s"}[flags>>4&3]}
			if len(ways) == 256 {
				clear(ways)
			}
			ways[w] = o
		}
		o.t = t
		o.Bytes = bytes.Repeat(pattern, size/len(pattern)+1)[:min(size, whole)]
		o.Whole, o.Addr, o.Absent = whole, addr, []value.Range{{Start: start, End: end}}
		if text := o.text(); bytes.ContainsFunc(bytes.TrimSuffix(text, []byte("\n")), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) || !utf8.Valid(text) {
			t.Errorf("%q", text)
		}
		if js := o.json(); !stdjson.Valid([]byte("{"+string(js)+"}")) || bytes.ContainsFunc(js, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q", js)
		}
	})
}

// A reader reads an object by its BTF, bit by bit.
type reader struct {
	o            *testObject
	seen, member []bool // of each bit of the object
	leaves       int
	named        int // leaves with a text
}

// named returns the parts of a number in JSON that has a text; "" if v is not one.
func named(v any) (value any, text string) {
	m, _ := v.(map[string]any)
	if value = m["value"]; value == nil {
		return nil, ""
	}
	text, _ = m["text"].(string)
	return value, text
}

func isMember(t btf.Type, name string) bool {
	_, err := btf.Member(t, name)
	return err == nil
}

// bits is the number at a bit; so many bits of it.
func (r *reader) bits(at, width int) (x uint64) {
	for i := range width {
		if r.o.Bytes[(at+i)/8]>>((at+i)%8)&1 == 1 {
			x |= 1 << i
		}
	}
	return x
}

func mark(bits []bool, at, width int) {
	for i := at; i < at+width && i < len(bits); i++ {
		bits[i] = true
	}
}

// compare reports whether got is the value at a bit of the object; width is a bit
// field's.
func (r *reader) compare(path string, t btf.Type, at, width int, got any) {
	size, _ := btf.Size(t)
	s := btf.Strip(t)
	if value, text := named(got); text != "" && !isMember(t, "value") {
		r.named++
		got = value
	}
	if b, ok := notUTF8(got); ok && isArray(s) {
		if text, _, _ := bytes.Cut(r.o.Bytes[at/8:][:size], []byte{0}); !bytes.Equal(b, text) {
			r.o.t.Errorf("%s: got the bytes % x, want % x", path, b, text)
		}
		got = got.(map[string]any)["value"]
	}
	switch got := got.(type) {
	case map[string]any:
		for name, val := range got {
			p, err := btf.Member(t, name)
			if err != nil {
				r.o.t.Errorf("%s: %v", path, err)
				return
			}
			r.compare(path+"."+name, p.Type, at+int(p.BitOffset), int(p.BitSize), val)
		}
		return
	case []any:
		if a, ok := s.(*btf.Array); ok {
			elem, _ := btf.Size(a.Type)
			if len(got) != int(a.Nelems) {
				r.o.t.Errorf("%s: %d elements, want %d", path, len(got), a.Nelems)
			}
			for i, val := range got {
				r.compare(fmt.Sprintf("%s[%d]", path, i), a.Type, at+8*i*elem, 0, val)
			}
			return
		}
		next, prev := r.bits(at, 64), r.bits(at+64, 64)
		if self := r.o.Addr + uint64(at/8); btf.Name(s) != "struct list_head" || next != self || prev != self {
			r.o.t.Errorf("%s: is not an empty list", path)
		}
		mark(r.seen, at, 128)
		return
	}
	r.leaves++
	if width == 0 {
		width = 8 * size
	}
	if text, _, _ := bytes.Cut(r.o.Bytes[at/8:][:(width+7)/8], []byte{0}); isArray(s) && !printable(text) {
		mark(r.seen, at, 8*len(text)) // bytes after the NUL must not be lost
	} else {
		mark(r.seen, at, width)
	}
	if width > 64 {
		r.compareLong(path, s, at, r.o.Bytes[at/8:][:size], got)
		return
	}
	x := r.bits(at, width)
	signed := int64(x << (64 - width) >> (64 - width))
	if _, counter := s.(*btf.Struct); counter || btf.Signed(t) { // of an atomic_t
		signed = int64(x<<(64-width)) >> (64 - width)
	}
	ok := false
	switch got := got.(type) {
	case bool:
		ok = got == (x == 1) && x < 2
	case stdjson.Number:
		n, err := strconv.ParseInt(got.String(), 10, 64)
		u, uerr := strconv.ParseUint(got.String(), 10, 64)
		ok = err == nil && n == signed || uerr == nil && u == x || uerr == nil && u == swapped(x, width) ||
			n == -1 && x == 1<<width-1 // of a user or group
	case string:
		switch s.(type) {
		case *btf.Pointer:
			ok = got == fmt.Sprintf("0x%x", x)
		case *btf.Array:
			b := r.o.Bytes[at/8:][:size]
			ok = r.isText(got, b)
			if strings.Contains(got, ":") && len(got) == 3*size-1 {
				mark(r.seen, at, width) // an address
			}
		default:
			addr, err := netip.ParseAddr(got)
			ok = err != nil || len(addr.AsSlice()) == size && slices.Equal(addr.AsSlice(), r.o.Bytes[at/8:][:size])
		}
	}
	if !ok {
		r.o.t.Errorf("%s: got %v (%T) of the bits %#x", path, got, got, x)
	}
}

// bitmap is what a list such as "0-3,7" says, in so many bytes.
func bitmap(list string, size int) string {
	b := make([]byte, size)
	for part := range strings.SplitSeq(list, ",") {
		first, last := 0, 0
		if n, _ := fmt.Sscanf(part, "%d-%d", &first, &last); n == 1 {
			last = first
		}
		for i := first; i <= min(last, 8*size-1); i++ {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return string(b)
}

func isArray(t btf.Type) bool {
	_, ok := t.(*btf.Array)
	return ok
}

// printable reports whether some text looks like one.
func printable(text []byte) bool {
	return len(text) > 0 && utf8.Valid(text) && !bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f })
}

func swapped(x uint64, width int) (y uint64) {
	for i := 0; i < width; i += 8 {
		y = y<<8 | x>>i&0xff
	}
	return y
}

// compareLong compares what is longer than a number.
func (r *reader) compareLong(path string, t btf.Type, at int, b []byte, got any) {
	s, ok := got.(string)
	if o, isStruct := t.(*btf.Struct); ok && isStruct && ((o.Name == "cpumask" || o.Name == "") && bitmap(s, len(b)) == string(b) || strings.HasPrefix(o.Name, "sockaddr")) {
		mark(r.seen, at, 8*len(b)) // of a socket's address the family says how many count
		return
	}
	if addr, err := netip.ParseAddr(s); err == nil && slices.Equal(addr.AsSlice(), b) {
		mark(r.seen, at, 8*len(b))
		return
	}
	if hex := strings.NewReplacer(" ", "", ":", "").Replace(s); ok && strings.HasPrefix(fmt.Sprintf("%x", b), hex) && len(hex) >= 12 {
		mark(r.seen, at, 8*len(b))
		return
	}
	if ok && isArray(t) && r.isText(s, b) {
		return
	}
	r.o.t.Errorf("%s: got %v of the bytes % x", path, got, b)
}

// isText reports whether text is the characters of b up to their NUL, or an address.
func (r *reader) isText(text string, b []byte) bool {
	c, _, _ := strings.Cut(string(b), "\x00")
	hex := strings.ReplaceAll(text, ":", "")
	return strings.ToValidUTF8(c, "\ufffd") == text || len([]rune(text)) == len([]rune(c)) || strings.HasPrefix(fmt.Sprintf("%x", b), hex)
}

// cover marks the bits that are in some member.
func (r *reader) cover(t btf.Type, at, width int) {
	size, _ := btf.Size(t)
	var list []btf.MemberOf
	switch s := btf.Strip(t).(type) {
	case *btf.Struct:
		list = s.Members
	case *btf.Union:
		list = s.Members
	case *btf.Array:
		elem, _ := btf.Size(s.Type)
		for i := range int(s.Nelems) {
			r.cover(s.Type, at+8*i*elem, 0)
		}
		return
	default:
		if width == 0 {
			width = 8 * size
		}
		mark(r.member, at, width)
		return
	}
	for _, m := range list {
		r.cover(m.Type, at+int(m.Offset), int(m.BitfieldSize))
	}
}
