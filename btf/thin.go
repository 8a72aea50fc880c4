package btf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	cbtf "github.com/cilium/ebpf/btf"
)

// A raw is undecoded BTF. Decoding that of a whole kernel means to index some
// hundred thousand types, most of a short command's time; a question about one
// function or type needs only what it refers to, which thin cuts out.
//
// See Documentation/bpf/btf.rst, "BTF Type and String Encoding".
type raw struct {
	data    []byte
	header  []byte
	types   []byte
	strings []byte
	offsets []uint32 // of each type in types; the first is that of void, which has none

	specs    map[string]*cbtf.Spec // cut out so far, by name
	declared map[*Fwd]uint32       // the numbers of the structs that cuts only declare
	whole    map[uint32]Type       // those that complete had to find
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

// typeSize is the length of a type with vlen parts, in bytes; 0 for a kind that
// is not known.
func typeSize(kind, vlen uint32) uint32 {
	switch kind {
	case kindInt, kindVar, kindDeclTag:
		return 12 + 4
	case kindArray:
		return 12 + 12
	case kindStruct, kindUnion, kindDatasec, kindEnum64:
		return 12 + 12*vlen
	case kindEnum, kindFuncProto:
		return 12 + 8*vlen
	case kindPtr, kindFwd, kindTypedef, kindVolatile, kindConst, kindRestrict, kindFunc, kindFloat, kindTypeTag:
		return 12
	}
	return 0
}

var order = binary.LittleEndian

var errNotThin = errors.New("BTF that cannot be cut")

// parseRaw finds the types in data. It fails for BTF that it does not know,
// which may still be decoded as a whole.
func parseRaw(data []byte) (*raw, error) {
	if len(data) < 24 || order.Uint16(data) != 0xeb9f || data[2] != 1 {
		return nil, errNotThin
	}
	n := uint64(order.Uint32(data[4:]))
	typeOff, typeLen := n+uint64(order.Uint32(data[8:])), uint64(order.Uint32(data[12:]))
	strOff, strLen := n+uint64(order.Uint32(data[16:])), uint64(order.Uint32(data[20:]))
	if n < 24 || typeOff+typeLen > uint64(len(data)) || strOff+strLen > uint64(len(data)) {
		return nil, errNotThin
	}
	r := &raw{
		data: data, header: data[:24], types: data[typeOff : typeOff+typeLen], strings: data[strOff : strOff+strLen],
		offsets: make([]uint32, 1, typeLen/24), specs: map[string]*cbtf.Spec{}, declared: map[*Fwd]uint32{}, whole: map[uint32]Type{},
	}
	for off := uint32(0); off < uint32(len(r.types)); {
		if len(r.types)-int(off) < 12 {
			return nil, errNotThin
		}
		b := r.types[off:]
		size := typeSize(kindOf(b), order.Uint32(b[4:])&0xffff)
		if size == 0 || uint64(off)+uint64(size) > uint64(len(r.types)) {
			return nil, errNotThin
		}
		r.offsets = append(r.offsets, off)
		off += size
	}
	return r, nil
}

// named are the types of that name, in their order.
func (r *raw) named(name string) []uint32 {
	at := bytes.Index(r.strings, []byte("\x00"+name+"\x00"))
	if at < 0 || name == "" {
		return nil
	}
	var ids []uint32
	for id := 1; id < len(r.offsets); id++ {
		if order.Uint32(r.types[r.offsets[id]:]) == uint32(at+1) {
			ids = append(ids, uint32(id))
		}
	}
	return ids
}

// thin is BTF of the types of that name and what they are made of; nil if
// there are none. A struct that is only pointed to is but declared in it:
// most structs of a kernel can be reached from any other. complete has it whole.
func (r *raw) thin(name string) (*cbtf.Spec, error) {
	if spec, ok := r.specs[name]; ok {
		return spec, nil
	}
	roots := r.named(name)
	if roots == nil {
		return nil, nil
	}
	spec, err := r.cutOut(roots)
	if err == nil {
		r.specs[name] = spec
	}
	return spec, err
}

// complete is the struct that t declares, t itself if that is not known.
func (r *raw) complete(t *Fwd) Type {
	id, ok := r.declared[t]
	if !ok {
		return t
	}
	if whole, ok := r.whole[id]; ok {
		return whole
	}
	spec, err := r.cutOut([]uint32{id})
	if err != nil {
		return t
	}
	whole, err := spec.TypeByID(1) // the root is the first
	if err != nil {
		return t
	}
	r.whole[id] = whole
	return whole
}

// cutOut decodes the types with these numbers and what they are made of.
func (r *raw) cutOut(roots []uint32) (*cbtf.Spec, error) {
	c := cut{raw: r, ids: map[uint32]uint32{}, want: map[uint32]want{}}
	for _, id := range roots {
		c.need(id, all)
	}
	for len(c.todo) > 0 {
		id := c.todo[0]
		c.todo = c.todo[1:]
		if !c.expand(id) {
			return nil, errNotThin
		}
	}
	spec, err := cbtf.LoadSplitSpecFromReader(bytes.NewReader(c.encode()), nil)
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
		if fwd, ok := t.(*Fwd); ok {
			r.declared[fwd] = id
		}
	}
	return spec, nil
}

