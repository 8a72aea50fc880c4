package main

import (
	"bufio"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// arrow is what one goes into members with: "struct sk_buff.dev->name".
var arrow = regexp.MustCompile(`\s*(?:\.|->)\s*`)

// infoMember prints a member of a struct or union, and what it is or points to.
func infoMember(w *bufio.Writer, kernel *btf.Kernel, name string) error {
	words := arrow.Split(strings.TrimSpace(name), -1)
	t, err := typeOf(kernel, words[0])
	if err != nil {
		return err
	}
	var place btf.Place
	offset, bit := uint32(0), uint32(0)
	owner := btf.Name(btf.Strip(t))
	for _, word := range words[1:] {
		if target := pointee(t); target != nil {
			t, offset, owner = kernel.Complete(target), 0, btf.Name(target)
		}
		if place, err = btf.Member(t, word); err != nil {
			return err
		}
		t, bit = place.Type, offset*8+place.BitOffset
		offset += place.Offset
	}
	last := words[len(words)-1]
	if size, ok := btf.Size(t); place.BitSize > 0 {
		fmt.Fprintf(w, "%s:%d;  /* %d:%d, bits: %d of %s */\n", btf.Declare(t, last), place.BitSize, bit/8, bit%8, place.BitSize, owner)
	} else if ok {
		fmt.Fprintf(w, "%s;  /* %d, size: %d of %s */\n", btf.Declare(t, last), offset, size, owner)
	} else {
		fmt.Fprintf(w, "%s;  /* %d of %s */\n", btf.Declare(t, last), offset, owner)
	}
	if inner := content(kernel, t); inner != nil {
		return kernel.Layout(w, inner)
	}
	return nil
}

// content is the struct, union or enum that t is, points to or is an array of, nil if
// it is none.
func content(kernel *btf.Kernel, t btf.Type) btf.Type {
	for range 16 {
		switch u := btf.Strip(t).(type) {
		case *btf.Struct, *btf.Union, *btf.Enum:
			return u
		case *btf.Pointer:
			t = kernel.Complete(u.Target)
		case *btf.Array:
			t = u.Type
		default:
			return nil
		}
	}
	return nil
}

func pointee(t btf.Type) btf.Type {
	if p, ok := btf.Strip(t).(*btf.Pointer); ok {
		return p.Target
	}
	return nil
}

// typeOf finds a type whose keyword may be left out.
func typeOf(kernel *btf.Kernel, name string) (btf.Type, error) {
	t, err := kernel.Type(name)
	if err == nil || strings.Contains(name, " ") {
		return t, err
	}
	for _, keyword := range []string{"struct ", "union ", "enum "} {
		if other, err := kernel.Type(keyword + name); err == nil {
			return other, nil
		}
	}
	return nil, err
}

// infoGlob prints all that a glob stands for: types if it has a keyword before it,
// functions otherwise.
func infoGlob(w *bufio.Writer, kernel *btf.Kernel, glob string) error {
	if strings.Contains(glob, " ") {
		n, err := infoTypes(w, kernel, strings.Join(strings.Fields(glob), " "))
		return firstError(err, foundAny(n, "type", glob))
	}
	pattern := glob
	if strings.Contains(glob, ":") {
		pattern = "mod:" + glob
	}
	funcs, err := kernel.Funcs(pattern)
	if err != nil {
		return err
	}
	for _, f := range funcs {
		printFunc(w, f)
	}
	n := len(funcs)
	for _, keyword := range []string{"struct ", "union ", "enum ", ""} {
		if len(funcs) > 0 {
			break // a type of the same name is asked for with its keyword
		}
		more, err := infoTypes(w, kernel, keyword+glob)
		if n += more; err != nil {
			return err
		}
	}
	return foundAny(n, "function or type", glob)
}

// infoTypes prints the types that a glob stands for and returns how many there are.
func infoTypes(w *bufio.Writer, kernel *btf.Kernel, glob string) (int, error) {
	names, err := kernel.TypeNames(glob)
	for i, name := range names {
		t, err := kernel.Type(name)
		if err != nil {
			return i, err
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := kernel.Layout(w, t); err != nil {
			return i, err
		}
	}
	return len(names), err
}

func foundAny(n int, what, glob string) error {
	if n == 0 {
		return &btf.NotFoundError{What: what, Name: glob}
	}
	return nil
}

// infoConstant prints the value of an enum's constant, and the enum.
func infoConstant(w *bufio.Writer, kernel *btf.Kernel, name string) error {
	enums, err := kernel.Constant(name)
	if err != nil {
		return err
	}
	for i, e := range enums {
		if i > 0 {
			fmt.Fprintln(w)
		}
		value, err := kernel.Enumerator(e, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s = %d;  /* of %s */\n", name, value, btf.Name(e))
		if err := kernel.Layout(w, e); err != nil {
			return err
		}
	}
	return nil
}

// isMissing tells that nothing of the name exists, from other errors.
func isMissing(err error) bool {
	var missing *btf.NotFoundError
	return errors.As(err, &missing)
}
