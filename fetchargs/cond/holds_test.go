package cond

import "testing"

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
