package replay

import (
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// TestTextDump reads objects in several events out of text. An event that is missing is
// missing in the object, and an invalid pointer is reported.
func TestTextDump(t *testing.T) {
	features, _ := dynevent.FeaturesOf("6.12")
	plans, err := host.New(nil).Plan([]string{"pkt_rcv(*pkt, pkt->len)"}, host.PlanOptions{
		Kernel: btf.Open(filepath.Join("..", "..", "testdata", "btf", "sample.btf")), Arch: abi.Named("amd64"), Features: &features, Lines: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	const there = 0xffff888000001230
	var lines strings.Builder
	event := func(n int, pkt uint64, p *plan.Probe) {
		fmt.Fprintf(&lines, " cat-7 [001] ..... 1.%06d: %s: (pkt_rcv+0x0/0x10)", n, p.Event)
		for _, a := range p.Args {
			switch off := uint64(0); {
			case a.Count > 0:
				fmt.Sscanf(a.Name, "pkt_%d", &off)
				words := make([]string, a.Count)
				for i := range words {
					words[i] = fmt.Sprintf("%#x", off+uint64(8*i))
				}
				fmt.Fprintf(&lines, " %s={%s}", a.Name, strings.Join(words, ","))
			case a.Name == "pkt_len":
				fmt.Fprint(&lines, " pkt_len=100")
			default:
				fmt.Fprintf(&lines, " %s=%#x", a.Name, pkt)
			}
		}
		fmt.Fprintln(&lines)
	}
	parts := plans[0].Probes
	for n, seen := range [][]int{{1, 0}, {0}, {1, 0}} {
		pkt := uint64(there)
		if n == 2 {
			pkt = 0
		}
		for _, part := range seen {
			event(10*n+part, pkt, parts[part])
		}
	}
	text, err := OpenText(strings.NewReader(lines.String()), plans, Options{Name: "pasted"})
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	var got []string
	for c, err := range text.Calls(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range text.Values(c) {
			got = append(got, toldOf(t, v))
			break
		}
	}
	size, _ := btf.Size(parts[0].Fields[0].Type)
	first := parts[0].Fields[0].Count
	want := []string{fmt.Sprintf("%d []", size), fmt.Sprintf("%d [{%d %d}]", size, first, size), "pkt=0x0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(parts) != 2 || text.Damage() != nil {
		t.Errorf("%d parts, %v", len(parts), text.Damage())
	}
}

// toldOf says what is known of an object whose words are their own places.
func toldOf(t *testing.T, v value.Value) string {
	t.Helper()
	if v.Kind != value.Dump {
		return fmt.Sprintf("%s=%#x", v.Pointer.Label, v.Uint)
	}
	o := v.Object
	for at := 0; at+8 <= len(o.Bytes); at += 8 {
		absent := slices.ContainsFunc(o.Absent, func(r value.Range) bool { return at >= r.Start && at < r.End })
		if word := binary.LittleEndian.Uint64(o.Bytes[at:]); !absent && word != uint64(at) {
			t.Errorf("at %d is %d", at, word)
		}
	}
	return fmt.Sprintf("%d %v", o.Whole, o.Absent)
}
