package btf

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	cbtf "github.com/cilium/ebpf/btf"
)

// Layout writes a struct, union or enum in C, each member with its offset and size in
// bytes (a bit field with its offset as byte:bit and its size in bits), and the holes
// between them. Members of anonymous structs and unions are written in their place, with
// offsets from the start of the outermost one; for an array of these, the offsets are
// those of the first element. Any other type is written as one line with its size.
func (k *Kernel) Layout(w io.Writer, t Type) error {
	l := &layout{w: bufio.NewWriter(w), left: maxMembers}
	switch u := target(t).(type) {
	case *Struct, *Union:
		l.aggregate(u, 0, 0, "", 1)
	case *Enum:
		l.enum(u)
	case *Typedef:
		fmt.Fprintf(l.w, "typedef %s;", Declare(u.Type, u.Name))
		l.size(t)
		if members(Strip(u)) != nil {
			l.aggregate(Strip(u), 0, 0, "", 1)
		} else if e, ok := Strip(u).(*Enum); ok {
			l.enum(e)
		}
	default:
		fmt.Fprintf(l.w, "%s;", Name(t))
		l.size(t)
	}
	return l.w.Flush()
}

type layout struct {
	w    *bufio.Writer
	left int // members that may still be written
}

func (l *layout) size(t Type) {
	if n, ok := Size(t); ok {
		fmt.Fprintf(l.w, "  /* size: %d */\n", n)
		return
	}
	fmt.Fprintln(l.w, "  /* size not known */")
}

// aggregate writes a struct or union that starts base bits into the outermost one,
// indented by level. name is the name of the member of this type, "list" or "list[4]", or
// "". count is the number of elements that the member has.
func (l *layout) aggregate(t Type, base uint32, level int, name string, count int) {
	indent := strings.Repeat("\t", level)
	list := members(t)
	if level > maxNesting {
		return
	}
	_, union := t.(*Union)
	head := plain(t)
	if i := strings.Index(head, " {"); i >= 0 {
		head = head[:i]
	}
	fmt.Fprintf(l.w, "%s%s {\n", indent, head)
	end := base
	for _, m := range list {
		if l.left--; l.left < 0 {
			break
		}
		start := base + uint32(m.Offset)
		if !union && start > end {
			l.hole(indent, start-end)
		}
		l.member(m, base, level+1)
		end = max(end, start+bitsOf(m))
	}
	size, known := Size(t)
	if pad := base + uint32(size)*8; !union && pad > end {
		l.hole(indent, pad-end)
	}
	fmt.Fprintf(l.w, "%s%s;", indent, join("}", name))
	switch {
	case level == 0:
		fmt.Fprintf(l.w, "  /* size: %d, members: %d */\n", size, len(list))
	case known:
		fmt.Fprintf(l.w, "  /* %d, size: %d */\n", base/8, size*count)
	default:
		fmt.Fprintf(l.w, "  /* %d */\n", base/8)
	}
}

// hole writes a comment about unused space, in bits.
func (l *layout) hole(indent string, bits uint32) {
	if bits%8 == 0 {
		what := "bytes"
		if bits == 8 {
			what = "byte"
		}
		fmt.Fprintf(l.w, "%s\t/* hole of %d %s */\n", indent, bits/8, what)
		return
	}
	fmt.Fprintf(l.w, "%s\t/* hole of %d bits */\n", indent, bits)
}

func (l *layout) member(m cbtf.Member, base uint32, level int) {
	at := base + uint32(m.Offset)
	if inner, count := untagged(m.Type); inner != nil {
		_, name, _ := strings.Cut(Declare(m.Type, m.Name), "{...}")
		l.aggregate(inner, at, level, strings.TrimSpace(name), count)
		return
	}
	decl := Declare(m.Type, m.Name)
	where := fmt.Sprintf("%d, size: %d", at/8, bitsOf(m)/8)
	if m.BitfieldSize > 0 {
		decl += fmt.Sprintf(":%d", m.BitfieldSize)
		where = fmt.Sprintf("%d:%d, bits: %d", at/8, at%8, m.BitfieldSize)
	}
	fmt.Fprintf(l.w, "%s%-50s /* %s */\n", strings.Repeat("\t", level), decl+";", where)
}

// untagged returns the anonymous struct or union that t is, or is an array of, and the
// number of elements; nil if there is none.
func untagged(t Type) (Type, int) {
	count := 1
	for range maxNesting {
		switch u := target(t).(type) {
		case *Struct:
			if u.Name == "" {
				return u, count
			}
			return nil, 0
		case *Union:
			if u.Name == "" {
				return u, count
			}
			return nil, 0
		case *Array:
			count *= int(u.Nelems)
			t = u.Type
		default:
			return nil, 0
		}
	}
	return nil, 0
}

func (l *layout) enum(e *Enum) {
	fmt.Fprintf(l.w, "%s {\n", strings.TrimSuffix(plain(e), " {...}"))
	for _, v := range e.Values {
		if e.Signed {
			fmt.Fprintf(l.w, "\t%s = %d,\n", v.Name, int64(v.Value))
		} else {
			fmt.Fprintf(l.w, "\t%s = %d,\n", v.Name, v.Value)
		}
	}
	fmt.Fprintf(l.w, "};  /* size: %d */\n", e.Size)
}

// bitsOf returns how many bits a member takes.
func bitsOf(m cbtf.Member) uint32 {
	if m.BitfieldSize > 0 {
		return uint32(m.BitfieldSize)
	}
	n, _ := Size(m.Type)
	return uint32(n) * 8
}
