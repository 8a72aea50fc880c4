package sum

import (
	"cmp"
	"sort"
)

// MostKeys is how many keys of a plan are counted separately.
const MostKeys = 1000

// Keys aggregates calls by key. When there are more than MostKeys keys, the half with
// the fewest calls is merged into Others.
type Keys struct {
	// Others sums up the calls of keys that are not kept. If such a key comes again,
	// its later calls may be counted separately.
	Others *Sum // nil if all keys are kept

	sums map[string]*Sum
}

// sum returns the Sum of a key.
func (k *Keys) sum(key []byte) *Sum {
	if s := k.sums[string(key)]; s != nil {
		return s
	}
	if len(k.sums) >= MostKeys {
		k.shrink()
	}
	if k.sums == nil {
		k.sums = map[string]*Sum{}
	}
	s := &Sum{}
	k.sums[string(key)] = s
	return s
}

// shrink merges half of the keys into Others.
func (k *Keys) shrink() {
	if k.Others == nil {
		k.Others = &Sum{}
	}
	for _, key := range k.All()[MostKeys/2:] {
		k.Others.Merge(k.sums[key.Key])
		delete(k.sums, key.Key)
	}
}

// Merge adds the calls that o has counted.
func (k *Keys) Merge(o *Keys) {
	if o.Others != nil {
		if k.Others == nil {
			k.Others = &Sum{}
		}
		k.Others.Merge(o.Others)
	}
	for _, key := range o.All() {
		k.sum([]byte(key.Key)).Merge(key.Sum)
	}
}

// A KeySum is the Sum of the calls with one key.
type KeySum struct {
	Key string
	*Sum
}

// All returns the keys that are kept, the one with the most calls first.
func (k *Keys) All() []KeySum {
	all := make([]KeySum, 0, len(k.sums))
	for key, s := range k.sums {
		all = append(all, KeySum{key, s})
	}
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(cmp.Compare(all[j].Calls, all[i].Calls), cmp.Compare(all[i].Key, all[j].Key)) < 0
	})
	return all
}
