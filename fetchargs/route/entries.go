package route

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// These are the entries of function based events, see [spec.Typed]. They are read as
// kernel/trace/trace_event_ftrace.c did in the patches of 2018, which were never merged.

// typed returns the route to the value of an entry, with the entry's type.
func (r *Walker) typed(x *spec.Typed) (Route, *spec.Error) {
	elem, err := r.elementType(x)
	if err != nil {
		return Route{}, err
	}
	switch {
	case x.Addr != nil:
		p := Route{Base: dynevent.Base{Kind: dynevent.Immediate, N: int64(x.Addr.Int.Uint64())}}
		p = p.Follow(x.Addr.Text, nil)
		p.Labels[0].kernel = true
		return typedPlace(x, p, elem), nil
	case x.X != nil:
		p, err := r.Walk(x.X)
		if err != nil {
			return p, err
		}
		return r.retyped(x, p, elem)
	}
	p, err := r.placed(x)
	if err != nil {
		return p, err
	}
	return r.stepped(x, p, elem)
}

// elementType returns the type of an entry's value, or of its elements.
func (r *Walker) elementType(x *spec.Typed) (btf.Type, *spec.Error) {
	name := x.Type.Text
	switch {
	case name == "string" && x.Count > 0:
		return nil, spec.Errorf(x.Type.Span, "take one: string NAME", "arrays of strings cannot be fetched")
	case name == "string":
		return &btf.Int{Name: "char", Size: 1}, nil
	case name == "symbol":
		return &btf.Pointer{Target: &btf.Void{}}, nil
	case name == "size_t":
		return &btf.Int{Name: name, Size: 8}, nil
	case strings.IndexByte("usx", name[0]) >= 0 && strings.Trim(name[1:], "0123456789") == "":
		bits, _ := strconv.Atoi(name[1:])
		t := &btf.Int{Name: strings.Replace(name, "x", "u", 1), Size: uint32(bits / 8)}
		if name[0] == 's' {
			t.Encoding = btf.IsSigned
		}
		return t, nil
	}
	return r.TypeNamed(x.Type)
}

// placed returns the route to the parameter that an entry names by its position. Without
// a prototype it is the register of that argument.
func (r *Walker) placed(x *spec.Typed) (Route, *spec.Error) {
	params := r.fn.Proto.Params
	if r.fn.Proto.Untyped {
		return r.builtin(&spec.Builtin{Name: spec.Name{Text: fmt.Sprintf("$arg%d", x.Param), Span: x.Span}})
	}
	if x.Param > len(params) {
		return Route{}, spec.Errorf(x.Span, "choose from its prototype: "+r.fn.Proto.String(), "%s has no parameter %d", r.fn.Proto.Name, x.Param)
	}
	param := params[x.Param-1]
	if err := r.ParamErrs[x.Param-1]; err != nil {
		return Route{}, spec.ErrorWith(x.Span, err, "%REG and $stackN fetch by place, if you know it", "cannot fetch %s: %v", param.Name, err)
	}
	p := r.Params[x.Param-1]
	for i, other := range params {
		if other.Name == x.Name.Text && i != x.Param-1 && other.Name != param.Name {
			p = p.remark(Note, fmt.Sprintf("%s stands for parameter %d, %s; each NULL, skips one", x.Name.Text, x.Param, btf.Declare(param.Type, param.Name)))
		}
	}
	if btf.IsStruct(p.Type) {
		fix := param.Name
		if members := btf.Members(p.Type); len(members) > 0 {
			fix += "." + members[0]
		}
		return p, spec.ErrorFix(x.Span, spec.Fix{Span: x.Span, Text: fix}, "name a member: ", "parameter %d, %s, is %s by value", x.Param, param.Name, btf.Name(p.Type))
	}
	return p, nil
}

// A hopTo is an offset from the last pointer read. If read is set, another pointer is
// read there; if not, the value is there.
type hopTo struct {
	off  int64
	read bool
}

