package thin

import (
	"bytes"
	"fmt"
)

// A Size is how much BTF has that split BTF on top of it refers to.
type Size struct {
	Types   uint32
	Strings uint32 // bytes
}

// Measure returns the size of BTF, 0 if it is damaged.
func Measure(data []byte) Size {
	r, err := Parse(data)
	if err != nil {
		return Size{}
	}
	return r.Size()
}

// checkNames returns an error if the names of all types and their parts are much longer than
// the BTF. The decoder makes a copy of each, though many types may have the same one: 180 KB
// could take 700 MB. The names of a kernel are half as long as its BTF.
func (r *BTF) checkNames(base uint32) error {
	most := 64<<10 + 2*len(r.data)
	left := most
	for id := 1; id < len(r.offsets); id++ {
		b := r.types[r.offsets[id]:]
		left -= r.nameLen(order.Uint32(b), base)
		// One type alone may have 65,535 parts: it is left as soon as there are too many.
		if size := typeSizes[kindOf(b)]; size.part > 0 && kindOf(b) != kindDatasec {
			for i := uint32(0); i < order.Uint32(b[4:])&0xffff && left >= 0; i++ {
				left -= r.nameLen(order.Uint32(b[size.fixed+size.part*i:]), base)
			}
		}
		if left < 0 {
			return fmt.Errorf("damaged: the names of types up to type %d have more than %d bytes", id, most)
		}
	}
	return nil
}

// nameLen returns the length of a name, 0 if it is in the BTF below split BTF.
func (r *BTF) nameLen(at, base uint32) int {
	if at -= base; at >= uint32(len(r.strings)) {
		return 0
	}
	return max(bytes.IndexByte(r.strings[at:], 0), 0)
}
