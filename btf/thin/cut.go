package thin

import (
	"slices"
)

// A want says how much of a type a cut needs.
type want uint8

const (
	pointedTo want = iota + 1 // for a struct, only its name
	all
)

// A cut is a part of a BTF that refers to nothing outside itself.
type cut struct {
	*BTF
	ids   map[uint32]uint32 // new type ids, by the old ones
	order []uint32          // old type ids, in the order of the new ones
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

// expand adds the types that a type refers to.
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

// onlyDeclared reports whether the cut only declares type id. A struct without a name
// cannot be declared.
func (c *cut) onlyDeclared(id uint32) bool {
	b := c.bytes(id)
	kind := kindOf(b)
	return c.want[id] == pointedTo && (kind == kindStruct || kind == kindUnion) && order.Uint32(b) != 0
}

// bytes returns the encoded type id.
func (c *cut) bytes(id uint32) []byte {
	b := c.types[c.offsets[id]:]
	return b[:typeSize(kindOf(b), order.Uint32(b[4:])&0xffff)]
}

func kindOf(b []byte) uint32 { return order.Uint32(b[4:]) >> 24 & 0x1f }

// eachReference calls visit with each place in the encoded type b that holds the id of
// another type.
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

// eachName calls visit with each place in the encoded type b that holds the offset of a
// name.
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

// encode returns the cut as BTF of its own.
func (c *cut) encode() []byte {
	size := 0
	for _, id := range c.order {
		size += len(c.bytes(id))
	}
	types, names := make([]byte, 0, size), newStringTable(c.BTF, size)
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
	from *BTF
	at   map[uint32]uint32 // offset in to, by offset in from; nil: the same
	to   []byte
}

// newStringTable returns the strings for a cut whose types have size bytes. One of most of
// the types keeps all strings: to look up each would take more room than what is left out.
func newStringTable(from *BTF, size int) stringTable {
	if size > len(from.types)/2 {
		return stringTable{from: from, to: from.strings}
	}
	return stringTable{from: from, at: map[uint32]uint32{0: 0}, to: []byte{0}}
}

// move copies the string at off unless it is there, and returns its new offset.
func (s *stringTable) move(off uint32) uint32 {
	if s.at == nil {
		return off
	}
	if at, ok := s.at[off]; ok {
		return at
	}
	at := uint32(len(s.to))
	s.at[off] = at
	s.to = append(append(s.to, s.from.name(off)...), 0)
	return at
}
