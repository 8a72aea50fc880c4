package value

import "github.com/tsnoop/tsnoop/btf"

// TypeName returns the C type t in words; nil is that of a register.
func TypeName(t btf.Type) string {
	if t == nil {
		return "a register of unknown type"
	}
	return btf.Name(t)
}

// KindOf returns the type of a number, or what its FORMAT makes of it.
func KindOf(f *Field) string {
	switch signed := btf.Signed(f.Type); {
	case signed && !f.Signed:
		return "unsigned by its FORMAT"
	case f.Signed && !signed && btf.IsNumber(f.Type):
		return "signed by its FORMAT"
	}
	return TypeName(f.Type)
}
