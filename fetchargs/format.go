package fetchargs

import (
	"slices"
)

// A shape is what a format wants to be given.
type shape uint8

const (
	anyNumber  shape = iota // an integer, enum or pointer, or an array of them
	fixedWidth              // size bytes, whatever the C type
	kernelText              // a string in the kernel's memory
	userText                // a string in user memory
	byteArray               // size bytes of memory
	rawMemory               // the bytes of an object, as many as it has
)

// A format is one word that may follow the colon of an item.
type format struct {
	name   string
	shape  shape
	size   int  // bytes, for fixedWidth and byteArray
	signed bool // for fixedWidth
	big    bool // in network byte order
	first  bool // of other things' bytes the first are meant: one address, one port
}

// formats is the table of FORMATs; rendering has one that must agree with it.
var formats = []format{
	{name: "x"}, {name: "d", signed: true}, {name: "u"}, {name: "o"}, {name: "c"},
	{name: "sym"}, {name: "errno", signed: true}, {name: "time"},
	{name: "s", shape: kernelText}, {name: "string", shape: kernelText},
	{name: "us", shape: userText}, {name: "ustring", shape: userText},
	{name: "mac", shape: byteArray, size: 6}, {name: "ip6", shape: byteArray, size: 16},
	{name: "ip4", shape: fixedWidth, size: 4, big: true, first: true}, {name: "be32", shape: fixedWidth, size: 4, big: true},
	{name: "port", shape: fixedWidth, size: 2, big: true, first: true}, {name: "be16", shape: fixedWidth, size: 2, big: true},
	{name: "hex", shape: rawMemory},
	{name: "u8", shape: fixedWidth, size: 1}, {name: "u16", shape: fixedWidth, size: 2},
	{name: "u32", shape: fixedWidth, size: 4}, {name: "u64", shape: fixedWidth, size: 8},
	{name: "s8", shape: fixedWidth, size: 1, signed: true}, {name: "s16", shape: fixedWidth, size: 2, signed: true},
	{name: "s32", shape: fixedWidth, size: 4, signed: true}, {name: "s64", shape: fixedWidth, size: 8, signed: true},
	{name: "x8", shape: fixedWidth, size: 1}, {name: "x16", shape: fixedWidth, size: 2},
	{name: "x32", shape: fixedWidth, size: 4}, {name: "x64", shape: fixedWidth, size: 8},
	{name: "char", shape: fixedWidth, size: 1}, {name: "symbol", shape: fixedWidth, size: 8},
}

// FormatNames are the words that may follow an item's colon.
func FormatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

func formatNamed(name string) *format {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &formats[i]
}
