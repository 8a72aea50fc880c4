package dynevent

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// An Arg is one fetcharg of a definition, and so one field of its record: where to
// start, which pointers to load on the way, and how the value is stored. See
// Documentation/trace/kprobetrace.rst.
type Arg struct {
	Name  string // at most 31 bytes, a C identifier
	Base  Base
	Hops  []Hop // innermost first; the last loads the value. If there are none, the base is the value
	Type  Type
	Count int       // elements of an array; 0 if it is not an array
	Span  spec.Span // the part of the spec that it comes from
	Short bool      // text that ends after some hundred bytes at most
}

// String returns the fetcharg in the kernel's syntax, such as "+16(+8($arg1)):u32".
// The kernel takes at most Features.MaxArg bytes.
func (a Arg) String() string {
	text := a.Base.String()
	for _, h := range a.Hops {
		text = h.Wrap(text)
	}
	if typ := a.Stored(); typ != "" {
		text += ":" + typ
	}
	return text
}

// Stored returns the type with the number of elements: "u32", "x8[6]".
func (a *Arg) Stored() string {
	if a.Count > 0 {
		return fmt.Sprintf("%s[%d]", a.Type, a.Count)
	}
	return a.Type.String()
}

// Size returns how many bytes the fetcharg takes in the fixed part of the record.
func (a *Arg) Size() int { return max(a.Count, 1) * a.Type.Size }

// Follows reports whether the fetcharg reads memory through a pointer, or a variable.
func (a *Arg) Follows() bool {
	return len(a.Hops) > 0 && !a.InEvent() || a.Base.Kind == Memory || a.Base.Kind == PerCPU
}

// InEvent reports whether the fetcharg is a field, or a part of one, of the event that the probe
// is at.
func (a *Arg) InEvent() bool {
	switch a.Base.Kind {
	case Field:
		return len(a.Hops) == 0
	case FieldText, FieldArray:
		return len(a.Hops) == 1
	}
	return false
}

// KprobeTable is the kernel's table of its probes, which is always there.
const KprobeTable = "kprobe_table"

// Witness is the name of the struct kprobe of the probe that counts faults: see target.Witness.
// Its address is known once the kernel has that probe.
const Witness = "tsnoop_fault_witness"

// CanFault reports whether the fetcharg reads memory that may not be there.
func (a *Arg) CanFault() bool {
	return a.Follows() && (a.Base.Kind != Memory || a.Base.Name != KprobeTable && a.Base.Name != Witness)
}

// IsString reports whether the record holds a __data_loc word that points at text.
func (a *Arg) IsString() bool {
	return a.Base.Kind == Comm || a.Type.Name == "string" || a.Type.Name == "ustring"
}

// Then returns a with one more pointer to load. The Arg has no name until a builder
// adds it.
func (a Arg) Then(h Hop) Arg {
	a.Hops = append(slices.Clip(a.Hops), h)
	return a
}

// As returns a with its value stored as typ.
func (a Arg) As(typ Type) Arg {
	a.Type = typ
	return a
}

// A Base is what a fetcharg starts from: a register, an argument, a symbol and so on.
type Base struct {
	Kind BaseKind
	Name string // of a Register or a field, or the symbol of a Memory
	N    int64  // number of an ArgN or StackN; bits of an Immediate; bytes from the symbol of a Memory
	Addr uint64 // of a Memory's symbol, for kernels that are slow to look it up; 0 if not known

	// CPU is set of a PerCPU, whose Name and Addr are those of the symbol that every CPU
	// has its own copy of, of an OwnCPU, and of an Immediate that is the address of a
	// PerCPU.
	CPU  CPU
	Each bool // each definition of the probe fetches this for its own CPU; CPU is one of them
}

// A BaseKind says what kind of thing a Base is.
type BaseKind uint8

const (
	NoBase       BaseKind = iota
	Register              // %di
	ArgN                  // $arg1
	StackPointer          // $stack
	StackN                // $stack3
	Retval                // $retval
	Comm                  // $comm
	Memory                // @init_task+8: what is stored there
	Immediate             // \0x12
	Current               // $current, the task
	PerCPU                // +130496(@__per_cpu_offset+8): what a CPU has of a variable
	OwnCPU                // \0x1, the number of the CPU
	Field                 // $next_pid, the number in a field of the event that the probe is at
	FieldText             // $next_comm, the address of text in a field
	FieldArray            // the address of an array in a field, which no probe can fetch
	EmptyText             // \"", the address of a text without letters
)

