package value

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// A Shape says what kind of value a format applies to.
type Shape uint8

const (
	AnyNumber  Shape = iota // an integer, enum or pointer, or an array of them
	FixedWidth              // Size bytes, whatever the C type
	KernelText              // a string in the kernel's memory
	UserText                // a string in user memory
	ByteArray               // Size bytes of memory
	RawMemory               // all bytes of an object
	FilePath                // a struct dentry, path or file, or a pointer to one
	BaseName                // a struct dentry or file, or a pointer to one
	Stamp                   // a time in 64 bits, ns on CLOCK_MONOTONIC or CLOCK_BOOTTIME
)

// A Format is a FORMAT, a word that may follow the colon of an item.
type Format struct {
	Name   string
	Shape  Shape
	Form   Form
	Set    string // set of constants, for Named
	Size   int    // bytes, for FixedWidth and ByteArray
	Signed bool   // numbers are sign-extended; for times the C type decides
	Big    bool   // in network byte order
	First  bool   // applies to the first bytes of a longer object: one address, one port
	Count  int    // elements, or bytes of text, that the user asked for; 0 if not
}

// formats is the table of FORMATs.
var formats = []Format{
	{Name: "x", Form: Hex},
	{Name: "d", Form: Decimal, Signed: true},
	{Name: "u", Form: Decimal},
	{Name: "o", Form: Octal},
	{Name: "c", Form: Char},
	{Name: "sym", Form: Symbol},
	{Name: "errno", Form: ErrorCode, Signed: true},
	{Name: "time", Form: Seconds},
	{Name: "ago", Form: Elapsed, Shape: Stamp, Signed: true},
	{Name: "agoboot", Form: Elapsed, Shape: Stamp, Signed: true},
	{Name: "s", Form: Address, Shape: KernelText},
	{Name: "string", Form: Address, Shape: KernelText},
	{Name: "us", Form: Address, Shape: UserText},
	{Name: "ustring", Form: Address, Shape: UserText},
	{Name: "mac", Form: MAC, Shape: ByteArray, Size: 6},
	{Name: "ip6", Form: IP6, Shape: ByteArray, Size: 16},
	{Name: "ip4", Form: IP4, Shape: FixedWidth, Size: 4, Big: true, First: true},
	{Name: "be32", Form: Decimal, Shape: FixedWidth, Size: 4, Big: true},
	{Name: "port", Form: Decimal, Shape: FixedWidth, Size: 2, Big: true, First: true},
	{Name: "be16", Form: Decimal, Shape: FixedWidth, Size: 2, Big: true},
	{Name: "hex", Form: Memory, Shape: RawMemory},
	{Name: "u8", Form: Decimal, Shape: FixedWidth, Size: 1},
	{Name: "u16", Form: Decimal, Shape: FixedWidth, Size: 2},
	{Name: "u32", Form: Decimal, Shape: FixedWidth, Size: 4},
	{Name: "u64", Form: Decimal, Shape: FixedWidth, Size: 8},
	{Name: "s8", Form: Decimal, Shape: FixedWidth, Size: 1, Signed: true},
	{Name: "s16", Form: Decimal, Shape: FixedWidth, Size: 2, Signed: true},
	{Name: "s32", Form: Decimal, Shape: FixedWidth, Size: 4, Signed: true},
	{Name: "s64", Form: Decimal, Shape: FixedWidth, Size: 8, Signed: true},
	{Name: "x8", Form: Hex, Shape: FixedWidth, Size: 1},
	{Name: "x16", Form: Hex, Shape: FixedWidth, Size: 2},
	{Name: "x32", Form: Hex, Shape: FixedWidth, Size: 4},
	{Name: "x64", Form: Hex, Shape: FixedWidth, Size: 8},
	{Name: "char", Form: Char, Shape: FixedWidth, Size: 1},
	{Name: "symbol", Form: Symbol, Shape: FixedWidth, Size: 8},
	{Name: "dev", Form: Device},
	{Name: "userdev", Form: UserDev},
	{Name: "id", Form: ID},
	{Name: "addr", Form: Location},
	{Name: "bits", Form: Bits},
	{Name: "jiffies", Form: Jiffies},
	{Name: "percpu", Form: PerCPU},
	{Name: "path", Form: Address, Shape: FilePath},
	{Name: "sockaddr", Form: SockAddr, Shape: ByteArray, Size: SockAddrSize},
	{Name: "str", Form: Address, Shape: KernelText},
}

// IsText reports whether f is a format for strings.
func (f *Format) IsText() bool { return f.Shape == KernelText || f.Shape == UserText }

// Counts reports whether f may have a count of elements or bytes.
func (f *Format) Counts() bool {
	return f.IsText() || f.Shape == FixedWidth || f.Shape == RawMemory
}

// Elem returns the C type of an element of f, which Counts.
func (f *Format) Elem() btf.Type {
	size := max(f.Size, 1) // memory has bytes
	switch {
	case f.Name == "symbol":
		return &btf.Pointer{Target: &btf.Void{}}
	case f.Name == "char":
		return &btf.Int{Name: "char", Size: 1}
	case f.Signed:
		return &btf.Int{Name: fmt.Sprintf("s%d", 8*size), Size: uint32(size), Encoding: btf.IsSigned}
	}
	return &btf.Int{Name: fmt.Sprintf("u%d", 8*size), Size: uint32(size)}
}

// SockAddrSize is how many bytes of a socket address are read if its type does not say:
// the path of an AF_UNIX socket alone has 108.
const SockAddrSize = 112

// sets has the FORMATs that name a set of constants.
var sets = func() (sets []Format) {
	for _, name := range constants.SetNames() {
		sets = append(sets, Format{Name: name, Form: Named, Set: name})
	}
	return sets
}()

// baseNames are the kernel's own notation for the last name of a path: of a dentry, and
// of a file (Documentation/trace/kprobetrace.rst).
var baseNames = []Format{
	{Name: DentryName, Form: Address, Shape: BaseName},
	{Name: FileName, Form: Address, Shape: BaseName},
}

// The names of the FORMATs of the Shape BaseName.
const (
	DentryName = "%pd"
	FileName   = "%pD"
)

// FormatNames returns the words that may follow an item's colon.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// FormatNamed returns the FORMAT of that name, nil if there is none.
//
//go:noinline
func FormatNamed(name string) *Format {
	if name == "" {
		return nil
	}
	for _, table := range [][]Format{formats, sets, baseNames} {
		for i := range table {
			if table[i].Name == name {
				return &table[i]
			}
		}
	}
	return nil
}