// want says how much of a type a cut needs.
type want uint8

const (
	pointedTo want = iota + 1 // of a struct, no more than its name
	all
)

// A cut is a part of some BTF that refers to nothing outside itself.
type cut struct {
	*raw
	ids   map[uint32]uint32 // new numbers, by those in raw
	order []uint32          // numbers in raw, by new number less one
	want  map[uint32]want
	todo  []uint32
}

func (c *cut) need(id uint32, w want) {
	if id == 0 || int(id) >= len(c.offsets) || c.want[id] >= w {
		return
	}
	if c.want[id] == 0 {
		c.order = append(c.order, id)
		c.ids[id] = uint32(len(c.order))
	}
	c.want[id] = w
	c.todo = append(c.todo, id)
}

// expand adds what a type refers to.
func (c *cut) expand(id uint32) bool {
	if c.onlyDeclared(id) {
		return true
	}
	b := c.bytes(id)
	w := all
	switch kindOf(b) {
	case kindPtr:
		w = pointedTo
	case kindTypedef, kindVolatile, kindConst, kindRestrict, kindTypeTag:
		w = c.want[id]
	}
	return eachReference(b, func(ref []byte) { c.need(order.Uint32(ref), w) })
}

// onlyDeclared tells whether type id becomes a declaration. Structs without a
// name have nothing to be declared by.
func (c *cut) onlyDeclared(id uint32) bool {
	b := c.bytes(id)
	kind := kindOf(b)
	return c.want[id] == pointedTo && (kind == kindStruct || kind == kindUnion) && order.Uint32(b) != 0
}

// bytes is type id as it is encoded.
func (c *cut) bytes(id uint32) []byte {
	b := c.types[c.offsets[id]:]
	return b[:typeSize(kindOf(b), order.Uint32(b[4:])&0xffff)]
}

func kindOf(b []byte) uint32 { return order.Uint32(b[4:]) >> 24 & 0x1f }

// eachReference calls visit with each place in type b where the number of
// another type is.
func eachReference(b []byte, visit func([]byte)) bool {
	first, step := 0, 0
	switch kindOf(b) {
	case kindPtr, kindTypedef, kindVolatile, kindConst, kindRestrict, kindFunc, kindTypeTag, kindVar:
		visit(b[8:])
	case kindArray:
		visit(b[12:])
		visit(b[16:])
	case kindStruct, kindUnion:
		first, step = 12+4, 12
	case kindFuncProto:
		visit(b[8:])
		first, step = 12+4, 8
	case kindInt, kindEnum, kindFwd, kindFloat, kindEnum64:
	default:
		return false
	}
	for i := first; step > 0 && i < len(b); i += step {
		visit(b[i:])
	}
	return true
}

// eachName calls visit with each place in type b where the offset of a name is.
func eachName(b []byte, visit func([]byte)) {
	visit(b)
	step := 0
	switch kindOf(b) {
	case kindStruct, kindUnion, kindEnum64:
		step = 12
	case kindEnum, kindFuncProto:
		step = 8
	}
	for i := 12; step > 0 && i < len(b); i += step {
		visit(b[i:])
	}
}

// encode writes the cut as BTF of its own.
func (c *cut) encode() []byte {
	var types []byte
	names := stringTable{from: c.strings, at: map[uint32]uint32{0: 0}, to: []byte{0}}
	for _, id := range c.order {
		b := c.bytes(id)
		start := len(types)
		if c.onlyDeclared(id) {
			info := uint32(kindFwd) << 24
			if kindOf(b) == kindUnion {
				info |= 1 << 31 // kind_flag
			}
			types = append(types, b[:4]...)
			types = order.AppendUint32(types, info)
			types = order.AppendUint32(types, 0)
		} else {
			types = append(types, b...)
		}
		b = types[start:]
		eachReference(b, func(ref []byte) { order.PutUint32(ref, c.ids[order.Uint32(ref)]) })
		eachName(b, func(name []byte) { order.PutUint32(name, names.move(order.Uint32(name))) })
	}
	out := slices.Concat(c.header, types, names.to)
	order.PutUint32(out[4:], uint32(len(c.header)))
	order.PutUint32(out[8:], 0)
	order.PutUint32(out[12:], uint32(len(types)))
	order.PutUint32(out[16:], uint32(len(types)))
	order.PutUint32(out[20:], uint32(len(names.to)))
	return out
}

// A stringTable collects the strings that a cut needs.
type stringTable struct {
	from []byte
	at   map[uint32]uint32 // where in to, by where in from
	to   []byte
}

// move copies the string at off, once, and returns where it is now.
func (s *stringTable) move(off uint32) uint32 {
	if at, ok := s.at[off]; ok {
		return at
	}
	if int(off) >= len(s.from) {
		return 0
	}
	text := s.from[off:]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	at := uint32(len(s.to))
	s.at[off] = at
	s.to = append(append(s.to, text...), 0)
	return at
}
