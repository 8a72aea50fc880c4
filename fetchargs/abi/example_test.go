package abi_test

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
)

// Where a function with a struct of three words finds its parameters.
func ExampleArch_Params() {
	long := &btf.Int{Name: "long", Size: 8, Encoding: btf.IsSigned}
	f := &btf.Func{Name: "f", Return: long, Params: []btf.Param{
		{Name: "a", Type: long},
		{Name: "b", Type: &btf.Struct{Name: "three_words", Size: 24}},
		{Name: "c", Type: long},
	}}
	for _, name := range []string{"amd64", "arm64"} {
		arch := abi.Named(name)
		params, _ := arch.Params(f)
		for i, p := range params {
			where := fmt.Sprintf("$stack%d", p.Word)
			if p.Regs > 0 {
				where = "%" + arch.Regs[p.Reg]
			}
			if p.Pointer {
				where = "at " + where
			}
			fmt.Println(name, f.Params[i].Name, where)
		}
	}
	// Output:
	// amd64 a %di
	// amd64 b $stack1
	// amd64 c %si
	// arm64 a %x0
	// arm64 b at %x1
	// arm64 c %x2
}
