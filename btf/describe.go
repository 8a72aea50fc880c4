package btf

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Describe writes what a name stands for. A glob stands for what it matches, and "struct
// sk_buff.dev" for a member. A name of two words is a type. Any other name is a function
// or, if there is none, a type or an enum constant. If more is set, an empty line comes
// before any text of several lines. Errors are *NotFoundError, path.ErrBadPattern, and
// errors of reading BTF (ErrNoBTF).
func (k *Kernel) Describe(w io.Writer, name string, more bool) error {
	if more && strings.ContainsAny(name, " .*?[>") {
		fmt.Fprintln(w)
	}
	switch {
	case isGlob(name):
		if _, err := path.Match(name, ""); err != nil {
			return err
		}
		return k.describeGlob(w, name)
	case len(pathWords(name)) > 1:
		return k.describeMember(w, name)
	case strings.Contains(name, " "):
		t, err := k.Type(name)
		if err != nil {
			return err
		}
		return k.Layout(w, t)
	}
	module, fn, found := strings.Cut(name, ":")
	if !found {
		module, fn = "", name
	}
	f, err := k.Func(module, fn)
	if err == nil {
		describeFunc(w, f)
		return nil
	} else if !isMissing(err) {
		return err
	}
	if t, err := k.typeOf(name); err == nil {
		if more {
			fmt.Fprintln(w)
		}
		return k.Layout(w, t)
	}
	if k.describeConstant(w, name) == nil {
		return nil
	}
	return err
}

// isGlob distinguishes globs from pointer and array types: "tcp_*" is a glob, "struct
// sock *" and "char *[4]" are not.
func isGlob(name string) bool {
	for strings.HasSuffix(name, "]") {
		i := strings.LastIndexByte(name, '[')
		if i < 0 || strings.Trim(name[i+1:len(name)-1], "0123456789") != "" {
			break
		}
		name = name[:i]
	}
	if t := strings.TrimRight(name, "*"); strings.TrimRight(t, " \t\n") != t {
		name = t
	}
	return strings.ContainsAny(name, "*?[")
}

func describeFunc(w io.Writer, f *Func) {
	fmt.Fprintf(w, "%s;\n", f)
	if f.Module != "" {
		fmt.Fprintf(w, "\t/* in module %s */\n", f.Module)
	}
}

// pathWords splits the path to a member, such as "struct sk_buff.dev->name", at "." and "->".
func pathWords(path string) []string {
	words := strings.Split(strings.ReplaceAll(path, "->", "."), ".")
	for i, word := range words {
		words[i] = strings.TrimSpace(word)
	}
	return words
}

// describeMember writes a member of a struct or union, and the type that it has or points
// to.
func (k *Kernel) describeMember(w io.Writer, name string) error {
	words := pathWords(name)
	t, err := k.typeOf(words[0])
	if err != nil {
		return err
	}
	var place Place
	offset, bit := uint32(0), uint32(0)
	owner := Name(Strip(t))
	for _, word := range words[1:] {
		if target := Pointee(t); target != nil {
			t, offset, owner = k.Complete(target), 0, Name(target)
		}
		if place, err = Member(t, word); err != nil {
			return err
		}
		t, bit = place.Type, offset*8+place.BitOffset
		offset += place.Offset
	}
	last := words[len(words)-1]
	if size, ok := Size(t); place.BitSize > 0 {
		fmt.Fprintf(w, "%s:%d;  /* %d:%d, bits: %d of %s */\n", Declare(t, last), place.BitSize, bit/8, bit%8, place.BitSize, owner)
	} else if ok {
		fmt.Fprintf(w, "%s;  /* %d, size: %d of %s */\n", Declare(t, last), offset, size, owner)
	} else {
		fmt.Fprintf(w, "%s;  /* %d of %s */\n", Declare(t, last), offset, owner)
	}
	if inner := k.content(t); inner != nil {
		return k.Layout(w, inner)
	}
	return nil
}

// content returns the struct, union or enum that t is, points to or is an array of; nil
// if there is none.
func (k *Kernel) content(t Type) Type {
	for range 16 {
		switch u := Strip(t).(type) {
		case *Struct, *Union, *Enum:
			return u
		case *Pointer:
			t = k.Complete(u.Target)
		case *Array:
			t = u.Type
		default:
			return nil
		}
	}
	return nil
}

// typeOf returns a type by its name, whose keyword may be left out.
func (k *Kernel) typeOf(name string) (Type, error) {
	t, err := k.Type(name)
	if err == nil || strings.Contains(name, " ") {
		return t, err
	}
	for _, keyword := range []string{"struct ", "union ", "enum "} {
		if other, err := k.Type(keyword + name); err == nil {
			return other, nil
		}
	}
	return nil, err
}

// describeGlob writes everything that a glob matches: types if it has a keyword before
// it, functions otherwise.
func (k *Kernel) describeGlob(w io.Writer, glob string) error {
	if strings.Contains(glob, " ") {
		n, err := k.describeTypes(w, strings.Join(strings.Fields(glob), " "))
		return cmp.Or(err, foundAny(n, "type", glob))
	}
	pattern := glob
	if strings.Contains(glob, ":") {
		pattern = "mod:" + glob
	}
	funcs, err := k.Funcs(pattern)
	if err != nil {
		return err
	}
	for _, f := range funcs {
		describeFunc(w, f)
	}
	n := len(funcs)
	for _, keyword := range []string{"struct ", "union ", "enum ", ""} {
		if len(funcs) > 0 {
			break // a type of the same name needs its keyword
		}
		more, err := k.describeTypes(w, keyword+glob)
		if n += more; err != nil {
			return err
		}
	}
	return foundAny(n, "function or type", glob)
}

// describeTypes writes the types that a glob matches, and returns their number.
func (k *Kernel) describeTypes(w io.Writer, glob string) (int, error) {
	names, err := k.TypeNames(glob)
	k.expect(len(names))
	for i, name := range names {
		t, err := k.Type(name)
		if err != nil {
			return i, err
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := k.Layout(w, t); err != nil {
			return i, err
		}
	}
	return len(names), err
}

func foundAny(n int, what, glob string) error {
	if n == 0 {
		return &NotFoundError{What: what, Name: glob}
	}
	return nil
}

// describeConstant writes the value of an enum constant, and the enum.
func (k *Kernel) describeConstant(w io.Writer, name string) error {
	enums, err := k.Constant(name)
	if err != nil {
		return err
	}
	for i, e := range enums {
		if i > 0 {
			fmt.Fprintln(w)
		}
		value, err := k.Enumerator(e, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s = %d;  /* of %s */\n", name, value, Name(e))
		if err := k.Layout(w, e); err != nil {
			return err
		}
	}
	return nil
}

// isMissing reports whether err says that nothing has the name.
func isMissing(err error) bool {
	var missing *NotFoundError
	return errors.As(err, &missing)
}
