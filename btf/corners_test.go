package btf

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestCornersOffsets compares with where the compiler put things.
func TestCornersOffsets(t *testing.T) {
	k := Open("../testdata/btf/corners.btf")
	f, err := os.Open("../testdata/btf/corners.offsets")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for in := bufio.NewScanner(f); in.Scan(); lines++ {
		w := strings.Split(in.Text(), "\t") // type, member, offset, size, unit
		at, size := decimal(t, w[2]), decimal(t, w[3])
		typ := named(t, k, w[0])
		if w[4] == "size" {
			if got, ok := Size(typ); !ok || uint32(got) != size {
				t.Errorf("Size(%s): got %d, %v, want %d", w[0], got, ok, size)
			}
			continue
		}
		p, err := Member(typ, w[1])
		if err != nil {
			t.Errorf("Member(%s, %s): %v", w[0], w[1], err)
			continue
		}
		bytes, _ := Size(p.Type)
		got, want := [3]uint32{p.Offset, p.BitOffset, p.BitSize}, [3]uint32{at, at * 8, 0}
		if w[4] == "bits" {
			want = [3]uint32{at / 8, at, size}
			if p.BitSize == 0 { // as wide as its type: pahole makes it an ordinary member
				got[2] = uint32(bytes) * 8
			}
		} else if uint32(bytes) != size {
			t.Errorf("%s.%s: got %d bytes, want %d", w[0], w[1], bytes, size)
		}
		if got != want {
			t.Errorf("%s.%s: got byte, bit, width %v, want %v", w[0], w[1], got, want)
		}
	}
	if lines < 40 {
		t.Errorf("only %d lines read", lines)
	}
}

func decimal(t *testing.T, s string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

func named(t *testing.T, k *Kernel, text string) Type {
	t.Helper()
	typ, err := k.Type(text)
	if err != nil {
		t.Fatalf("Type(%q): %v", text, err)
	}
	return typ
}

func TestCornersDeclare(t *testing.T) {
	k := Open("../testdata/btf/corners.btf")
	// pahole 1.24 writes arrays of arrays as one: names[2][3] is names[6].
	for _, tt := range []struct{ typ, member, want string }{
		{"struct matrix", "names", "const char *names[6]"},
		{"struct matrix", "table", "int (*table[4])(struct nest *, const char *, ...)"},
		{"struct matrix", "getter", "int (*(*getter)(int))(void)"},
		{"struct matrix", "regs", "volatile u32 *const regs"},
		{"struct matrix", "row", "char (*row)[16]"},
		{"struct matrix", "wide", "__int128 unsigned wide"},
		{"union choice", "named", "struct {...} named"},
		{"struct nest", "last", "deep last"},
	} {
		p, err := Member(named(t, k, tt.typ), tt.member)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := Declare(p.Type, tt.member); got != tt.want {
			t.Errorf("%s.%s: got %s, want %s", tt.typ, tt.member, got, tt.want)
		}
	}
	for name, want := range map[string]string{
		"take_const":   "int take_const(const struct nest *const restrict n, volatile int *v)",
		"take_handler": "int (*take_handler(int sig, int (*handler)(int)))(int)",
		"take_nine":    "int take_nine(int a1, int a2, int a3, int a4, int a5, int a6, int a7, int a8, int a9)",
	} {
		f, err := k.Func("", name)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := f.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestCornersEnumName(t *testing.T) {
	k := Open("../testdata/btf/corners.btf")
	tests := []struct {
		typ   string
		value uint64
		want  string
	}{
		{"enum below", 1<<64 - 1, "BELOW_ONE"},
		{"enum below", 1<<32 - 1, "BELOW_ONE"},
		{"enum below", 0xdead_beef_0000_0002, "BELOW_TWO"},
		{"enum below", 1 << 31, "BELOW_MIN"},
		{"enum below", 3, ""},
		{"enum big", 0xfedcba9876543210, "BIG_HUGE"},
		{"enum big", 0x76543210, ""},
		{"enum tiny", 255, "TINY_LAST"},
		{"enum tiny", 1<<64 - 1, "TINY_LAST"},
		{"enum tiny", 0, "TINY_NONE"},
		{"enum tiny", 7, ""},
		{"enum wide_below", 5000000000, "WIDE_ABOVE"},
	}
	for _, tt := range tests {
		e := named(t, k, tt.typ).(*Enum)
		if got := EnumName(e, tt.value); got != tt.want {
			t.Errorf("EnumName(%s, %#x): got %q, want %q", tt.typ, tt.value, got, tt.want)
		}
	}
}
