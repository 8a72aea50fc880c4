package value

import "bytes"

// A Visitor receives the parts of a value, from first to last.
type Visitor interface {
	Number(t *Type, x uint64)                                     // widened to 64 bits as t says
	Text(b []byte, cut bool)                                      // a string, without the NUL and what follows; cut says that it goes on
	Block(t *Type, b []byte)                                      // bytes that mean one thing, such as an IPv6 address
	Fault(through *PointerCheck, addr uint64, reason FaultReason) // a value that could not be read, see the Kind Fault
	Nothing()                                                     // a value that was not fetched
	EmptyList()                                                   // a struct list_head that points to itself

	BeginArray(t *Type)
	Element(n, i, last int) // the n-th element shown, with index i, follows; the elements up to index last are equal
	EndArray(rest Rest)

	BeginStruct()
	Member(n int, m *Member) // the n-th member shown follows
	EndStruct()
}

// A Rest says what follows the elements of an array that are shown.
type Rest uint8

const (
	NoRest     Rest = iota
	RestZero        // all of them are 0
	RestAbsent      // none could be read
	RestCut         // they were not fetched
)

// A View says which parts of an object are shown.
type View struct {
	Zeros bool // also members that are zero
	Full  bool // every element of an array
}

// Walk calls v for val and its parts, and for as much of an object as the view says. It
// does not allocate.
func (view View) Walk(t *Type, val *Value, v Visitor) {
	switch val.Kind {
	case Uint, Int:
		t = t.Of(val)
		v.Number(t, t.Means(val.Uint))
	case Text, Bytes:
		if t.IsText(val.Kind) {
			v.Text(t.Text(val.Bytes), val.Reason == CutOff)
			return
		}
		view.walkBytes(t, val.Bytes, v)
	case List:
		v.BeginArray(t)
		for i := range *val.Parts {
			v.Element(i, i, i)
			view.Walk(t, &(*val.Parts)[i], v)
		}
		if val.Reason == CutOff {
			v.EndArray(RestCut)
		} else {
			v.EndArray(NoRest)
		}
	case Struct:
		v.BeginStruct()
		for i := range min(len(*val.Parts), len(t.Members)) {
			v.Member(i, &t.Members[i])
			view.Walk(&t.Members[i].Type, &(*val.Parts)[i], v)
		}
		v.EndStruct()
	case Dump:
		view.walkObject(t, val.Object, v)
	case Fault:
		v.Fault(val.Pointer, val.Uint, val.Reason)
	default:
		v.Nothing()
	}
}

// walkBytes visits bytes of memory: a block, a struct or an array.
func (view View) walkBytes(t *Type, b []byte, v Visitor) {
	block := blocks[t.Form]
	switch {
	case t.Members != nil:
		o := Object{Bytes: b}
		w := objectWalk{View: view, Visitor: v, object: &o, left: maxVisits}
		if t.Size <= 0 || t.Dims == nil && len(b) < 2*t.Size {
			w.structure(t, 0, len(b))
			return
		}
		w.array(t, []int{len(b) / t.Size}, 0)
		return
	case block == everything || block > 0 && len(b) == block:
		v.Block(t, b)
		return
	}
	v.BeginArray(t)
	for i := 0; t.Size > 0 && len(b) >= t.Size; i++ {
		v.Element(i, i, i)
		if block > 0 && len(b) >= block {
			v.Block(t, b[:block])
			b = b[block:]
			continue
		}
		v.Number(t, t.Means(Load(b[:t.Size], t.Big)))
		b = b[t.Size:]
	}
	v.EndArray(NoRest)
}

// UntilNUL returns the C string at the start of b: the bytes before the first NUL.
func UntilNUL(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
