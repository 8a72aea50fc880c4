package btf

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
)

// TestVariable has variables as pahole writes them: those per CPU, and since 1.28
// or so others.
func TestVariable(t *testing.T) {
	long := &Int{Name: "long unsigned int", Size: 8}
	plain := &Var{Name: "nr_threads", Type: &Int{Name: "int", Size: 4, Encoding: IsSigned}, Linkage: cbtf.GlobalVar}
	each := &Var{Name: "this_cpu_off", Type: long, Linkage: cbtf.GlobalVar}
	b, err := cbtf.NewBuilder([]Type{
		&Datasec{Name: ".data", Size: 8, Vars: []cbtf.VarSecinfo{{Type: plain, Offset: 0, Size: 4}}},
		&Datasec{Name: ".data..percpu", Size: 8, Vars: []cbtf.VarSecinfo{{Type: each, Offset: 0, Size: 8}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Marshal(nil, &cbtf.MarshalOptions{Order: binary.LittleEndian})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "vars.btf")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	k := Open(file)
	for _, tt := range []struct {
		name, typ  string
		perCPU, ok bool
	}{
		{"nr_threads", "int", false, true},
		{"this_cpu_off", "long unsigned int", true, true},
		{"nothing", "", false, false},
		{"int", "", false, false},
	} {
		typ, perCPU, ok := k.Variable(tt.name)
		if ok != tt.ok || perCPU != tt.perCPU || ok && Name(typ) != tt.typ {
			t.Errorf("Variable(%s): got %v, %v, %v, want %s, %v, %v", tt.name, typ, perCPU, ok, tt.typ, tt.perCPU, tt.ok)
		}
	}
}
