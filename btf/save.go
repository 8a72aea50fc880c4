package btf

import (
	"fmt"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf/thin"
)

// Save encodes types as BTF for [Load]. It leaves out what the text of their values does
// not need: structs and unions have no members, except types[i] and what it contains if
// objects[i] is set. ids has the number of each type in data, 0 for nil and void.
func Save(types []Type, objects []bool) (data []byte, ids []int, err error) {
	b, err := cbtf.NewBuilder(nil, nil)
	if err != nil {
		return nil, nil, err
	}
	s := shallow{}
	d := deep{s, map[Type]Type{}}
	for i, t := range types {
		id, c := 0, Type(nil)
		if objects[i] {
			c = d.copy(t, 0)
		} else {
			c = s.copy(t, 0)
		}
		if t = c; t != nil {
			n, err := b.Add(t)
			if err != nil {
				return nil, nil, fmt.Errorf("save types: %w", err)
			}
			id = int(n)
		}
		ids = append(ids, id)
	}
	data, err = b.Marshal(nil, nil)
	return data, ids, err
}

// Load decodes the output of Save. It returns a function that returns a type by its
// number.
func Load(data []byte) (func(id int) (Type, error), error) {
	spec, err := thin.Decode(data, nil, thin.Size{}, false)
	if err != nil {
		return nil, fmt.Errorf("load types: %w", err)
	}
	return func(id int) (Type, error) {
		if id == 0 {
			return nil, nil
		}
		return spec.TypeByID(cbtf.TypeID(id))
	}, nil
}

// A shallow copies types without members. It copies each type once, so that cycles end.
type shallow map[Type]Type

func (s shallow) copy(t Type, depth int) Type {
	if t == nil || depth > maxNesting {
		return nil
	}
	if had, ok := s[t]; ok {
		return had
	}
	inner := func(t Type) Type {
		if c := s.copy(t, depth+1); c != nil {
			return c
		}
		return (*Void)(nil)
	}
	switch t := t.(type) {
	case *Typedef:
		c := &Typedef{Name: t.Name}
		s[t] = c
		c.Type = inner(t.Type)
		return c
	case *Pointer:
		c := &Pointer{}
		s[t] = c
		c.Target = inner(t.Target)
		return c
	case *Const:
		return &Const{Type: inner(t.Type)}
	case *Volatile:
		return &Volatile{Type: inner(t.Type)}
	case *Restrict:
		return &Restrict{Type: inner(t.Type)}
	case *TypeTag:
		return &TypeTag{Type: inner(t.Type), Value: t.Value}
	case *Array:
		return &Array{Index: inner(t.Index), Type: inner(t.Type), Nelems: t.Nelems}
	case *Var:
		return inner(t.Type)
	case *Struct:
		return &Struct{Name: t.Name, Size: t.Size}
	case *Union:
		return &Union{Name: t.Name, Size: t.Size}
	case *FuncProto:
		c := &FuncProto{}
		s[t] = c
		c.Return = inner(t.Return)
		for _, p := range t.Params {
			c.Params = append(c.Params, cbtf.FuncParam{Name: p.Name, Type: inner(p.Type)})
		}
		return c
	case *Int, *Enum, *Float, *Fwd:
		return t
	}
	return nil
}

// A deep copies types with everything in them, but not what they point to.
type deep struct {
	pointed shallow
	known   map[Type]Type
}

func (d deep) copy(t Type, depth int) Type {
	if t == nil || depth > maxNesting {
		return (*Void)(nil)
	}
	if had, ok := d.known[t]; ok {
		return had
	}
	inner := func(t Type) Type { return d.copy(t, depth+1) }
	members := func(of []MemberOf) (all []MemberOf) {
		for _, m := range of {
			m.Type = inner(m.Type)
			all = append(all, m)
		}
		return all
	}
	switch t := t.(type) {
	case *Typedef:
		d.known[t] = &Typedef{Name: t.Name, Type: inner(t.Type)}
	case *Const:
		d.known[t] = &Const{Type: inner(t.Type)}
	case *Volatile:
		d.known[t] = &Volatile{Type: inner(t.Type)}
	case *Restrict:
		d.known[t] = &Restrict{Type: inner(t.Type)}
	case *TypeTag:
		d.known[t] = &TypeTag{Type: inner(t.Type), Value: t.Value}
	case *Array:
		d.known[t] = &Array{Index: inner(t.Index), Type: inner(t.Type), Nelems: t.Nelems}
	case *Var:
		d.known[t] = inner(t.Type)
	case *Struct:
		c := &Struct{Name: t.Name, Size: t.Size}
		d.known[t] = c // this ends the cycles of damaged BTF
		c.Members = members(t.Members)
	case *Union:
		c := &Union{Name: t.Name, Size: t.Size}
		d.known[t] = c
		c.Members = members(t.Members)
	default:
		if d.known[t] = d.pointed.copy(t, depth); d.known[t] == nil {
			d.known[t] = (*Void)(nil)
		}
	}
	return d.known[t]
}
