package value

import "bytes"

// A Visitor is told of the parts of a value, from the first to the last.
type Visitor interface {
	Number(t *Type, x uint64)                   // widened to 64 bits as t says
	Text(b []byte)                              // a string, without the NUL and what follows
	Block(t *Type, b []byte)                    // bytes that mean one thing, such as an address
	Fault(through *Guard, addr uint64, why Why) // what could not be read, as a Value of that Kind says
	Nothing()                                   // what was not fetched

	BeginArray(t *Type)
	Element(i int) // the i-th of an array follows
	EndArray()

	BeginStruct()
	Member(i int, name string) // the i-th that is shown of a struct follows
	EndStruct()
}

// Walk tells v of val and its parts. It allocates nothing.
func Walk(t *Type, val *Value, v Visitor) {
	switch val.Kind {
	case Uint, Int:
		v.Number(t, t.Means(val.Uint))
	case Text, Bytes:
		if t.IsText(val.Kind) {
			v.Text(UntilNUL(val.Bytes))
			return
		}
		t.walkBytes(val.Bytes, v)
	case List:
		v.BeginArray(t)
		for i := range *val.Parts {
			v.Element(i)
			Walk(t, &(*val.Parts)[i], v)
		}
		v.EndArray()
	case Struct:
		v.BeginStruct()
		for i := range min(len(*val.Parts), len(t.Members)) {
			v.Member(i, t.Members[i].Name)
			Walk(&t.Members[i].Type, &(*val.Parts)[i], v)
		}
		v.EndStruct()
	case Dump:
		t.walkBytes(val.Object.Bytes, v)
	case Fault:
		v.Fault(val.Guard, val.Uint, val.Why)
	default:
		v.Nothing()
	}
}

// walkBytes tells of what lies in memory: a block, a struct or an array.
func (t *Type) walkBytes(b []byte, v Visitor) {
	block := blocks[t.Form]
	switch {
	case t.Members != nil && len(b) < 2*t.Size:
		t.walkStruct(b, v)
		return
	case t.Members == nil && (block == everything || block > 0 && len(b) == block):
		v.Block(t, b)
		return
	}
	v.BeginArray(t)
	for i := 0; t.Size > 0 && len(b) >= t.Size; i++ {
		v.Element(i)
		switch {
		case block > 0 && len(b) >= block:
			v.Block(t, b[:block])
			b = b[block:]
			continue
		case t.Members != nil:
			t.walkStruct(b[:t.Size], v)
		default:
			v.Number(t, t.Means(Load(b[:t.Size], t.Big)))
		}
		b = b[t.Size:]
	}
	v.EndArray()
}

// walkStruct tells of a struct's members, of as many as are in b.
func (t *Type) walkStruct(b []byte, v Visitor) {
	v.BeginStruct()
	n := 0
	for i := range t.Members {
		m := &t.Members[i]
		end := m.Offset + m.Type.Size*max(m.Count, 1)
		if m.Offset < 0 || end < m.Offset || end > len(b) {
			continue
		}
		v.Member(n, m.Name)
		n++
		m.walk(b[m.Offset:end], v)
	}
	v.EndStruct()
}

func (m *Member) walk(b []byte, v Visitor) {
	t := &m.Type
	switch {
	case m.Count > 0 && t.Chars:
		v.Text(UntilNUL(b))
	case m.Count > 0 || t.Members != nil || t.Size > 8:
		t.walkBytes(b, v)
	default:
		v.Number(t, t.Means(m.narrow(Load(b, t.Big))))
	}
}

// narrow takes a bit field out of its container.
func (m *Member) narrow(x uint64) uint64 {
	if m.Type.bits == 0 {
		return x
	}
	return widen(x>>uint(m.Shift), m.Type.bits, m.Type.Signed)
}

// UntilNUL is what C takes for a string of b.
func UntilNUL(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
