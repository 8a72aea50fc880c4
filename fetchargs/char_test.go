package fetchargs_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// TestSignedChar has BTF as 5.10's, which gives neither char nor signed char an
// encoding, and as later ones.
func TestSignedChar(t *testing.T) {
	for _, tt := range []struct {
		arch   string
		schar  cbtf.IntEncoding
		want   string
		signed bool
	}{
		{"amd64", cbtf.Unsigned, "c=$arg1:s8 s=$arg2:s8", true},
		{"arm64", cbtf.Unsigned, "c=$arg1:u8 s=$arg2:s8", false},
		{"amd64", cbtf.Signed, "c=$arg1:u8 s=$arg2:s8", false},
	} {
		char, schar := &cbtf.Int{Name: "char", Size: 1}, &cbtf.Int{Name: "signed char", Size: 1, Encoding: tt.schar}
		b, err := cbtf.NewBuilder([]cbtf.Type{&cbtf.Func{Name: "f", Linkage: cbtf.GlobalFunc, Type: &cbtf.FuncProto{
			Return: char, Params: []cbtf.FuncParam{{Name: "c", Type: char}, {Name: "s", Type: schar}}}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := b.Marshal(nil, &cbtf.MarshalOptions{Order: binary.LittleEndian})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "char.btf")
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		s, _ := spec.Parse("f(c, s)")
		target := &target.Target{Kernel: btf.Open(file), Arch: abi.Named(tt.arch)}
		target.Features, _ = dynevent.FeaturesOf("5.10")
		plans, err := fetchargs.Resolve([]*spec.Spec{s}, target)
		if err != nil {
			t.Fatal(err)
		}
		line := plans[0].Entry().Definitions("g")[0]
		if !strings.HasSuffix(line, " "+tt.want) || plans[0].Entry().Fields[0].Signed != tt.signed {
			t.Errorf("%s, signed char %v: got %s, want ...%s", tt.arch, tt.schar, line, tt.want)
		}
	}
}
