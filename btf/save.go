package btf

import (
	"bytes"
	"fmt"

	cbtf "github.com/cilium/ebpf/btf"
)

// Save encodes types as BTF, such as [Load] reads, without what their values'
// text does not depend on: structs and unions have no members. It returns the
// number of each type there; 0 for nil and void.
func Save(types []Type) (data []byte, ids []int, err error) {
	b, err := cbtf.NewBuilder(nil, nil)
	if err != nil {
		return nil, nil, err
	}
	s := shallow{}
	for _, t := range types {
		id := 0
		if t = s.copy(t, 0); t != nil {
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

// Load decodes what Save has encoded, and finds a type by its number.
func Load(data []byte) (func(id int) (Type, error), error) {
	spec, err := cbtf.LoadSpecFromReader(bytes.NewReader(data))
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

// A shallow copies types. What was copied already is used again, which ends
// circles too.
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