// hops adds up the steps of an entry.
func hops(x *spec.Typed, size int64) (all []hopTo) {
	open := false
	for _, step := range x.Steps {
		if !open {
			all = append(all, hopTo{})
		}
		last := &all[len(all)-1]
		if step.Read {
			step.N *= size
		}
		last.off, last.read, open = last.off+step.N, step.Read, !step.Read
	}
	return all
}

// stepped follows the steps of an entry. A number is read by the last step. Arrays and
// strings are at the place where the steps end; a single step leads to them and reads no
// pointer on the way.
func (r *Walker) stepped(x *spec.Typed, p Route, elem btf.Type) (Route, *spec.Error) {
	size, _ := btf.Size(elem)
	if x.Type.Text == "string" {
		size = 8
	}
	all := hops(x, int64(size))
	if len(all) == 0 && !spec.IsPlace(x) {
		return narrowed(p, elem), nil
	}
	text, path := x.Name.Text, x.Name.Text
	if x.Param <= len(r.fn.Proto.Params) && r.fn.Proto.Params[x.Param-1].Name != "" {
		text = r.fn.Proto.Params[x.Param-1].Name
	}
	if old, _ := btf.Size(p.Type); old < 8 && p.Type != nil {
		return p, spec.Errorf(x.Span, "", "parameter %d, %s, is %s, too narrow for a pointer", x.Param, text, btf.Name(p.Type))
	}
	if spec.IsPlace(x) && (len(all) == 0 || len(all) > 1 && all[len(all)-1].read) {
		all = append(all, hopTo{})
	}
	target := r.Pointee(p.Type)
	if target == nil || !btf.IsStruct(target) {
		target = nil
	}
	for _, hop := range all {
		p = p.Follow(text, target)
		p.Off += hop.off
		if hop.off != 0 {
			path += fmt.Sprintf("+%d", hop.off)
		}
		path += "[0]"
		text, target = path, nil
	}
	return typedPlace(x, p, elem), nil
}

// typedPlace gives the memory at p the type of an entry.
func typedPlace(x *spec.Typed, p Route, elem btf.Type) Route {
	p.Type = elem
	switch {
	case x.Count > 0:
		p.Text = btf.IsByte(elem) && strings.HasSuffix(x.Type.Text, "char")
		p.Type = &btf.Array{Type: elem, Nelems: uint32(x.Count)}
	case x.Type.Text == "string":
		p.Text, p.Type = true, &btf.Array{Type: elem}
	}
	return p
}

// narrowed gives a number that is not in memory the type of an entry, unless that type is
// wider than the parameter.
func narrowed(p Route, elem btf.Type) Route {
	size, _ := btf.Size(elem)
	if old, known := btf.Size(p.Type); p.Type == nil || !known || size <= old {
		p.Type, p.Text = elem, false
	}
	return p
}

// retyped gives the value of an expression the type of an entry.
func (r *Walker) retyped(x *spec.Typed, p Route, elem btf.Type) (Route, *spec.Error) {
	if p.BitSize > 0 || p.InReg {
		return p, spec.Errorf(x.Span, "leave out "+x.Type.Text+": its own type shows it", "%s has a type of its own", x.X)
	}
	if spec.IsPlace(x) && (btf.Pointee(p.Type) != nil || !p.Mem) {
		p = p.Follow(x.X.String(), r.Pointee(p.Type))
		return typedPlace(x, p, elem), nil
	}
	if !p.Mem {
		return narrowed(p, elem), nil
	}
	size, _ := btf.Size(elem)
	if room, known := btf.Size(p.Type); p.Type != nil && known && size*max(x.Count, 1) > room {
		return p, spec.Errorf(x.Span, "", "%s has %s, %s has %d", x.X, plural.Of(room, "byte"), spec.TypedName(x), size*max(x.Count, 1))
	}
	return typedPlace(x, p, elem), nil
}
