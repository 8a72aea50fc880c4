package btf_test

import (
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/btf"
)

// A function's prototype, where a member lies of what its first parameter points
// at, and the layout of a type.
func Example() {
	k := btf.Open("../testdata/btf/sample.btf")
	f, err := k.Func("", "pkt_rcv")
	if err != nil {
		panic(err)
	}
	fmt.Println(f)
	pkt := btf.Strip(f.Params[0].Type).(*btf.Pointer).Target
	place, err := btf.Member(pkt, "len")
	if err != nil {
		panic(err)
	}
	fmt.Println(btf.Declare(place.Type, "len"), "at byte", place.Offset)
	if err := k.Describe(os.Stdout, "struct small", false); err != nil {
		panic(err)
	}
	// Output:
	// int pkt_rcv(struct pkt *pkt, struct dev *dev, u16 proto, bool fast)
	// u32 len at byte 24
	// struct small {
	// 	u32 a;                                             /* 0, size: 4 */
	// 	u16 b;                                             /* 4, size: 2 */
	// 	u16 c;                                             /* 6, size: 2 */
	// };  /* size: 8, members: 3 */
}
