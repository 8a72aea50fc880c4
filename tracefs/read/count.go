package read

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// count counts the records of a page and adds those of each event to tally.
func count(l ringbuf.Layout, b []byte, tally *tracefs.Tally) (n uint64) {
	var page ringbuf.Page
	if page.Reset(l, b) != nil {
		return 0
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if l.BigEndian {
		order = binary.BigEndian
	}
	last, same := uint16(0), uint64(0)
	var shared *tracefs.Format // of the last, if functions share it
	for page.Next() {
		n++
		id := order.Uint16(page.Data)
		if id != last {
			tally.Add(int(last), same)
			last, same = id, 0
			shared = tally.Parts(int(id))
		}
		if shared != nil {
			if part := shared.Part(page.Data, l.BigEndian); part != nil {
				tally.AddPart(part)
			}
		}
		same++
	}
	tally.Add(int(last), same)
	return n
}
