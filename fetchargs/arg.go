package fetchargs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// An Arg is one fetcharg of a definition and so one field of its record: where
// to start, which pointers to load on the way, and how the value is stored. See
// Documentation/trace/kprobetrace.rst.
type Arg struct {
	Name  string // at most 31 bytes, a C identifier
	Base  Base
	Hops  []Hop // innermost first; the last loads the value. None: the base is the value
	Type  Type
	Count int       // elements of an array, 0 if it is none
	Span  spec.Span // what in the spec it comes from
}

// String is the expression and its type, at most Features.MaxArg bytes:
// "+16(+8($arg1)):u32".
func (a Arg) String() string {
	text := a.Base.String()
	for _, h := range a.Hops {
		text = h.wrap(text)
	}
	if typ := a.stored(); typ != "" {
		text += ":" + typ
	}
	return text
}

// stored is the type with the number of elements: "u32", "x8[6]".
func (a *Arg) stored() string {
	if a.Count > 0 {
		return fmt.Sprintf("%s[%d]", a.Type, a.Count)
	}
	return a.Type.String()
}

// Size is how many bytes it takes of the fixed part of the record.
func (a *Arg) Size() int { return max(a.Count, 1) * a.Type.Size }

// Follows reports whether memory is read that a pointer points at, or a variable.
func (a *Arg) Follows() bool { return len(a.Hops) > 0 || a.Base.Kind == Memory }

// IsString reports whether the record has a __data_loc word, which points at text.
func (a *Arg) IsString() bool {
	return a.Base.Kind == Comm || a.Type.Name == "string" || a.Type.Name == "ustring"
}

// then loads one pointer more. An Arg without a name is on its way into a builder.
func (a Arg) then(h Hop) Arg {
	a.Hops = append(slices.Clip(a.Hops), h)
	return a
}

// as stores the value as typ.
func (a Arg) as(typ Type) Arg {
	a.Type = typ
	return a
}

// A Base is what a fetcharg starts from.
type Base struct {
	Kind BaseKind
	Name string // of a Register or a Memory's symbol
	N    int64  // which ArgN or StackN; an Immediate's bits; bytes behind a Memory's symbol
	Addr uint64 // of a Memory's symbol, for kernels that take long to find it; 0 if that is not known
}

// A BaseKind is one of the things that a fetcharg can start from.
type BaseKind uint8

const (
	NoBase       BaseKind = iota
	Register              // %di
	ArgN                  // $arg1
	StackPointer          // $stack
	StackN                // $stack3
	Retval                // $retval
	Comm                  // $comm
	Memory                // @init_task+8: what lies there
	Immediate             // \0x12
	Current               // $current, the task
)

// String is the base as the kernel reads it.
func (b Base) String() string {
	switch b.Kind {
	case Register:
		return "%" + b.Name
	case ArgN:
		return "$arg" + strconv.FormatInt(b.N, 10)
	case StackPointer:
		return "$stack"
	case StackN:
		return "$stack" + strconv.FormatInt(b.N, 10)
	case Retval:
		return "$retval"
	case Comm:
		return "$comm"
	case Current:
		return "$current"
	case Memory:
		if b.N == 0 {
			return "@" + b.Name
		}
		return fmt.Sprintf("@%s%+d", b.Name, b.N)
	case Immediate:
		return fmt.Sprintf(`\0x%x`, uint64(b.N))
	}
	return ""
}

// placed is the fetcharg with the address of the symbol that it starts from instead of
// its name, for which kernels before 6.2 go through all of their symbols each time.
func (a Arg) placed() Arg {
	if b := &a.Base; b.Kind == Memory && b.Addr != 0 {
		b.Name, b.N, b.Addr = fmt.Sprintf("0x%x", b.Addr+uint64(b.N)), 0, 0
	}
	return a
}

// baseNamed is the base that the kernel knows by a name of its own.
func baseNamed(name string) (Base, bool) {
	switch name {
	case "$stack":
		return Base{Kind: StackPointer}, true
	case "$retval":
		return Base{Kind: Retval}, true
	case "$comm":
		return Base{Kind: Comm}, true
	case "$current":
		return Base{Kind: Current}, true
	}
	if reg, ok := strings.CutPrefix(name, "%"); ok {
		return Base{Kind: Register, Name: reg}, reg != ""
	}
	if n, ok := numbered(name, "$arg"); ok {
		return Base{Kind: ArgN, N: int64(n)}, n > 0
	}
	n, ok := numbered(name, "$stack")
	return Base{Kind: StackN, N: int64(n)}, ok
}

// numbered is the number behind a prefix.
func numbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil
}

// A Hop loads what lies Offset bytes behind the pointer so far.
type Hop struct {
	Offset int64
	User   bool // from user memory
}

func (h Hop) wrap(text string) string {
	if h.User {
		sign := "+u"
		if h.Offset < 0 {
			sign = "-u"
		}
		return fmt.Sprintf("%s%d(%s)", sign, max(h.Offset, -h.Offset), text)
	}
	return fmt.Sprintf("%+d(%s)", h.Offset, text)
}

// A Type is how the record stores a value, or each element of an array.
type Type struct {
	Name string // "u32", "x8", "string", "symbol", ...; "b" of a bit field, "" of $comm
	Size int    // bytes in the record: of text the 4 of the word that points at it

	Bits, Shift int // width of a bit field, and its lowest bit's number; 0 if it is none
}

var (
	x64Type     = Type{Name: "x64", Size: 8}
	x8Type      = Type{Name: "x8", Size: 1}
	stringType  = Type{Name: "string", Size: 4}
	ustringType = Type{Name: "ustring", Size: 4}
	symbolType  = Type{Name: "symbol", Size: 8}
	commType    = Type{Size: 4}
)

// numberType is an integer of so many bytes; kind is "u", "s" or "x".
func numberType(kind string, size int) Type {
	return Type{Name: fmt.Sprintf("%s%d", kind, 8*size), Size: size}
}

// bitType is a bit field in a word of so many bytes.
func bitType(bits, shift uint32, size int) Type {
	return Type{Name: "b", Size: size, Bits: int(bits), Shift: int(shift)}
}

// String is the type as the kernel reads it.
func (t Type) String() string {
	if t.Bits > 0 {
		return fmt.Sprintf("%s%d@%d/%d", t.Name, t.Bits, t.Shift, 8*t.Size)
	}
	return t.Name
}
