package thin

import (
	"iter"

	cbtf "github.com/cilium/ebpf/btf"
)

// EnumsWith returns the enums that have a constant of that name, in order.
func (r *BTF) EnumsWith(constant string) (enums []*cbtf.Enum, err error) {
	at, ok := r.find(constant)
	if !ok || constant == "" {
		return nil, nil
	}
	ids := r.enumsWith(at)
	if ids == nil {
		return nil, nil
	}
	types, err := r.cutOut(ids)
	if err != nil {
		return nil, err
	}
	for _, t := range types {
		if e, ok := t.(*cbtf.Enum); ok {
			enums = append(enums, e)
		}
	}
	return enums, nil
}

// enumsWith returns the ids of the enums that have a constant whose name is at a place.
func (r *BTF) enumsWith(at uint32) (ids []uint32) {
	if r.index == nil { // few were searched for
		for _, id := range r.enumIDs() {
			for name := range r.constants(id) {
				if name == at {
					ids = append(ids, id)
					break
				}
			}
		}
		return ids
	}
	if r.constant == nil {
		r.constant = map[uint32][]uint32{}
		for _, id := range r.enumIDs() {
			for name := range r.constants(id) {
				r.constant[name] = append(r.constant[name], id)
			}
		}
	}
	return r.constant[at]
}

// Constants yields the names of all enums' constants.
func (r *BTF) Constants(yield func(string) bool) {
	for _, id := range r.enumIDs() {
		for at := range r.constants(id) {
			if !yield(string(r.name(at))) {
				return
			}
		}
	}
}

// enumIDs returns the ids of all enums, in order. They are one of a hundred types.
func (r *BTF) enumIDs() []uint32 {
	if r.enums == nil {
		r.enums = []uint32{} // there may be none
		for id := 1; id < len(r.offsets); id++ {
			if kind := kindOf(r.types[r.offsets[id]:]); kind == kindEnum || kind == kindEnum64 {
				r.enums = append(r.enums, uint32(id))
			}
		}
	}
	return r.enums
}

// constants yields the places of the names of an enum's constants.
func (r *BTF) constants(id uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		b := r.types[r.offsets[id]:]
		kind, vlen := kindOf(b), order.Uint32(b[4:])&0xffff
		size := &typeSizes[kind]
		for i := size.fixed; i < size.fixed+size.part*vlen; i += size.part {
			if !yield(order.Uint32(b[i:])) {
				return
			}
		}
	}
}