// Head is the first 8 bytes of a record, which every event has: its number, flags and task.
// Whoever reads records has no use for them once it knows these.
var Head = Base{Kind: Field, Name: "common_type"}

const emptyText = `\""`

// String returns the base in the kernel's syntax.
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
	case Field, FieldText, FieldArray:
		return "$" + b.Name
	case Memory:
		if b.N == 0 {
			return "@" + b.Name
		}
		return fmt.Sprintf("@%s%+d", b.Name, b.N)
	case Immediate:
		return fmt.Sprintf(`\0x%x`, uint64(b.N))
	case EmptyText:
		return emptyText
	case PerCPU, OwnCPU:
		return Arg{Base: b}.Lowered().String()
	}
	return ""
}

// Placed returns the fetcharg with the address of its symbol in place of the name.
// Kernels before 6.2 search all of their symbols for the name at every fetch.
func (a Arg) Placed() Arg {
	a = a.Lowered()
	if b := &a.Base; b.Kind == Memory && b.Addr != 0 {
		b.Name, b.N, b.Addr = fmt.Sprintf("0x%x", b.Addr+uint64(b.N)), 0, 0
	}
	return a
}

// BaseNamed returns the base that the kernel calls name: "$arg1", "%di".
func BaseNamed(name string) (Base, bool) {
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

// numbered returns the number that follows prefix in name.
func numbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil
}

// A Hop loads the value at Offset bytes from the pointer loaded so far.
type Hop struct {
	Offset int64
	User   bool // from user memory
}

func (h Hop) Wrap(text string) string {
	if h.User {
		sign := "+u"
		if h.Offset < 0 {
			sign = "-u"
		}
		return fmt.Sprintf("%s%d(%s)", sign, max(h.Offset, -h.Offset), text)
	}
	return fmt.Sprintf("%+d(%s)", h.Offset, text)
}

// A Type says how the record stores a value, or each element of an array.
type Type struct {
	Name string // "u32", "x8", "string", "symbol", ...; "b" for a bit field, "" for $comm
	Size int    // bytes in the record; for text 4, the size of the word that points at it

	Bits, Shift int // width of a bit field and the number of its lowest bit; 0 if it is not a bit field
}

var (
	X64      = Type{Name: "x64", Size: 8}
	X8       = Type{Name: "x8", Size: 1}
	String   = Type{Name: "string", Size: 4}
	Ustring  = Type{Name: "ustring", Size: 4}
	Symbol   = Type{Name: "symbol", Size: 8}
	CommText = Type{Size: 4}
)

// Number returns an integer type of size bytes; kind is "u", "s" or "x".
//
//go:noinline
func Number(kind string, size int) Type {
	return Type{Name: fmt.Sprintf("%s%d", kind, 8*size), Size: size}
}

// Bits returns a bit field in a word of size bytes.
func Bits(bits, shift uint32, size int) Type {
	return Type{Name: "b", Size: size, Bits: int(bits), Shift: int(shift)}
}

// String returns the type in the kernel's syntax.
func (t Type) String() string {
	if t.Bits > 0 {
		return fmt.Sprintf("%s%d@%d/%d", t.Name, t.Bits, t.Shift, 8*t.Size)
	}
	return t.Name
}

// Plus returns the base n bytes after b, the memory of a variable.
func (b Base) Plus(n int64) Base {
	b.N += n
	return b
}

// Shifted returns a fetcharg that reads n bytes after the place that a reads, without its
// type: for "+16(+8($arg1)):x8[6]" and 4 it is "+20(+8($arg1))".
func (a Arg) Shifted(n int) (Arg, bool) {
	last := len(a.Hops) - 1
	if last < 0 || a.Hops[last].User && a.Hops[last].Offset < 0 {
		return a, false // a variable, or a register
	}
	to := a.Hops[last]
	to.Offset += int64(n)
	return Arg{Base: a.Base, Hops: a.Hops[:last]}.Then(to), true
}
