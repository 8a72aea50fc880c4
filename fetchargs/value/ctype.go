package value

import (
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

var (
	unsignedRule = rule{form: Decimal}
	idRule       = rule{form: ID}
	signedRule   = rule{form: Decimal, signed: true}
	returnRule   = rule{form: Returned, signed: true}
	boolRule     = rule{form: Bool}
	charRule     = rule{form: Char, chars: true}
	byteRule     = rule{form: Byte}
	macRule      = rule{form: LongMAC}
	pointerRule  = rule{form: Address}
	symbolRule   = rule{form: Symbol}
	unknownRule  = rule{form: Unknown}
)

// typedefs has the rules of types that C distinguishes only by a typedef.
var typedefs = map[string]rule{
	"__be16":               {form: Decimal, big: true},
	"__be32":               {form: Decimal, big: true},
	"__be64":               {form: Decimal, big: true},
	"umode_t":              {form: Named, set: "mode"},
	"dev_t":                {form: Device},
	"ktime_t":              {form: Seconds},
	"gfp_t":                {form: Named, set: "gfp"},
	"fmode_t":              {form: Named, set: "fmode"},
	"vm_flags_t":           {form: Named, set: "vm"},
	"vm_fault_t":           {form: Named, set: "vm_fault"},
	"sa_family_t":          {form: Named, set: "af"},
	"nodemask_t":           {form: Bits},
	"atomic_t":             signedRule,
	"atomic64_t":           signedRule,
	"atomic_long_t":        signedRule,
	"refcount_t":           unsignedRule,
	"uid_t":                idRule,
	"gid_t":                idRule,
	"qid_t":                idRule,
	"kuid_t":               idRule,
	"kgid_t":               idRule,
	"kprojid_t":            idRule,
	"spinlock_t":           {form: Hex},
	"raw_spinlock_t":       {form: Hex},
	"arch_spinlock_t":      {form: Hex},
	"__kernel_sa_family_t": {form: Named, set: "af"},
}

// structs has the rules of structs that are shown as one value.
var structs = map[string]rule{
	"in_addr":                   ip4Rule,
	"in6_addr":                  ip6Rule,
	"cpumask":                   {form: Bits},
	"qspinlock":                 {form: Hex},
	"sockaddr":                  {form: SockAddr},
	"sockaddr_unsized":          {form: SockAddr}, // since 7.0
	"sockaddr_in":               {form: SockAddr},
	"sockaddr_in6":              {form: SockAddr},
	"sockaddr_un":               {form: SockAddr},
	"sockaddr_nl":               {form: SockAddr},
	"sockaddr_storage":          {form: SockAddr},
	"__kernel_sockaddr_storage": {form: SockAddr},
}

// FormOf returns the Form of a struct that is shown as one value, by its own name or that
// of a typedef. It returns false if the struct is shown member by member.
func FormOf(t btf.Type) (Form, bool) {
	elem, name := element(t)
	size, _ := btf.Size(elem)
	if r, ok := structRule(elem, name, size); ok {
		return r.form, true
	}
	return Unknown, false
}

// structRule returns the rule of a struct of size bytes that is shown as one value.
func structRule(t btf.Type, typedef string, size int) (r rule, ok bool) {
	s, is := t.(*btf.Struct)
	if !is {
		return r, false
	}
	if r, ok = typedefs[typedef]; !ok {
		r, ok = structs[s.Name]
	}
	number := size == 1 || size == 2 || size == 4 || size == 8
	return r, ok && (number || blocks[r.form] != 0) // a lock with debugging is larger
}

// typeRule decides how f is shown if the user gave no FORMAT: by its C type, or by the
// name of the member where the C type does not say enough. returned says that f is the return value of
// a function.
func typeRule(f *Field, returned bool) (rule, *btf.Enum) {
	t, name := element(f.Type)
	if format := FormatNamed(f.Set); format != nil && format.Form != Named {
		if suits(format, t, name) {
			return format.rule(), nil
		}
	} else if f.Set != "" {
		return rule{form: Named, set: f.Set, big: typedefs[name].big}, nil
	}
	if name == "__be32" && ip4Name(strings.ToLower(f.Name)) {
		return ip4Rule, nil
	}
	if s, ok := t.(*btf.Struct); ok {
		size, _ := btf.Size(s)
		if r, ok := structRule(s, name, size); ok {
			return r, nil
		}
		return unknownRule, nil
	}
	if r, ok := typedefs[name]; ok {
		return r, nil
	}
	switch t := t.(type) {
	case *btf.Int:
		return intRule(t, f, returned), nil
	case *btf.Enum:
		return rule{form: Enum, signed: t.Signed}, t
	case *btf.Pointer:
		if _, ok := btf.Strip(t.Target).(*btf.FuncProto); ok {
			return symbolRule, nil
		}
		if btf.IsPerCPU(t) {
			return rule{form: PerCPU}, nil
		}
		return pointerRule, nil
	}
	return unknownRule, nil
}

// suits reports whether values of t can be what the format says, which is known by a name.
// typedef is that of t which has a rule of its own, if there is one.
func suits(format *Format, t btf.Type, typedef string) bool {
	i, isInt := t.(*btf.Int)
	switch format.Form {
	case PerCPU, Symbol:
		return isInt || pointed(t)
	case Location:
		return isInt && i.Size == 8 && !btf.Signed(i) && typedef == ""
	case ID:
		return isInt && i.Size == 4 && !btf.Signed(i)
	}
	return isInt
}

// pointed reports whether t is a pointer.
func pointed(t btf.Type) bool {
	_, ok := t.(*btf.Pointer)
	return ok
}

func intRule(t *btf.Int, f *Field, returned bool) rule {
	switch {
	case t.Encoding == btf.Bool || t.Name == "_Bool" || t.Name == "bool":
		return boolRule
	case t.Name == "char" || t.Encoding == btf.Char:
		return charRule
	case f.Encoding == Array && t.Size == 1 && !btf.Signed(t):
		return bytesRule(f)
	case btf.Signed(t) && t.Size >= 4 && returned:
		return returnRule
	case btf.Signed(t):
		return signedRule
	}
	return unsignedRule
}

// bytesRule decides how an array of bytes is shown.
func bytesRule(f *Field) rule {
	name := strings.ToLower(f.Name)
	switch {
	case f.Count == 16 && ip6Name(name):
		return ip6Rule
	case f.Count >= 6 && macName(name):
		return macRule
	}
	return byteRule
}

// maxTypes is the most typedefs, arrays and qualifiers to look through.
const maxTypes = 64

// element returns the element type of t, without arrays, qualifiers and typedefs, and the
// name of the typedef on the way that has a rule of its own, "" if there is none.
func element(t btf.Type) (elem btf.Type, typedef string) {
	for range maxTypes { // damaged BTF may have cycles
		switch u := t.(type) {
		case *btf.Typedef:
			if _, ok := typedefs[u.Name]; ok {
				typedef = u.Name
			}
			t = u.Type
		case *btf.Array:
			t = u.Type
		case *btf.Const:
			t = u.Type
		case *btf.Volatile:
			t = u.Type
		case *btf.Restrict:
			t = u.Type
		case *btf.TypeTag:
			t = u.Type
		default:
			return t, typedef
		}
	}
	return nil, typedef
}
