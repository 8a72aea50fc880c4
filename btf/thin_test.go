package btf

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf/thin"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// A slice must answer like the whole: same prototypes, same layouts.
func TestThin(t *testing.T) {
	data, err := os.ReadFile("../testdata/btf/linux-6.12-amd64.btf")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := parseBlob(data, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, prepared := range []bool{false, true} {
		r, err := thin.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		cut := &Kernel{loaded: true, base: &blob{raw: r}}
		var names []string
		for _, f := range whole.index().funcs {
			names = append(names, f.Name)
		}
		if prepared {
			cut.Prepare(names)
		}
		for _, name := range names {
			want := whole.function(name)
			got, err := cut.Func("", name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got.String() != want.String() || got.Records != want.Records {
				t.Errorf("prototype %s (%d), want %s (%d)", got, got.Records, want, want.Records)
			}
			for i, p := range want.Params {
				compareTypes(t, cut, p.Name, got.Params[i].Type, p.Type, 3)
			}
		}
	}
}

// compareTypes compares all members that can be reached by so many pointers.
func compareTypes(t *testing.T, k *Kernel, path string, got, want Type, depth int) {
	t.Helper()
	got = k.Complete(got)
	if Name(Strip(got)) != Name(Strip(want)) {
		t.Errorf("%s is %s, want %s", path, Name(got), Name(want))
		return
	}
	if p, ok := Strip(want).(*Pointer); ok {
		if depth > 0 {
			compareTypes(t, k, path, Strip(got).(*Pointer).Target, p.Target, depth-1)
		}
		return
	}
	if diff := cmp.Diff(Members(want), Members(got)); diff != "" {
		t.Errorf("%s: members (-want +got):\n%s", path, diff)
		return
	}
	for _, name := range Members(want) {
		w, _ := Member(want, name)
		g, err := Member(got, name)
		if err != nil || g.Offset != w.Offset || g.BitSize != w.BitSize || g.BitOffset != w.BitOffset || Name(g.Type) != Name(w.Type) {
			t.Errorf("%s->%s: %+v (%v), want %+v", path, name, g, err, w)
		}
		if _, ok := Strip(w.Type).(*Pointer); ok && depth > 1 {
			compareTypes(t, k, path+"->"+name, g.Type, w.Type, depth-1)
		}
	}
}

// Damaged BTF must not be cut wrong: it is an error, or decoded as a whole.
func FuzzThin(f *testing.F) {
	data, err := os.ReadFile("../testdata/btf/sample.btf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint16(40), byte(7))
	badinput.Fuzz(f, func(t *testing.T, at uint16, b byte) {
		damaged := append([]byte(nil), data...)
		damaged[int(at)%len(damaged)] = b
		r, err := thin.Parse(damaged)
		if err != nil {
			return
		}
		k := &Kernel{loaded: true, base: &blob{raw: r}}
		k.Prepare([]string{"pkt_rcv", "lists"})
		for _, name := range []string{"pkt_rcv", "dev_open", "many_args"} {
			if fn, err := k.Func("", name); err == nil {
				for _, p := range fn.Params {
					_ = Name(k.Complete(p.Type))
				}
			}
		}
		if list, err := k.Prototypes("*"); err == nil {
			for f := range list {
				if len(f.Text) < len(f.Name) {
					t.Errorf("prototype of %q: %q", f.Name, f.Text)
				}
			}
		}
	})
}

// TestThinIndex: the index that is made after many searches finds the same types as a search
// for each, in the same order.
func TestThinIndex(t *testing.T) {
	data, err := os.ReadFile(linuxFile)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"": true, "nosuch": true, "_rcv": true, "sk_buf": true, "sk_buff\x00": true}
	indexed, err := thin.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	for name := range indexed.Types {
		names[name[strings.LastIndexByte(name, ' ')+1:]] = true
	}
	for range 100 {
		indexed.EnumsWith("nosuch")
	}
	if len(names) < 400 {
		t.Errorf("only %d names", len(names))
	}
	for name := range names {
		searched, err := thin.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := searched.Named(name)
		got, err := indexed.Named(name)
		if !slices.EqualFunc(got, want, func(a, b Type) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) || err != nil {
			t.Errorf("%q: %v, %v, want %v", name, got, err, want)
		}
	}
}

// TestThinEnums looks up every constant of the enums of a kernel, with and without names, and
// lists them and the types.
func TestThinEnums(t *testing.T) {
	for _, file := range []string{"../testdata/btf/linux-6.12-amd64.btf", "../testdata/btf/sample.btf", "../testdata/btf/corners.btf"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := parseBlob(data, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := thin.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		cut := &Kernel{loaded: true, base: &blob{raw: r}}
		for name, want := range whole.index().enums {
			got := cut.base.enumsWith(name)
			if !slices.EqualFunc(got, want, func(a, b *Enum) bool { return a.Name == b.Name && slices.Equal(a.Values, b.Values) }) {
				t.Errorf("%s is of %v, want %v", name, got, want)
			}
		}
		if got, want := slices.Compact(slices.Sorted(cut.base.types())), slices.Collect(whole.types()); !slices.Equal(got, want) {
			t.Errorf("%s: types %q, want %q", file, got, want)
		}
		if got, want := slices.Compact(slices.Sorted(r.Constants)), slices.Sorted(maps.Keys(whole.index().enums)); !slices.Equal(got, want) {
			t.Errorf("%s: constants %q, want %q", file, got, want)
		}
		for _, name := range []string{"", "no such constant", "int"} {
			if got, err := cut.Constant(name); err == nil {
				t.Errorf("%q is of %v", name, got)
			}
		}
	}
}

// TestThinPrepared prepares for a function that was looked up before: it is there once.
func TestThinPrepared(t *testing.T) {
	data, err := os.ReadFile("../testdata/btf/sample.btf")
	if err != nil {
		t.Fatal(err)
	}
	r, err := thin.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	k := &Kernel{loaded: true, base: &blob{raw: r}}
	for range 2 {
		if f, err := k.Func("", "pkt_rcv"); err != nil || f.Records != 1 {
			t.Errorf("got %v, %v; want one record", f, err)
		}
		k.Prepare([]string{"pkt_rcv", "lists"})
	}
}
