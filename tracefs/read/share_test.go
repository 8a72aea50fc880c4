package read

import (
	"encoding/binary"
	"io"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// TestShare reads records that functions share: each is of the function whose address it has,
// those of other functions are skipped, and each is counted.
func TestShare(t *testing.T) {
	for _, big := range []bool{false, true} {
		w := &pageWriter{Layout: ringbuf.Layout{LongSize: 8, BigEndian: big}}
		var body []byte
		for _, addr := range []uint64{0x1004, 0x2004, 0x3004, 0x1004, 0x1000, 1<<63 | 0x2004} {
			body = w.word(body, 4) // 16 bytes
			body = append(w.order().AppendUint16(body, knownID), 0, 0)
			body = w.order().AppendUint64(w.order().AppendUint32(body, 7), addr)
		}
		body = w.record(body, 0, ' ') // without an address
		page := append(w.long(w.order().AppendUint64(nil, 12), uint64(len(body))), body...)
		whole := &tracefs.Format{Name: "many", ID: knownID, Fields: []tracefs.FormatField{{Name: "__probe_ip", Offset: 8, Size: 8}}}
		if whole.Share("nothing", 0x1004, &tracefs.Format{}) || whole.Shared() {
			t.Fatal("shared without an address")
		}
		for i, addr := range []uint64{0x1004, 0x2004, 1<<63 | 0x2004} {
			if part := (&tracefs.Format{Name: string('a' + rune(i)), ID: -1 - i}); !whole.Share("__probe_ip", addr, part) || part.Whole != whole || part.Shared() {
				t.Fatal("no part")
			}
		}
		got := ""
		for e := range Merge(Options{Layout: w.Layout, Formats: []*tracefs.Format{whole}}, []Source{streamOf(0, [][]byte{page}, io.EOF)}) {
			if binary.ByteOrder(w.order()).Uint32(e.Data[4:]) != 7 {
				t.Errorf("%x", e.Data)
			}
			got += e.Format.Name
		}
		if got != "abac" {
			t.Errorf("big endian %v: %q", big, got)
		}
		tally := new(tracefs.Session).Tally()
		tally.Share(knownID, whole, 2)
		if n := count(w.Layout, page, tally); n != 7 || tally.All() != 7 || tally.Of(knownID) != 7 || tally.Of(-1) != 2 || tally.Of(-2) != 1 || tally.Of(-3) != 0 {
			t.Errorf("%d records, of all %d, of parts %d, %d, %d", n, tally.All(), tally.Of(-1), tally.Of(-2), tally.Of(-3))
		}
	}
}
