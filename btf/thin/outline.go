package thin

import (
	cbtf "github.com/cilium/ebpf/btf"
)

// An Outline makes the types that C declarations name, without what these do not spell: the
// members of structs, the constants of enums, sizes. It makes each type once, when it is
// asked for, so all functions of a kernel take a few thousand types instead of all.
type Outline struct {
	raw  *BTF
	base *Outline // of the kernel, for split BTF; nil otherwise

	baseTypes uint32 // how many the base has

	made map[uint32]cbtf.Type
	todo []uint32 // types whose references have not been set
}

// Outline returns the outline of a BTF. base is that of the kernel, for split BTF, or nil.
func (r *BTF) Outline(base *Outline) *Outline {
	o := &Outline{raw: r, base: base, made: map[uint32]cbtf.Type{}}
	if base != nil {
		o.baseTypes = uint32(len(base.raw.offsets)) - 1
	}
	return o
}

// First returns the id of the first type that is not of the base.
func (o *Outline) First() uint32 { return o.baseTypes + 1 }

// Len returns the number of types, without those of the base.
func (o *Outline) Len() int { return len(o.raw.offsets) - 1 }

// Funcs yields the id and the name of each function, in order.
func (o *Outline) Funcs(yield func(id uint32, name []byte) bool) {
	for i := 1; i < len(o.raw.offsets); i++ {
		b := o.raw.types[o.raw.offsets[i]:]
		if kindOf(b) == kindFunc && !yield(o.baseTypes+uint32(i), o.nameAt(order.Uint32(b))) {
			return
		}
	}
}

// A Param is a parameter of a prototype.
type Param struct {
	Name []byte
	Type uint32 // its id
}

// Proto returns the prototype of a function: the id of what it returns, and to, to which its
// parameters are appended. ok is false if the function has no prototype.
func (o *Outline) Proto(fn uint32, to []Param) (ret uint32, params []Param, ok bool) {
	b := o.encoded(fn)
	if b == nil || kindOf(b) != kindFunc {
		return 0, to, false
	}
	if b = o.encoded(order.Uint32(b[8:])); b == nil || kindOf(b) != kindFuncProto {
		return 0, to, false
	}
	for i := 12; i < len(b); i += 8 {
		to = append(to, Param{o.nameAt(order.Uint32(b[i:])), order.Uint32(b[i+4:])})
	}
	return order.Uint32(b[8:]), to, true
}

// Type returns the type with an id; void if there is none, or if it is of a kind that C does
// not declare.
func (o *Outline) Type(id uint32) cbtf.Type {
	t := o.shell(id)
	for len(o.todo) > 0 {
		id := o.todo[len(o.todo)-1]
		o.todo = o.todo[:len(o.todo)-1]
		o.connect(id)
	}
	return t
}

// shell returns a type whose references will be set later: types of damaged BTF may go round
// in circles.
func (o *Outline) shell(id uint32) cbtf.Type {
	if id <= o.baseTypes && o.base != nil {
		return o.base.Type(id)
	}
	if t := o.made[id]; t != nil {
		return t
	}
	b := o.encoded(id)
	if b == nil {
		return (*cbtf.Void)(nil)
	}
	t := newShell(b, string(o.nameAt(order.Uint32(b))))
	o.made[id] = t
	o.todo = append(o.todo, id)
	return t
}

// newShell returns the type that b encodes, without references.
func newShell(b []byte, name string) cbtf.Type {
	switch kindOf(b) {
	case kindInt:
		return &cbtf.Int{Name: name}
	case kindFloat:
		return &cbtf.Float{Name: name}
	case kindStruct:
		return &cbtf.Struct{Name: name}
	case kindUnion:
		return &cbtf.Union{Name: name}
	case kindEnum, kindEnum64:
		return &cbtf.Enum{Name: name}
	case kindFwd:
		if order.Uint32(b[4:])>>31 != 0 { // kind_flag
			return &cbtf.Fwd{Name: name, Kind: cbtf.FwdUnion}
		}
		return &cbtf.Fwd{Name: name}
	case kindPtr:
		return &cbtf.Pointer{}
	case kindArray:
		return &cbtf.Array{Nelems: order.Uint32(b[20:])}
	case kindTypedef:
		return &cbtf.Typedef{Name: name}
	case kindConst:
		return &cbtf.Const{}
	case kindVolatile:
		return &cbtf.Volatile{}
	case kindRestrict:
		return &cbtf.Restrict{}
	case kindTypeTag:
		return &cbtf.TypeTag{Value: name}
	case kindFuncProto:
		return &cbtf.FuncProto{}
	case kindFunc:
		return &cbtf.Func{Name: name}
	case kindVar:
		return &cbtf.Var{Name: name}
	}
	return (*cbtf.Void)(nil)
}

// connect sets what a type refers to, as far as declarations spell it.
func (o *Outline) connect(id uint32) {
	b := o.encoded(id)
	at := func(i int) cbtf.Type { return o.shell(order.Uint32(b[i:])) }
	switch t := o.made[id].(type) {
	case *cbtf.Pointer:
		t.Target = at(8)
	case *cbtf.Array:
		t.Type = at(12)
	case *cbtf.Typedef:
		t.Type = at(8)
	case *cbtf.Const:
		t.Type = at(8)
	case *cbtf.Volatile:
		t.Type = at(8)
	case *cbtf.Restrict:
		t.Type = at(8)
	case *cbtf.TypeTag:
		t.Type = at(8)
	case *cbtf.Func:
		t.Type = at(8)
	case *cbtf.Var:
		t.Type = at(8)
	case *cbtf.FuncProto:
		t.Return = at(8)
		for i := 12; i < len(b); i += 8 {
			t.Params = append(t.Params, cbtf.FuncParam{Name: string(o.nameAt(order.Uint32(b[i:]))), Type: at(i + 4)})
		}
	}
}

// encoded returns the bytes of a type, nil if there is no such type.
func (o *Outline) encoded(id uint32) []byte {
	if id <= o.baseTypes && o.base != nil {
		return o.base.encoded(id)
	}
	if id -= o.baseTypes; id == 0 || int(id) >= len(o.raw.offsets) {
		return nil
	}
	b := o.raw.types[o.raw.offsets[id]:]
	return b[:typeSize(kindOf(b), order.Uint32(b[4:])&0xffff)]
}

// nameAt returns the string at an offset in the strings of the base and those of the BTF.
func (o *Outline) nameAt(off uint32) []byte {
	if o.base == nil {
		return o.raw.name(off)
	}
	return o.raw.nameOn(o.base.raw, off)
}
