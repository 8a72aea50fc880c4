package value_test

import (
	"encoding/binary"
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A record of skb->len, which is to be believed only if skb points somewhere: the
// kernel has fetched both.
func ExampleDecoder() {
	fields := []value.Field{
		{Label: "skb->len", Arg: 0, Size: 4, PointerChecks: []value.PointerCheck{{Label: "skb", Arg: 1}}},
	}
	slots := []value.Slot{{Offset: 0, Size: 4}, {Offset: 4, Size: 8}}
	d := value.NewDecoder(fields, abi.Named("amd64"), slots, binary.LittleEndian, nil)

	for _, skb := range []uint64{0xffff_8881_0000_1000, 0} {
		record := binary.LittleEndian.AppendUint32(nil, 84)
		record = binary.LittleEndian.AppendUint64(record, skb)
		switch v := d.Value(0, record); v.Kind {
		case value.Uint:
			fmt.Println(fields[0].Label, v.Uint)
		case value.Fault:
			fmt.Printf("%s=%#x leads nowhere\n", v.Pointer.Label, v.Uint)
		}
	}
	// Output:
	// skb->len 84
	// skb=0x0 leads nowhere
}
