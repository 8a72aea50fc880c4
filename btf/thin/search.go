package thin

import (
	"bytes"
	"hash/maphash"
)

// fewSearches is how many searches for names take less time than an index of all.
const fewSearches = 20

// named returns the ids of the types of that name, in order.
func (r *BTF) named(name string) (ids []uint32) {
	at, ok := r.find(name)
	if !ok || name == "" {
		return nil
	}
	if r.index != nil {
		return r.index.typesNamed(r, at)
	}
	for id := 1; id < len(r.offsets); id++ {
		if order.Uint32(r.types[r.offsets[id]:]) == at {
			ids = append(ids, uint32(id))
		}
	}
	return ids
}

// find returns the offset of a string. It looks for the name first and then at what is
// before it, because every string begins with a zero byte and few with the same letter.
func (r *BTF) find(name string) (at uint32, ok bool) {
	if r.searches++; r.searches > fewSearches {
		if r.index == nil {
			r.index = newIndex(r)
		}
		return r.index.find(name)
	}
	needle := []byte(name + "\x00")
	for from := 0; ; from++ {
		i := bytes.Index(r.strings[from:], needle)
		if i < 0 {
			return 0, false
		}
		if from += i; from > 0 && r.strings[from-1] == 0 {
			return uint32(from), true
		}
	}
}

// An index finds strings, and the types that have them as names. A map of as many strings
// would take ten times as long to fill.
type index struct {
	seed  maphash.Seed
	names []byte   // all strings
	slots []uint32 // offsets of strings, by their hashes; 0 is free
	first []uint32 // the first type whose name is at an offset, by the offset's hash
	next  []uint32 // the next type of the same hash, by type; in the order of ids
}

func newIndex(r *BTF) *index {
	x := &index{seed: maphash.MakeSeed(), names: r.strings, next: make([]uint32, len(r.offsets))}
	x.slots = make([]uint32, tableSize(1+3*bytes.Count(x.names, []byte{0})/2))
	for from := 0; from < len(x.names); {
		n := bytes.IndexByte(x.names[from:], 0)
		if n < 0 {
			break
		}
		if slot, found := x.slot(x.names[from : from+n]); !found && from > 0 {
			x.slots[slot] = uint32(from)
		}
		from += n + 1
	}
	x.first = make([]uint32, tableSize(len(r.offsets)))
	for id := len(r.offsets) - 1; id > 0; id-- {
		if at := order.Uint32(r.types[r.offsets[id]:]); at > 0 {
			head := &x.first[x.hash(at)]
			x.next[id], *head = *head, uint32(id)
		}
	}
	return x
}

// tableSize returns a power of 2 that is at least n.
func tableSize(n int) int {
	size := 1
	for size < n {
		size *= 2
	}
	return size
}

// slot returns where a string is in slots, or where it would be.
func (x *index) slot(name []byte) (at int, found bool) {
	mask := len(x.slots) - 1
	at = int(maphash.Bytes(x.seed, name)) & mask
	for {
		off := x.slots[at]
		if off == 0 {
			return at, false
		}
		if rest := x.names[off:]; bytes.HasPrefix(rest, name) && len(rest) > len(name) && rest[len(name)] == 0 {
			return at, true
		}
		at = (at + 1) & mask
	}
}

// find returns the offset of a string.
func (x *index) find(name string) (at uint32, ok bool) {
	slot, ok := x.slot([]byte(name))
	return x.slots[slot], ok
}

// hash spreads offsets over first.
func (x *index) hash(at uint32) uint32 {
	return at * 0x9e3779b1 >> 7 & uint32(len(x.first)-1)
}

// typesNamed returns the ids of the types whose names are at an offset, in order.
func (x *index) typesNamed(r *BTF, at uint32) (ids []uint32) {
	for id := x.first[x.hash(at)]; id != 0; id = x.next[id] {
		if order.Uint32(r.types[r.offsets[id]:]) == at {
			ids = append(ids, id)
		}
	}
	return ids
}
