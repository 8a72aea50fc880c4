// Package thin decodes only those parts of a kernel's BTF that a question needs. On 6.12,
// counted in instructions of one nanosecond each, tsnoop --emit takes 32 ms with it and
// 153 ms if all of the BTF is decoded; a trace of /bin/true 358 ms and 453 ms.
package thin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	cbtf "github.com/cilium/ebpf/btf"
)

// A BTF is BTF that has not been decoded. To decode a whole kernel's means to index some
// hundred thousand types, which is most of the work of a short command. A question about
// one function or type needs only what it refers to, which is cut out and decoded.
//
// See Documentation/bpf/btf.rst, "BTF Type and String Encoding".
type BTF struct {
	data    []byte
	header  []byte
	types   []byte
	strings []byte
	offsets []uint32 // of each type in types; the first is that of void, which is not in types

	searches int      // for names
	index    *index   // of names; nil until many were searched for
	enums    []uint32 // ids; nil until they were searched

	// ids of enums by where the names of their constants are; nil until many were searched for
	constant map[uint32][]uint32

	found    map[string][]cbtf.Type // types that have been cut out, by name
	declared map[*cbtf.Fwd]uint32   // type ids of the structs that cuts only declare
	whole    map[uint32]cbtf.Type   // types that Complete has cut out
}

// Kinds of types, BTF_INFO_KIND.
const (
	kindInt = iota + 1
	kindPtr
	kindArray
	kindStruct
	kindUnion
	kindEnum
	kindFwd
	kindTypedef
	kindVolatile
	kindConst
	kindRestrict
	kindFunc
	kindFuncProto
	kindVar
	kindDatasec
	kindFloat
	kindDeclTag
	kindTypeTag
	kindEnum64
)

// typeSize returns the length in bytes of an encoded type with vlen parts; 0 if its kind
// is not known.
func typeSize(kind, vlen uint32) uint32 {
	size := &typeSizes[kind&31]
	return size.fixed + size.part*vlen
}

// typeSizes are lengths in bytes, by kind.
var typeSizes = [32]struct{ fixed, part uint32 }{
	kindInt: {12 + 4, 0}, kindVar: {12 + 4, 0}, kindDeclTag: {12 + 4, 0},
	kindArray:  {12 + 12, 0},
	kindStruct: {12, 12}, kindUnion: {12, 12}, kindDatasec: {12, 12}, kindEnum64: {12, 12},
	kindEnum: {12, 8}, kindFuncProto: {12, 8},
	kindPtr: {12, 0}, kindFwd: {12, 0}, kindTypedef: {12, 0}, kindVolatile: {12, 0}, kindConst: {12, 0}, kindRestrict: {12, 0},
	kindFunc: {12, 0}, kindFloat: {12, 0}, kindTypeTag: {12, 0},
}

// maxNesting is how many modifiers of a type to look through: damaged BTF may have
// cycles.
const maxNesting = 64

var order = binary.LittleEndian

// ErrUnknown says that the BTF is damaged, or of a kind that cannot be cut.
var ErrUnknown = errors.New("BTF that cannot be cut")

// Parse indexes the types in data, and keeps data. For BTF that it does not know it
// returns ErrUnknown; such BTF may still be decoded as a whole.
func Parse(data []byte) (*BTF, error) {
	if len(data) < 24 || order.Uint16(data) != 0xeb9f || data[2] != 1 {
		return nil, ErrUnknown
	}
	n := uint64(order.Uint32(data[4:]))
	typeOff, typeLen := n+uint64(order.Uint32(data[8:])), uint64(order.Uint32(data[12:]))
	strOff, strLen := n+uint64(order.Uint32(data[16:])), uint64(order.Uint32(data[20:]))
	if n < 24 || typeOff+typeLen > uint64(len(data)) || strOff+strLen > uint64(len(data)) {
		return nil, ErrUnknown
	}
	r := &BTF{
		data: data, header: data[:24], types: data[typeOff : typeOff+typeLen], strings: data[strOff : strOff+strLen],
		offsets: make([]uint32, 1, 1+typeLen/24), found: map[string][]cbtf.Type{}, declared: map[*cbtf.Fwd]uint32{}, whole: map[uint32]cbtf.Type{},
	}
	for off := uint32(0); off < uint32(len(r.types)); {
		if len(r.types)-int(off) < 12 {
			return nil, ErrUnknown
		}
		b := r.types[off:]
		size := typeSize(kindOf(b), order.Uint32(b[4:])&0xffff)
		if size == 0 || uint64(off)+uint64(size) > uint64(len(r.types)) {
			return nil, ErrUnknown
		}
		r.offsets = append(r.offsets, off)
		off += size
	}
	return r, nil
}

