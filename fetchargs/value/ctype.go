package value

import "github.com/tsnoop/tsnoop/btf"

var (
	unsignedRule = rule{form: Decimal}
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

// typedefs are the rules of types that C tells apart only by a typedef.
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
	"__kernel_sa_family_t": {form: Named, set: "af"},
}

// structs are the rules of structs that are shown as one value.
var structs = map[string]rule{
	"in_addr":  ip4Rule,
	"in6_addr": ip6Rule,
}

// typeRule is how f is shown when the user has named no FORMAT: by its C type,
// and where C has no type for it, by its name. returned says that f is the
// return value of a function.
func typeRule(f *Field, returned bool) (rule, *btf.Enum) {
	t, name := element(f.Type)
	if f.Set != "" {
		return rule{form: Named, set: f.Set, big: typedefs[name].big}, nil
	}
	if name == "__be32" && ip4Name(lastName(f.Label)) {
		return ip4Rule, nil
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
		return pointerRule, nil
	case *btf.Struct:
		if r, ok := structs[t.Name]; ok {
			return r, nil
		}
	}
	return unknownRule, nil
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

// bytesRule is how an array of bytes is shown.
func bytesRule(f *Field) rule {
	name := lastName(f.Label)
	switch {
	case f.Count == 16 && ip6Name(name):
		return ip6Rule
	case f.Count >= 6 && macName(name):
		return macRule
	}
	return byteRule
}

// maxTypes bounds how many typedefs, arrays and qualifiers are looked through.
const maxTypes = 64

// element looks through arrays, qualifiers and typedefs to what t is made of,
// and gives the typedef on the way that has a rule of its own, if there is one.
func element(t btf.Type) (elem btf.Type, typedef string) {
	for range maxTypes { // damaged BTF may have circles
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
