package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/replay"
)

// TestSampleRecording shows a recording that an earlier build has made. It is made again,
// with -update, only if the version of saved plans changes.
func TestSampleRecording(t *testing.T) {
	const file = "../../testdata/recordings/sample.dat"
	if *update {
		b, err := sample(t,
			"ip_rcv(skb->dev->name, skb->len, dev->perm_addr:mac, return) if dev->mtu != 1",
			"ip_rcv(skb->pkt_type, return)").write()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.Open(bytes.NewReader(b), int64(len(b)), replay.Options{})
	if err != nil || len(r.Plans) != 2 {
		t.Errorf("%v", err)
	}
}
