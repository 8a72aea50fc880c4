package btf

import (
	"fmt"
	"strings"
)

// cWords ranks the keywords of C's own types, in the order of the canonical spelling.
var cWords = map[string]int{
	"signed": 1, "unsigned": 2, "short": 3, "long": 4, "char": 5, "int": 6, "__int128": 7,
	"float": 8, "double": 9, "_Bool": 10, "bool": 10, "void": 11,
}

// cTypes has C's own types on 64-bit kernels, by their canonical spelling.
var cTypes = map[string]Type{
	"void":               (*Void)(nil),
	"char":               &Int{Name: "char", Size: 1, Encoding: IsSigned},
	"signed char":        &Int{Name: "signed char", Size: 1, Encoding: IsSigned},
	"unsigned char":      &Int{Name: "unsigned char", Size: 1},
	"short":              &Int{Name: "short int", Size: 2, Encoding: IsSigned},
	"unsigned short":     &Int{Name: "short unsigned int", Size: 2},
	"int":                &Int{Name: "int", Size: 4, Encoding: IsSigned},
	"unsigned int":       &Int{Name: "unsigned int", Size: 4},
	"long":               &Int{Name: "long int", Size: 8, Encoding: IsSigned},
	"unsigned long":      &Int{Name: "long unsigned int", Size: 8},
	"long long":          &Int{Name: "long long int", Size: 8, Encoding: IsSigned},
	"unsigned long long": &Int{Name: "long long unsigned int", Size: 8},
	"__int128":           &Int{Name: "__int128", Size: 16, Encoding: IsSigned},
	"unsigned __int128":  &Int{Name: "__int128 unsigned", Size: 16},
	"_Bool":              &Int{Name: "_Bool", Size: 1, Encoding: Bool},
	"float":              &Float{Name: "float", Size: 4},
	"double":             &Float{Name: "double", Size: 8},
	"long double":        &Float{Name: "long double", Size: 16},
}

// canonical returns the shortest spelling of one of C's own types, "" if the words are
// not one: "long unsigned int" is "unsigned long".
func canonical(words []string) string {
	var count [12]int
	for _, w := range words {
		count[cWords[w]]++
	}
	if count[6] == 1 && count[1]+count[2]+count[3]+count[4] > 0 && count[5]+count[7]+count[8]+count[9]+count[10]+count[11] == 0 {
		count[6] = 0 // int is implied
	}
	name := ""
	for rank, word := range []string{1: "signed", 2: "unsigned", 3: "short", 4: "long", 5: "char", 6: "int", 7: "__int128", 8: "float", 9: "double", 10: "_Bool", 11: "void"} {
		if rank > 0 {
			name += strings.Repeat(" "+word, count[rank])
		}
	}
	switch name = strings.TrimSpace(name); name {
	case "signed":
		return "int"
	case "unsigned":
		return "unsigned int"
	case "signed char":
		return name
	}
	if rest, ok := strings.CutPrefix(name, "signed "); ok && isInteger(cTypes[rest]) {
		return rest
	}
	return name
}

// isInteger reports whether a type may be called signed.
func isInteger(t Type) bool {
	i, ok := t.(*Int)
	return ok && i.Encoding != Bool
}

// cType returns one of C's own types. It takes the type from the BTF if that has it,
// under gcc's or clang's name (char may be unsigned). k.mu is held.
func (k *Kernel) cType(words []string) (Type, error) {
	name := canonical(words)
	std, ok := cTypes[name]
	if !ok {
		return nil, fmt.Errorf("%q is not a C type", strings.Join(words, " "))
	}
	for _, spelling := range []string{std.TypeName(), name} {
		if spelling == "" {
			break // void
		}
		if t := byName[*Int](k.base, spelling); len(t) > 0 {
			return t[0], nil
		}
		if t := byName[*Float](k.base, spelling); len(t) > 0 {
			return t[0], nil
		}
	}
	return std, nil
}

// tagged returns a struct, union or enum by name: a definition if there is one, or else a
// declaration. k.mu is held.
func (k *Kernel) tagged(keyword, name string) (Type, error) {
	var declared Type
	for b := range k.blobs {
		if t := b.defined(keyword, name); t != nil {
			return t, nil
		}
		for _, t := range byName[*Fwd](b, name) {
			if declared == nil && t.Kind.String() == keyword {
				declared = t
			}
		}
	}
	if declared != nil {
		return declared, nil
	}
	return nil, k.noType(keyword + " " + name)
}

// defined returns the first definition of a struct, union or enum; nil if there is none.
func (b *blob) defined(keyword, name string) Type {
	switch keyword {
	case "struct":
		if t := byName[*Struct](b, name); len(t) > 0 {
			return t[0]
		}
	case "union":
		if t := byName[*Union](b, name); len(t) > 0 {
			return t[0]
		}
	case "enum":
		if t := byName[*Enum](b, name); len(t) > 0 {
			return t[0]
		}
	}
	return nil
}

// typedef returns a typedef by name. k.mu is held.
func (k *Kernel) typedef(name string) (Type, error) {
	for b := range k.blobs {
		if t := byName[*Typedef](b, name); len(t) > 0 {
			return t[0], nil
		}
	}
	return nil, k.noType(name)
}

// noType returns the error for a missing type, with similar names: only the same name
// with another keyword, if there is one. k.mu is held.
func (k *Kernel) noType(name string) *NotFoundError {
	bare := name[strings.LastIndexByte(name, ' ')+1:]
	for _, keyword := range []string{"struct", "union", "enum"} {
		if k.base.defined(keyword, bare) != nil {
			return &NotFoundError{What: "type", Name: name, In: "vmlinux", Suggestions: []string{keyword + " " + bare}}
		}
	}
	if len(byName[*Typedef](k.base, bare)) > 0 {
		return &NotFoundError{What: "type", Name: name, In: "vmlinux", Suggestions: []string{bare}}
	}
	return &NotFoundError{What: "type", Name: name, In: "vmlinux", Suggestions: Suggest(name, func(yield func(string) bool) {
		for b := range k.blobs {
			for t := range b.types() {
				if !yield(t) {
					return
				}
			}
		}
	})}
}

// Complete returns the definition of a struct or union that t, stripped, only declares,
// from vmlinux or from a module: the BTF of a module may only declare types that others
// define. Other types, and types that are defined nowhere, are returned unchanged.
func (k *Kernel) Complete(t Type) Type {
	f, ok := Strip(t).(*Fwd)
	if !ok {
		return t
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	if err != nil {
		return t
	}
	if base.raw != nil {
		if whole := base.raw.Complete(f); whole != Type(f) {
			return whole
		}
	}
	for b := range k.blobs {
		if full := b.defined(f.Kind.String(), f.Name); full != nil {
			return full
		}
	}
	return t
}
