package spec_test

import (
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

func Example() {
	s, err := spec.Parse("ip_rcv(skb -> len, name = dev->name) if skb->len>0x64")
	if err != nil {
		panic(err)
	}
	fmt.Println(s)
	fmt.Println(s.Func.Text, len(s.Items), s.Items[1].Name.Text, s.Items[1].Expr)
	compare := s.If.(*spec.Compare)
	fmt.Println(compare.X, compare.Op, compare.Value.Int)

	_, err = spec.Parse("ip_rcv(skb->len) if 100 < skb->len")
	var wrong spec.Errors
	if errors.As(err, &wrong) {
		fmt.Println(wrong[0].Msg, wrong[0].Span, wrong[0].Hint)
	}
	// Output:
	// ip_rcv(skb->len, name=dev->name) if skb->len > 0x64
	// ip_rcv 2 name dev->name
	// skb->len > 100
	// the value must be on the right {20 23} write skb->len > 100
}
