// Package btf answers questions about the C types of a kernel from its BTF: prototypes of
// functions, members and their offsets, sizes, names.
//
// It wraps github.com/cilium/ebpf/btf, whose types it re-exports under its own names, and
// adds what C users expect: lookups that see through typedefs, qualifiers and anonymous
// members, C spelling of types, and suggestions for wrong names.
//
// BTF is described in the kernel's Documentation/bpf/btf.rst.
package btf

import (
	cbtf "github.com/cilium/ebpf/btf"
)

// The kinds of types in BTF. A Type is always a pointer to one of them.
type (
	Type      = cbtf.Type
	Void      = cbtf.Void
	Int       = cbtf.Int
	Pointer   = cbtf.Pointer
	Array     = cbtf.Array
	Struct    = cbtf.Struct
	Union     = cbtf.Union
	Enum      = cbtf.Enum
	Fwd       = cbtf.Fwd
	Typedef   = cbtf.Typedef
	Const     = cbtf.Const
	Volatile  = cbtf.Volatile
	Restrict  = cbtf.Restrict
	FuncProto = cbtf.FuncProto
	Float     = cbtf.Float
	TypeTag   = cbtf.TypeTag
	Var       = cbtf.Var
	Datasec   = cbtf.Datasec

	EnumValue = cbtf.EnumValue
	MemberOf  = cbtf.Member // a member of a Struct or Union
)

// Encodings of an Int.
const (
	Unsigned = cbtf.Unsigned
	IsSigned = cbtf.Signed
	Char     = cbtf.Char
	Bool     = cbtf.Bool
)
