package value

import "slices"

// A Shape is what a format wants to be given.
type Shape uint8

const (
	AnyNumber  Shape = iota // an integer, enum or pointer, or an array of them
	FixedWidth              // size bytes, whatever the C type
	KernelText              // a string in the kernel's memory
	UserText                // a string in user memory
	ByteArray               // size bytes of memory
	RawMemory               // the bytes of an object, as many as it has
)

// A Format is one word that may follow the colon of an item.
type Format struct {
	Name   string
	Shape  Shape
	Size   int  // bytes, for FixedWidth and ByteArray
	Signed bool // for FixedWidth
	Big    bool // in network byte order
	First  bool // of other things' bytes the first are meant: one address, one port
}

// formats is the table of FORMATs; rendering has one that must agree with it.
var formats = []Format{
	{Name: "x"}, {Name: "d", Signed: true}, {Name: "u"}, {Name: "o"}, {Name: "c"},
	{Name: "sym"}, {Name: "errno", Signed: true}, {Name: "time"},
	{Name: "s", Shape: KernelText}, {Name: "string", Shape: KernelText},
	{Name: "us", Shape: UserText}, {Name: "ustring", Shape: UserText},
	{Name: "mac", Shape: ByteArray, Size: 6}, {Name: "ip6", Shape: ByteArray, Size: 16},
	{Name: "ip4", Shape: FixedWidth, Size: 4, Big: true, First: true}, {Name: "be32", Shape: FixedWidth, Size: 4, Big: true},
	{Name: "port", Shape: FixedWidth, Size: 2, Big: true, First: true}, {Name: "be16", Shape: FixedWidth, Size: 2, Big: true},
	{Name: "hex", Shape: RawMemory},
	{Name: "u8", Shape: FixedWidth, Size: 1}, {Name: "u16", Shape: FixedWidth, Size: 2},
	{Name: "u32", Shape: FixedWidth, Size: 4}, {Name: "u64", Shape: FixedWidth, Size: 8},
	{Name: "s8", Shape: FixedWidth, Size: 1, Signed: true}, {Name: "s16", Shape: FixedWidth, Size: 2, Signed: true},
	{Name: "s32", Shape: FixedWidth, Size: 4, Signed: true}, {Name: "s64", Shape: FixedWidth, Size: 8, Signed: true},
	{Name: "x8", Shape: FixedWidth, Size: 1}, {Name: "x16", Shape: FixedWidth, Size: 2},
	{Name: "x32", Shape: FixedWidth, Size: 4}, {Name: "x64", Shape: FixedWidth, Size: 8},
	{Name: "char", Shape: FixedWidth, Size: 1}, {Name: "symbol", Shape: FixedWidth, Size: 8},
}

// FormatNames are the words that may follow an item's colon.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

func FormatNamed(name string) *Format {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &formats[i]
}