// Named returns the types of that name, nil if there are none. Structs that they only
// point to are declared but not defined, because most structs of a kernel can be reached
// from any other. Complete returns their definitions.
func (r *BTF) Named(name string) ([]cbtf.Type, error) {
	if types, ok := r.found[name]; ok {
		return types, nil
	}
	types, err := r.cutOut(r.named(name))
	if err == nil {
		r.found[name] = types
	}
	return types, err
}

// Funcs returns the functions whose names match, in order. Structs are declared as Named
// does it.
func (r *BTF) Funcs(match func(name []byte) bool) (funcs []*cbtf.Func, err error) {
	var ids []uint32
	for id := 1; id < len(r.offsets); id++ {
		if b := r.types[r.offsets[id]:]; kindOf(b) == kindFunc && match(r.name(order.Uint32(b))) {
			ids = append(ids, uint32(id))
		}
	}
	for some := range slices.Chunk(ids, funcsAtATime) {
		types, err := r.cutOut(some)
		if err != nil {
			return nil, err
		}
		for _, t := range types {
			if f, ok := t.(*cbtf.Func); ok {
				funcs = append(funcs, f)
			}
		}
	}
	return funcs, nil
}

// funcsAtATime is how many functions are cut out together. The memory for that, about a
// kilobyte for each, is freed before the next ones are; but each time the types that they share
// are decoded again.
const funcsAtATime = 8192

// Types yields the names of structs, unions, enums and typedefs, as C writes them.
func (r *BTF) Types(yield func(string) bool) { r.TypesOn(nil)(yield) }

// TypesOn returns Types of split BTF on top of a base.
func (r *BTF) TypesOn(base *BTF) iter.Seq[string] {
	return func(yield func(string) bool) { r.eachType(base, yield) }
}

func (r *BTF) eachType(base *BTF, yield func(string) bool) {
	for id := 1; id < len(r.offsets); id++ {
		b := r.types[r.offsets[id]:]
		keyword, name := "", r.nameOn(base, order.Uint32(b))
		switch kindOf(b) {
		case kindStruct:
			keyword = "struct "
		case kindUnion:
			keyword = "union "
		case kindEnum, kindEnum64:
			keyword = "enum "
		case kindTypedef:
		default:
			continue
		}
		if len(name) > 0 && !yield(keyword+string(name)) {
			return
		}
	}
}

// Prepare cuts out all these functions together, with the structs that their parameters
// point to, in one pass over the types instead of one for each.
func (r *BTF) Prepare(names []string) error {
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		if _, known := r.found[name]; !known {
			wanted[name] = true
		}
	}
	var named, structs []uint32
	for id := 1; id < len(r.offsets); id++ {
		b := r.types[r.offsets[id]:]
		if off := order.Uint32(b); off == 0 || !wanted[string(r.name(off))] {
			continue
		}
		named = append(named, uint32(id))
		if kindOf(b) == kindFunc {
			structs = r.appendPointees(structs, order.Uint32(b[8:]))
		}
	}
	types, err := r.cutOut(append(named, structs...))
	if err != nil {
		return err
	}
	for _, t := range types[:len(named)] {
		r.found[t.TypeName()] = append(r.found[t.TypeName()], t)
	}
	return nil
}

