package render_test

import (
	"errors"
	"os"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// ExampleAppendError shows an error in a spec under the place that it is about.
func ExampleAppendError() {
	_, err := spec.Parse("ip_rcv(skb->len > )")
	var wrong *spec.Error
	if errors.As(err, &wrong) {
		os.Stdout.Write(render.AppendError(nil, wrong, false, 0))
	}
	// Output:
	// tsnoop: an expression is missing: unexpected ")"
	//     ip_rcv(skb->len > )
	//                       ^
}

// A value by itself, as a line of text shows it.
func ExampleField_AppendValue() {
	addr := value.Field{Label: "addr", Format: "ip4", Encoding: value.Array, Size: 4, Count: 2}
	f := render.NewField(&addr, false, &render.Options{})
	os.Stdout.Write(f.AppendValue(nil, value.Value{Kind: value.Bytes, Bytes: []byte{127, 0, 0, 1, 10, 9, 0, 1}}))
	// Output: {127.0.0.1, 10.9.0.1}
}
