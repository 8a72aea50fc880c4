package value_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestSockAddrAtPageEnd has records of an address of a socket that is shorter than what
// is read of it. Bytes that could not be read are old memory, here 0xee.
func TestSockAddrAtPageEnd(t *testing.T) {
	const (
		page    = 0x7fff_0000_1000
		through = value.Through
		itself  = value.Itself
		there   = 300         // an empty string
		away    = 5<<16 | 290 // the place of the task's name
		text    = 1<<16 | 290
	)
	in, in6, un, netlink := []byte{2, 0, 0, 80, 10, 0, 0, 1}, []byte{10, 0}, []byte("\x01\x00/run/abcdefghijkl"), []byte{16, 0}
	for _, tt := range []struct {
		name        string
		kind        value.ReadCheckKind
		addr        uint64
		first, last uint32 // the strings that prove its first and its last bytes
		bytes       []byte
		format      string
		want        string
	}{
		{"all of it", through, page + 16, there, there, in, "", "112"},
		{"IPv4", through, page - 16, there, away, in, "", "16"},
		{"to the end of its page", through, page - 112, there, away, in, "", "not in memory"},
		{"IPv4, half of it", through, page - 8, there, away, in, "", "8"},
		{"IPv4, a quarter of it", through, page - 4, there, away, in, "", "not in memory"},
		{"IPv4, not its beginning", through, page - 16, away, there, in, "", "not in memory"},
		{"IPv4, nothing of it", through, page - 16, away, away, in, "", "not in memory"},
		{"a page that came in between", through, page + 16, there, away, in, "", "not in memory"},
		{"IPv6", through, page - 28, there, away, in6, "", "24, cut"},
		{"IPv6 with more after it", through, page - 32, there, away, in6, "", "32"},
		{"netlink", through, page - 12, there, away, netlink, "", "8, cut"},
		{"netlink, aligned", through, page - 16, there, away, netlink, "sockaddr", "16"},
		{"a path", through, page - 14, there, away, un, "", "8, cut"},
		{"a path that ends", through, page - 16, there, away, []byte("\x01\x00/run/abcdefg\x00"), "", "16"},
		{"an abstract name", through, page - 16, there, away, []byte("\x01\x00\x00run"), "", "16"},
		{"no name", through, page - 16, there, away, []byte("\x01\x00\x00\x00"), "", "16"},
		{"another family", through, page - 16, there, away, []byte{17, 0}, "", "16, cut"},
		{"its bytes", through, page - 16, there, away, in, "hex", "16, cut"},
		{"a text", itself, page - 16, text, text, in, "", "16"},
		{"a text of a path", itself, page - 16, text, text, un, "", "16, cut"},
		{"a text on one page", itself, page, text, text, un, "", "112"},
		{"no text", itself, page - 16, there, there, in, "", "unproven"},
		{"the kernel's", through, 0xffff_8880_0000_0ff0, away, away, in, "", "112"},
	} {
		sockaddr := make([]byte, 112)
		copy(sockaddr, tt.bytes)
		trial := uint32(5<<16 | 290)
		if tt.kind == itself {
			trial = 290
		}
		whole := &value.ReadCheck{Kind: tt.kind, Args: []int{2, 3}, Any: tt.kind == itself, Trial: 4, To: 112}
		head := &value.ReadCheck{Kind: tt.kind, Args: []int{2}, Any: tt.kind == itself, Trial: 4, To: 8}
		fields := []value.Field{{
			Type: &btf.Struct{Name: "sockaddr", Size: 16}, Format: tt.format, Encoding: value.Array, Arg: 1, Size: 8, Count: 14,
			PointerChecks: []value.PointerCheck{{Label: "addr", Space: value.EitherSpace, ReadCheck: whole, Head: head}},
		}}
		args := []any{tt.addr, sockaddr, place(tt.first), place(tt.last), place(trial), place(5<<16 | 290), make([]byte, 154), []byte("load\x00xxxxxxxxxxxx")}
		d, data := (&recordTest{fields: fields, args: args}).decoder(binary.LittleEndian)
		v := d.Value(0, data)
		got := described(v)
		if v.Kind == value.Bytes {
			got = fmt.Sprint(len(v.Bytes))
			if v.IsCut() {
				got += ", cut"
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if n := testing.AllocsPerRun(10, func() { d.Value(0, data) }); n != 0 {
			t.Errorf("%s: %v allocations", tt.name, n)
		}
	}
}
