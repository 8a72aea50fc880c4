package calls

import (
	"cmp"
	"slices"
)

// MostKeys is how many keys of a plan are kept apart.
const MostKeys = 1000

// Keys are what calls come to by a key that each has. When there are more than
// MostKeys, the half with the fewest calls goes to the others.
type Keys struct {
	// Others are the calls of the keys that are not kept. One of them that has come
	// again may be among those that are, with the calls since.
	Others *Summary // nil if all are kept

	sums map[string]*Summary
}

// sum is that of a key.
func (k *Keys) sum(key []byte) *Summary {
	if s := k.sums[string(key)]; s != nil {
		return s
	}
	if len(k.sums) >= MostKeys {
		k.shrink()
	}
	if k.sums == nil {
		k.sums = map[string]*Summary{}
	}
	s := &Summary{}
	k.sums[string(key)] = s
	return s
}

// shrink gives half of the keys away.
func (k *Keys) shrink() {
	if k.Others == nil {
		k.Others = &Summary{}
	}
	for _, key := range k.All()[MostKeys/2:] {
		k.Others.Merge(k.sums[key.Key])
		delete(k.sums, key.Key)
	}
}

// Merge counts the calls that o has counted too.
func (k *Keys) Merge(o *Keys) {
	if o.Others != nil {
		if k.Others == nil {
			k.Others = &Summary{}
		}
		k.Others.Merge(o.Others)
	}
	for _, key := range o.All() {
		k.sum([]byte(key.Key)).Merge(key.Summary)
	}
}

// A KeySum is what the calls with a key come to.
type KeySum struct {
	Key string
	*Summary
}

// All are the keys that are kept, that of the most calls first.
func (k *Keys) All() []KeySum {
	all := make([]KeySum, 0, len(k.sums))
	for key, s := range k.sums {
		all = append(all, KeySum{key, s})
	}
	slices.SortFunc(all, func(a, b KeySum) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Key, b.Key))
	})
	return all
}
