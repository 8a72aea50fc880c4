package value

import (
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

func TestKnownNames(t *testing.T) {
	for _, c := range [][3]string{
		{"xarray", "xa_flags", "x"}, {"vm_fault", "flags", "fault"}, {"kernel_clone_args", "flags", "clone3"}, {"sock", "sk_protocol", ""},
		{"stat", "st_dev", "userdev"}, {"fs_struct", "umask", "o"}, {"mm_struct", "brk", "addr"}, {"x", "fault_addr", "addr"}, {"x", "address", "addr"},
		{"x", "addrlen", ""}, {"x", "start", ""}, {"x", "fd", "id"}, {"timer_list", "expires", "jiffies"}, {"x", "nr_jiffies", ""},
	} {
		if got := SetOfMember(&btf.Struct{Name: c[0]}, c[1]); got != c[2] {
			t.Errorf("%s.%s is %q, want %q", c[0], c[1], got, c[2])
		}
	}
	for _, c := range [][3]string{
		{"send_sig", "sig", "signal"}, {"x86_family", "sig", ""}, {"rseq_unregister", "sig", ""}, {"tcp_set_state", "state", "tcpstate"},
		{"do_mknodat", "dev", "userdev"}, {"handle_mm_fault", "address", "addr"}, {"mod_timer", "expires", "jiffies"}, {"f", "expires", ""},
	} {
		if got := SetOfParam(c[0], c[1]); got != c[2] {
			t.Errorf("%s(%s) is %q, want %q", c[0], c[1], got, c[2])
		}
	}
	for name, format := range params {
		if format != "" && FormatNamed(format) == nil && constants.For("amd64").Set(format) == nil {
			t.Errorf("%s has the set %s, which does not exist", name, format)
		}
	}
	for name, format := range members {
		if constants.For("amd64").Set(format) == nil {
			t.Errorf("%s has the set %s, which does not exist", name, format)
		}
	}
}

// TestNamedFormats applies the FORMATs of names only to the types that they suit.
func TestNamedFormats(t *testing.T) {
	long, word := &btf.Int{Name: "long unsigned int", Size: 8}, &btf.Int{Name: "unsigned int", Size: 4}
	signed := &btf.Int{Name: "int", Size: 4, Encoding: btf.IsSigned}
	gfp := &btf.Typedef{Name: "gfp_t", Type: word}
	for _, c := range []struct {
		typ  btf.Type
		set  string
		want Form
	}{
		{long, "addr", Location}, {word, "addr", Decimal}, {&btf.Typedef{Name: "__be64", Type: long}, "addr", Decimal}, {&btf.Pointer{Target: long}, "addr", Address},
		{&btf.Typedef{Name: "dma_addr_t", Type: long}, "addr", Location}, {&btf.Typedef{Name: "ktime_t", Type: long}, "addr", Seconds},
		{word, "id", ID}, {signed, "id", Decimal}, {long, "id", Decimal}, {gfp, "x", Hex}, {gfp, "", Named},
		{&btf.Typedef{Name: "uid_t", Type: word}, "", ID}, {&btf.Typedef{Name: "kuid_t", Type: &btf.Struct{Name: "", Size: 4}}, "", ID},
	} {
		size, _ := btf.Size(c.typ)
		typ := NewType(&Field{Type: c.typ, Size: size, Set: c.set, Signed: btf.Signed(c.typ)}, false, nil)
		if typ.Form != c.want {
			t.Errorf("%s with %q has the form %d, want %d", btf.Name(c.typ), c.set, typ.Form, c.want)
		}
	}
}
