package btf

import (
	"strings"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf/thin"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// smallBTF is BTF with one of each of what is mostly asked for.
func smallBTF(f *testing.F) []byte {
	num := &cbtf.Int{Name: "int", Size: 4, Encoding: cbtf.Signed}
	level := &cbtf.Enum{Name: "level", Size: 4, Values: []cbtf.EnumValue{{Name: "LOW", Value: 1}}}
	dev := &cbtf.Struct{Name: "dev", Size: 24}
	inner := &cbtf.Union{Size: 8, Members: []cbtf.Member{{Name: "mtu", Type: num}, {Name: "up", Type: &cbtf.Pointer{Target: dev}}}}
	dev.Members = []cbtf.Member{
		{Name: "flags", Type: num, BitfieldSize: 3}, {Type: inner, Offset: 64},
		{Name: "name", Type: &cbtf.Array{Index: num, Type: &cbtf.Const{Type: &cbtf.Typedef{Name: "u32", Type: num}}, Nelems: 2}, Offset: 128},
	}
	fn := &cbtf.Func{Name: "rcv", Linkage: cbtf.GlobalFunc, Type: &cbtf.FuncProto{
		Return: num, Params: []cbtf.FuncParam{{Name: "d", Type: &cbtf.Pointer{Target: dev}}, {Name: "l", Type: level}},
	}}
	b, err := cbtf.NewBuilder([]cbtf.Type{fn}, nil)
	if err != nil {
		f.Fatal(err)
	}
	data, err := b.Marshal(nil, nil)
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// FuzzBytes reads any bytes as BTF, whole and thinly, and asks what a spec does.
func FuzzBytes(f *testing.F) {
	f.Add(smallBTF(f))
	f.Add([]byte("\x9f\xeb\x01\x00\x18\x00\x00\x00" + strings.Repeat("\x00", 12) + "\x01\x00\x00\x00\x00")) // no types at all
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	badinput.Fuzz(f, func(t *testing.T, data []byte) {
		if b, err := parseBlob(data, "", nil); err == nil {
			askBytes(&Kernel{loaded: true, base: b})
		}
		if r, err := thin.Parse(data); err == nil {
			askBytes(&Kernel{loaded: true, base: &blob{raw: r}})
		}
	})
}

func askBytes(k *Kernel) {
	k.Prepare([]string{"rcv"})
	if fn, err := k.Func("", "rcv"); err == nil {
		for _, p := range fn.Params {
			askMembers(k, p.Type)
		}
	}
	if t, err := k.Type("struct dev"); err == nil {
		askMembers(k, t)
	}
	k.Enumerator(nil, "LOW")
}

// askMembers asks what is known of a type and of its members.
func askMembers(k *Kernel, t Type) {
	if p, ok := Strip(t).(*Pointer); ok {
		t = p.Target
	}
	t = k.Complete(t)
	Name(t)
	Size(t)
	for _, name := range Members(t) {
		if m, err := Member(t, name); err == nil {
			Name(m.Type)
			Size(m.Type)
			Signed(m.Type)
		}
	}
}
