package btf

import (
	"strconv"
	"strings"
)

// maxWords is the most types that one C declaration may name. No kernel's has half as many.
// In damaged BTF a function may take itself as a parameter, twice.
const maxWords = 128

// Name returns the C name of a type, as in a cast: "struct sk_buff *",
// "const char *", "char [16]", "int (*)(struct sk_buff *)". Integers are
// spelled as in the BTF ("long unsigned int"), types without a name as
// "struct {...}".
func Name(t Type) string { return Declare(t, "") }

// Declare returns the C declaration of name: "char name[16]", "int (*func)(struct sk_buff
// *)". If name is "", it returns the name of the type.
func Declare(t Type, name string) string {
	d := declaration{words: maxWords}
	return d.of(t, name)
}

// A declaration spells a C declaration from the inside out.
type declaration struct {
	words int // words that may still be used
}

// of declares inner, which is the name with what is already written around it.
func (d *declaration) of(t Type, inner string) string {
	for {
		if d.words--; d.words < 0 {
			return join("...", inner)
		}
		switch v := t.(type) {
		case *Pointer:
			inner = "*" + inner
			if d.suffixed(v.Target) {
				inner = "(" + inner + ")"
			}
			t = v.Target
		case *Array:
			n := ""
			if v.Nelems > 0 {
				n = strconv.FormatUint(uint64(v.Nelems), 10)
			}
			inner += "[" + n + "]"
			t = v.Type
		case *FuncProto:
			inner += "(" + d.params(v) + ")"
			t = v.Return
		case *Const, *Volatile, *Restrict, *TypeTag:
			if _, ok := target(t).(*Pointer); !ok {
				return d.qualified(t, inner)
			}
			// It qualifies the pointer, so it comes after the star.
			inner = join(qualifier(t), inner)
			t, _ = unqualify(t)
		default:
			return join(plain(t), inner)
		}
	}
}

// qualified declares inner with a qualified type that is not a pointer. Qualifiers come
// before the type, tags (__user) after it.
func (d *declaration) qualified(t Type, inner string) string {
	var front, back []string
	for range maxNesting {
		next, ok := unqualify(t)
		if !ok {
			break
		}
		d.words--
		if _, tag := t.(*TypeTag); tag {
			back = append(back, qualifier(t))
		} else {
			front = append(front, qualifier(t))
		}
		t = next
	}
	if d.suffixed(t) {
		// An array of const elements or a tagged function.
		return join(strings.Join(append(front, back...), " "), d.of(t, inner))
	}
	return join(strings.Join(front, " "), d.of(t, join(strings.Join(back, " "), inner)))
}

// params spells the parameters of a function. In BTF, "..." is a final void parameter
// without a name.
func (d *declaration) params(f *FuncProto) string {
	if len(f.Params) == 0 {
		return "void"
	}
	var list []string
	for i, p := range f.Params {
		if variadicParam(f, i) {
			list = append(list, "...")
			continue
		}
		list = append(list, d.of(p.Type, p.Name))
		if d.words < 0 {
			break
		}
	}
	return strings.Join(list, ", ")
}

// variadicParam reports whether parameter i of f stands for "...".
func variadicParam(f *FuncProto, i int) bool {
	p := f.Params[i]
	return i == len(f.Params)-1 && p.Name == "" && IsVoid(p.Type)
}

// suffixed reports whether a declaration of type t has something after the name, so that
// a star before it needs parentheses.
func (d *declaration) suffixed(t Type) bool {
	switch target(t).(type) {
	case *Array, *FuncProto:
		return true
	}
	return false
}

// target removes qualifiers and tags, but not typedefs.
func target(t Type) Type {
	for range maxNesting {
		next, ok := unqualify(t)
		if !ok {
			return t
		}
		t = next
	}
	return (*Void)(nil)
}

// qualifier spells one qualifier. Only the tags of the kernel's address spaces have a C
// spelling.
func qualifier(t Type) string {
	switch t := t.(type) {
	case *Const:
		return "const"
	case *Volatile:
		return "volatile"
	case *Restrict:
		return "restrict"
	case *TypeTag:
		switch t.Value {
		case "user", "rcu", "percpu", "iomem":
			return "__" + t.Value
		}
	}
	return ""
}

// plain spells a type that needs no declarator.
func plain(t Type) string {
	switch t := t.(type) {
	case nil, *Void:
		return "void"
	case *Struct:
		return tagged("struct", t.Name)
	case *Union:
		return tagged("union", t.Name)
	case *Enum:
		return tagged("enum", t.Name)
	case *Fwd:
		return tagged(t.Kind.String(), t.Name)
	default:
		return t.TypeName()
	}
}

func tagged(keyword, name string) string {
	if name == "" {
		return keyword + " {...}"
	}
	return keyword + " " + name
}

// join joins two words with a space, unless one is empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