// appendPointees appends the structs that the parameters of a prototype point to.
func (r *BTF) appendPointees(ids []uint32, proto uint32) []uint32 {
	if int(proto) >= len(r.offsets) || proto == 0 {
		return ids
	}
	b := r.types[r.offsets[proto]:]
	for i := 12 + 4; i < int(typeSize(kindOf(b), order.Uint32(b[4:])&0xffff)); i += 8 {
		id, pointer := order.Uint32(b[i:]), false
		for range maxNesting {
			if id == 0 || int(id) >= len(r.offsets) {
				break
			}
			t := r.types[r.offsets[id]:]
			switch kindOf(t) {
			case kindPtr:
				pointer = true
			case kindTypedef, kindVolatile, kindConst, kindRestrict, kindTypeTag:
			case kindStruct, kindUnion:
				if pointer {
					ids = append(ids, id)
				}
				id = 0
				continue
			default:
				id = 0
				continue
			}
			id = order.Uint32(t[8:])
		}
	}
	return ids
}

// name returns the string at off.
func (r *BTF) name(off uint32) []byte {
	if int(off) >= len(r.strings) {
		return nil
	}
	text := r.strings[off:]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return text
}

// Complete returns the struct that t declares, or t itself if it is not known.
func (r *BTF) Complete(t *cbtf.Fwd) cbtf.Type {
	id, ok := r.declared[t]
	if !ok {
		return t
	}
	if whole, ok := r.whole[id]; ok {
		return whole
	}
	types, err := r.cutOut([]uint32{id})
	if err != nil {
		return t
	}
	r.whole[id] = types[0]
	return types[0]
}

// Size returns how much there is that split BTF can refer to.
func (r *BTF) Size() Size { return Size{uint32(len(r.offsets) - 1), uint32(len(r.strings))} }

// IsSplit reports whether the BTF is a module's, which continues that of the kernel: its
// strings do not begin with the empty string.
func (r *BTF) IsSplit() bool { return len(r.strings) == 0 || r.strings[0] != 0 }

// Data returns the whole BTF.
func (r *BTF) Data() []byte { return r.data }

// EachFunc calls visit for the name of each function. In split BTF, offsets of names
// continue after the strings of the base.
func (r *BTF) EachFunc(base *BTF, visit func([]byte)) {
	for id := 1; id < len(r.offsets); id++ {
		if b := r.types[r.offsets[id]:]; kindOf(b) == kindFunc {
			visit(r.nameOn(base, order.Uint32(b)))
		}
	}
}

// nameOn returns the string at off in the strings of a base, if there is one, and those of r.
func (r *BTF) nameOn(base *BTF, off uint32) []byte {
	if base == nil {
		return r.name(off)
	}
	if first := uint32(len(base.strings)); off >= first {
		return r.name(off - first)
	}
	return base.name(off)
}

// cutOut decodes the types with these ids and the types that they refer to.
func (r *BTF) cutOut(roots []uint32) ([]cbtf.Type, error) {
	c := cut{BTF: r, ids: map[uint32]uint32{}, want: map[uint32]want{}}
	for _, id := range roots {
		c.need(id, all)
	}
	for len(c.todo) > 0 {
		id := c.todo[0]
		c.todo = c.todo[1:]
		if !c.expand(id) {
			return nil, ErrUnknown
		}
	}
	spec, err := Decode(c.encode(), nil, Size{}, false)
	if err != nil {
		return nil, err
	}
	for _, id := range c.order {
		if !c.onlyDeclared(id) {
			continue
		}
		t, err := spec.TypeByID(cbtf.TypeID(c.ids[id]))
		if err != nil {
			return nil, err
		}
		if fwd, ok := t.(*cbtf.Fwd); ok {
			r.declared[fwd] = id
		}
	}
	var types []cbtf.Type
	for _, id := range roots {
		t, err := spec.TypeByID(cbtf.TypeID(c.ids[id]))
		if err != nil {
			return nil, err
		}
		types = append(types, t)
	}
	return types, nil
}
