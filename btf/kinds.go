package btf

import "strings"

// IsStruct reports whether t, stripped, is a struct or union.
func IsStruct(t Type) bool {
	switch Strip(t).(type) {
	case *Struct, *Union:
		return true
	}
	return false
}

// Pointee returns what t, stripped, points to; nil if t is not a pointer.
func Pointee(t Type) Type {
	if p, ok := Strip(t).(*Pointer); ok {
		return p.Target
	}
	return nil
}

// IsText reports whether t is plain char: text when pointed to or in an array.
func IsText(t Type) bool {
	i, ok := Strip(t).(*Int)
	return ok && i.Name == "char" && i.Size == 1
}

// IsBool reports whether t is bool, or a typedef of it.
func IsBool(t Type) bool {
	i, ok := Strip(t).(*Int)
	return ok && i.Encoding&Bool != 0
}

// IsNumber reports whether t is an integer or an enum.
func IsNumber(t Type) bool {
	switch Strip(t).(type) {
	case *Int, *Enum:
		return true
	}
	return false
}

// IsVoid reports whether t is void; nil is taken for it.
func IsVoid(t Type) bool {
	_, void := Strip(t).(*Void)
	return void
}

// AsArray returns t, stripped, if it is an array.
func AsArray(t Type) (*Array, bool) {
	a, ok := Strip(t).(*Array)
	return a, ok
}

// Leaf returns the type of the elements of a, or for an array of arrays, of the
// innermost ones.
func Leaf(a *Array) Type {
	for {
		inner, nested := AsArray(a.Type)
		if !nested {
			return a.Type
		}
		a = inner
	}
}

// IsByte reports whether t is an integer of one byte.
func IsByte(t Type) bool {
	i, ok := Strip(t).(*Int)
	return ok && i.Size == 1
}

// OrVoid returns t, or void if t is nil.
func OrVoid(t Type) Type {
	if t == nil {
		return &Void{}
	}
	return t
}

// StructName returns the name of the struct t, "" if t is not a struct.
func StructName(t Type) string {
	if s, ok := Strip(t).(*Struct); ok {
		return s.Name
	}
	return ""
}

// IsBigEndian reports whether t is __be16, __be32 or __be64, or a typedef of one.
func IsBigEndian(t Type) bool {
	for t != nil {
		switch u := t.(type) {
		case *Typedef:
			if strings.HasPrefix(u.Name, "__be") {
				return true
			}
			t = u.Type
		case *Const:
			t = u.Type
		case *Volatile:
			t = u.Type
		default:
			return false
		}
	}
	return false
}
