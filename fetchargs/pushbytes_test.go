package fetchargs

import "testing"

func TestShifted(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"+16(+8($arg1)):x8[6]", 4, "+20(+8($arg1))"},
		{"+u0($arg2):x8[16]", 8, "+u8($arg2)"},
		{"-4(%di):u8[6]", 4, "+0(%di)"},
		{"@init_net+8:x8[6]", 4, ""},
		{"$arg1:x64", 4, ""},
	} {
		array, err := parseArg(tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := array.shifted(tt.n); ok && got.String() != tt.want || ok != (tt.want != "") {
			t.Errorf("%s shifted by %d is %s, %t, want %q", tt.text, tt.n, got, ok, tt.want)
		}
	}
}

func TestSameBits(t *testing.T) {
	data := []byte{0x20, 0x01, 0x0d, 0xb8, 1, 2}
	for _, tt := range []struct {
		want []byte
		bits int
		same bool
	}{
		{[]byte{0x20, 0x01, 0x0d, 0xb8}, 0, true},
		{[]byte{0x20, 0x01, 0x0d, 0xb0}, 28, true},
		{[]byte{0x20, 0x01, 0x0d, 0xb0}, 29, false},
		{[]byte{0x20, 0x01, 0, 0}, 16, true},
		{[]byte{0x21, 0, 0, 0}, 7, true},
		{[]byte{0x20, 0x01, 0x0d, 0xb8, 1, 2, 3}, 0, false},
	} {
		if got := sameBits(data, tt.want, tt.bits); got != tt.same {
			t.Errorf("sameBits(%x, %x, %d) = %t", data, tt.want, tt.bits, got)
		}
	}
}
