package render_test

import "github.com/tsnoop/tsnoop/btf"

// The C types of the tests.
var (
	cInt      = &btf.Int{Name: "int", Size: 4, Encoding: btf.IsSigned}
	cUint     = &btf.Int{Name: "unsigned int", Size: 4}
	cShort    = &btf.Int{Name: "short unsigned int", Size: 2}
	cLong     = &btf.Int{Name: "long int", Size: 8, Encoding: btf.IsSigned}
	cUlong    = &btf.Int{Name: "long unsigned int", Size: 8}
	cChar     = &btf.Int{Name: "char", Size: 1, Encoding: btf.IsSigned}
	cUchar    = &btf.Int{Name: "unsigned char", Size: 1}
	cSchar    = &btf.Int{Name: "signed char", Size: 1, Encoding: btf.IsSigned}
	oldSchar  = &btf.Int{Name: "signed char", Size: 1} // 5.10's
	cBool     = &btf.Int{Name: "_Bool", Size: 1, Encoding: btf.Bool}
	u8        = &btf.Typedef{Name: "u8", Type: &btf.Typedef{Name: "__u8", Type: cUchar}}
	u64       = &btf.Typedef{Name: "u64", Type: cUlong}
	be16      = &btf.Typedef{Name: "__be16", Type: cShort}
	be32      = &btf.Typedef{Name: "__be32", Type: cUint}
	be64      = &btf.Typedef{Name: "__be64", Type: cUlong}
	umode     = &btf.Typedef{Name: "umode_t", Type: cShort}
	devT      = &btf.Typedef{Name: "dev_t", Type: &btf.Typedef{Name: "__kernel_dev_t", Type: cUint}}
	ktime     = &btf.Typedef{Name: "ktime_t", Type: cLong}
	cpumask   = &btf.Typedef{Name: "cpumask_t", Type: &btf.Struct{Name: "cpumask", Size: 16}}
	qspinlock = &btf.Typedef{Name: "arch_spinlock_t", Type: &btf.Struct{Name: "qspinlock", Size: 4}}
	gfp       = &btf.Typedef{Name: "gfp_t", Type: cUint}
	ssize     = &btf.Typedef{Name: "ssize_t", Type: &btf.Typedef{Name: "__kernel_ssize_t", Type: cLong}}
	sizeT     = &btf.Typedef{Name: "size_t", Type: cUlong}
	skBuff    = &btf.Struct{Name: "sk_buff", Size: 232}
	skbPtr    = &btf.Pointer{Target: skBuff}
	charPtr   = &btf.Pointer{Target: &btf.Const{Type: cChar}}
	funcPtr   = &btf.Pointer{Target: &btf.FuncProto{Return: cInt}}
	workFunc  = &btf.Typedef{Name: "work_func_t", Type: funcPtr}
	inAddr    = &btf.Struct{Name: "in_addr", Size: 4}
	in6Addr   = &btf.Struct{Name: "in6_addr", Size: 16}
	tcpStates = &btf.Enum{Name: "tcp_state", Size: 4, Values: []btf.EnumValue{
		{Name: "TCP_ESTABLISHED", Value: 1}, {Name: "TCP_SYN_SENT", Value: 2},
	}}
	faultFlags = &btf.Enum{Name: "fault_flag", Size: 4, Values: []btf.EnumValue{
		{Name: "WRITE", Value: 1}, {Name: "MKWRITE", Value: 2}, {Name: "USER", Value: 8}, {Name: "TOP", Value: 1 << 31},
	}}
	counted = &btf.Enum{Name: "counted", Size: 4, Values: []btf.EnumValue{
		{Name: "ONE", Value: 1}, {Name: "TWO", Value: 2}, {Name: "THREE", Value: 3}, {Name: "FOUR", Value: 4}, {Name: "EIGHT", Value: 8},
	}}
	verdicts = &btf.Enum{Size: 4, Signed: true, Values: []btf.EnumValue{{Name: "BAD", Value: ^uint64(0)}}}
)

func array(elem btf.Type, n uint32) btf.Type { return &btf.Array{Type: elem, Nelems: n} }

// testSymbol knows three addresses.
func testSymbol(addr uint64) (name, module string, off uint64, ok bool) {
	const text = 0xffffffff81000000
	switch {
	case addr >= text && addr < text+0x100:
		return "ip_rcv_finish", "", addr - text, true
	case addr >= text+0x100 && addr < text+0x200:
		return "ext4_a_function_with_a_name_that_is_too_long_for_the_stack", "ext4", addr - text - 0x100, true
	case addr >= text+0x200 && addr < text+0x300:
		return "arch_rethook_trampoline", "", addr - text - 0x200, true
	}
	return "", "", 0, false
}
