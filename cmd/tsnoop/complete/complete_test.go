package complete

import (
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// TestCompleteFlags completes the names of all flags, and says what they are for.
func TestCompleteFlags(t *testing.T) {
	a := Words([]string{"--"})
	rows := flags.Rows()
	if len(a.Words) != len(rows) {
		t.Errorf("%d of %d flags", len(a.Words), len(rows))
	}
	for _, w := range a.Words {
		if w.Is == "" && w.Text != "--version" && w.Text != "--help" {
			t.Errorf("%s: help says nothing about it", w.Text)
		}
	}
}

// TestCompleteValues completes the value of each flag that has one, except numbers.
func TestCompleteValues(t *testing.T) {
	free := strings.Fields("cpu count duration from to interval sync kernel buffer pages maxactive max-rate")
	for _, row := range flags.Rows() {
		if !row.NeedsValue() && row.Words() == nil || slices.Contains(free, row.Name) {
			continue
		}
		for _, words := range [][]string{{"--" + row.Name + "="}, {"--" + row.Name, ""}} {
			if !row.NeedsValue() && len(words) > 1 {
				continue
			}
			if a := Words(words); a.Kind == "words" && len(a.Words) == 0 {
				t.Errorf("%q: nothing", words)
			}
		}
	}
}

// BenchmarkComplete completes a member; a user waits for this at a key, and for the start
// of the program.
func BenchmarkComplete(b *testing.B) {
	for b.Loop() {
		a := Words([]string{"--btf", "../../../testdata/btf/linux-6.12-amd64.btf", "--arch", "amd64", "ip_rcv(skb->dev->name_n"})
		if len(a.Words) != 1 {
			b.Fatal(a)
		}
	}
}
