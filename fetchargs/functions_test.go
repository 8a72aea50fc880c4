package fetchargs_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

func init() {
	// A modules line lists the modules that are loaded, a listed line their functions without BTF.
	targetLines["modules"] = func(_ testing.TB, to *target.Target, words []string) { to.Modules = words }
	targetLines["listed"] = func(_ testing.TB, to *target.Target, words []string) {
		to.ModuleFuncs = func() []string { return words }
	}
	// A taken line has names that no event may have.
	targetLines["taken"] = func(_ testing.TB, to *target.Target, words []string) { to.Taken = words }
	// A reads line has a system call and those of its parameters whose texts its event reads.
	targetLines["reads"] = func(_ testing.TB, to *target.Target, words []string) {
		to.SyscallReads = func(name string) []string {
			if name != words[0] {
				return nil
			}
			return words[1:]
		}
	}
	// A types line has a module and the file with its BTF.
	targetLines["types"] = func(t testing.TB, to *target.Target, words []string) {
		data, err := os.ReadFile(filepath.Join("..", words[1]))
		if err == nil {
			err = to.Kernel.AddModule(words[0], data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// kernelOf returns a kernel that has the functions of these C prototypes. Structs have no
// members, except for struct pt_regs, enums one constant, and typedefs are of int.
func kernelOf(t testing.TB, prototypes ...string) *btf.Kernel {
	t.Helper()
	number, long := &cbtf.Int{Name: "int", Size: 4, Encoding: cbtf.Signed}, &cbtf.Int{Name: "long int", Size: 8, Encoding: cbtf.Signed}
	regs := &cbtf.Struct{Name: "pt_regs", Size: 168}
	for i, name := range strings.Fields("r15 r14 r13 r12 bp bx r11 r10 r9 r8 ax cx dx si di orig_ax ip cs flags sp ss") {
		regs.Members = append(regs.Members, cbtf.Member{Name: name, Type: long, Offset: cbtf.Bits(64 * i)})
	}
	known := map[string]cbtf.Type{
		"void": &cbtf.Void{}, "char": &cbtf.Int{Name: "char", Size: 1}, "int": number, "long": long, "struct pt_regs": regs,
		"__u64": &cbtf.Typedef{Name: "__u64", Type: &cbtf.Int{Name: "long long unsigned int", Size: 8}},
	}
	declared := func(text string) (typ cbtf.Type, name string) {
		at := strings.LastIndexAny(text, " *") + 1
		base := strings.TrimSpace(strings.ReplaceAll(text[:at], "*", ""))
		if typ = known[base]; typ == nil {
			switch word, tag, _ := strings.Cut(base, " "); word {
			case "struct":
				typ = &cbtf.Struct{Name: tag, Size: 8}
			case "enum":
				typ = &cbtf.Enum{Name: tag, Size: 4, Values: []cbtf.EnumValue{{Name: strings.ToUpper(tag) + "_ONE", Value: 1}}}
			default:
				typ = &cbtf.Typedef{Name: base, Type: number}
			}
			known[base] = typ
		}
		for range strings.Count(text, "*") {
			typ = &cbtf.Pointer{Target: typ}
		}
		return typ, text[at:]
	}
	var types []cbtf.Type
	for _, text := range prototypes {
		head, params, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
		proto, f := &cbtf.FuncProto{}, &cbtf.Func{}
		proto.Return, f.Name = declared(head)
		for param := range strings.SplitSeq(params, ", ") {
			if param != "" {
				typ, name := declared(param)
				proto.Params = append(proto.Params, cbtf.FuncParam{Name: name, Type: typ})
			}
		}
		f.Type, f.Linkage = proto, cbtf.GlobalFunc
		types = append(types, f)
	}
	b, err := cbtf.NewBuilder(types, nil)
	raw, err2 := b.Marshal(nil, nil)
	file := filepath.Join(t.TempDir(), "btf")
	if err = cmp.Or(err, err2, os.WriteFile(file, raw, 0o644)); err != nil {
		t.Fatal(err)
	}
	return btf.Open(file)
}
