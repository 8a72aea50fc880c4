package value

import (
	"slices"
	"testing"
)

// A field refers to each of its fetchargs once, and follows all of them to other places.
func TestEachArg(t *testing.T) {
	f := Field{
		Encoding: Integer, Arg: 0, By: 1 + 1,
		Use:   &Use{Arg: 2},
		Bound: &Bound{Length: 3, Result: 4},
		Path:  &Path{Names: []int{5}, Dentries: []int{6}, Top: 1 + 7, Up: 1 + 8, Mnt: 1 + 9, Hash: 1 + 10, Magic: 1 + 11, Inode: 1 + 12, Mount: &Path{Names: []int{13}}},
		PointerChecks: []PointerCheck{
			{Arg: 14, ReadCheck: &ReadCheck{Args: []int{15, 16}, Trial: 17, Read: 1 + 18, Last: 1 + 19}, Head: &ReadCheck{Kind: Counted, Args: []int{20}, Trial: -5}},
		},
		Dump: &Extent{Args: 1, Windows: []Window{{ReadCheck: &ReadCheck{Args: []int{21}, Trial: 22}}}},
	}
	for _, from := range []int{0, 100} {
		var seen []int
		f.EachArg(func(arg *int) {
			seen = append(seen, *arg)
			*arg += 100
		})
		slices.Sort(seen)
		for i := range 23 {
			if i >= len(seen) || seen[i] != from+i {
				t.Fatalf("args %d, want %d to %d", seen, from, from+22)
			}
		}
		if len(seen) != 23 {
			t.Errorf("%d args", len(seen))
		}
	}
	first := 0
	(&Field{Encoding: Nothing, Bound: &Bound{Length: 0, Result: 0}}).EachArg(func(arg *int) { first++ })
	if first != 2 {
		t.Errorf("the length and the result in the first arg are visited %d times", first)
	}
	for _, none := range []Field{{Encoding: Nothing, Arg: 3, Bound: &Bound{Length: -1, Result: -1}}, {Encoding: Dumped, Arg: 3, Dump: &Extent{}}} {
		none.EachArg(func(arg *int) { t.Errorf("%v refers to %d", none.Encoding, *arg) })
	}
}
