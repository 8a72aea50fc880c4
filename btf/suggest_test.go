package btf_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
)

func TestSuggest(t *testing.T) {
	candidates := strings.Fields("ip_rcv ip_rcv_core ip_list_rcv __ip_rcv tcp_sendmsg tcp_sendmsg_locked tcp_recvmsg vfs_read vfs_write kfree kfree_skb x ab len")
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"ip_rvc", []string{"ip_rcv"}},                           // swapped letters
		{"ip_rc", []string{"ip_rcv", "__ip_rcv", "ip_rcv_core"}}, // a letter is missing
		{"ip_rcvv", []string{"ip_rcv"}},                          // one too many
		{"tcp_sendmgs", []string{"tcp_sendmsg"}},
		{"IP_RCV", []string{"ip_rcv", "__ip_rcv", "ip_rcv_core"}},  // letter case
		{"sendmsg", []string{"tcp_sendmsg", "tcp_sendmsg_locked"}}, // the prefix is missing
		{"kfree_sbk", []string{"kfree_skb", "kfree"}},
		{"ln", []string{"len"}},
		{"nothing_like_it", nil},
		{"", nil},
	} {
		got := btf.Suggest(tt.name, slices.Values(candidates))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Near(%q), -want +got:\n%s", tt.name, diff)
		}
	}
	if got := btf.Suggest("ip_rcv", slices.Values([]string{"ip_rcv"})); got != nil {
		t.Errorf("Near(ip_rcv) among itself = %q, want none", got)
	}
	if got := btf.Suggest("x", func(func(string) bool) {}); got != nil {
		t.Errorf("Near(x) among nothing = %q, want none", got)
	}
}

// TestSuggestDeterministic: the order of the candidates does not matter, and one
// that comes twice counts once.
func TestSuggestDeterministic(t *testing.T) {
	set := map[string]bool{}
	for i := range 60 {
		set["tcp_v"+strconv.Itoa(i)+"_rcv"] = true
	}
	all := slices.Collect(maps.Keys(set))
	want := btf.Suggest("tcp_v_rcv", slices.Values(all))
	if len(want) != 3 {
		t.Fatalf("Near(tcp_v_rcv) = %q, want three", want)
	}
	for range 50 {
		all = append(slices.Collect(maps.Keys(set)), slices.Collect(maps.Keys(set))...)
		if got := btf.Suggest("tcp_v_rcv", slices.Values(all)); !slices.Equal(got, want) {
			t.Fatalf("Near(tcp_v_rcv) = %q, then %q", want, got)
		}
	}
}

func BenchmarkSuggest(b *testing.B) {
	var all []string
	for i := range 60_000 {
		all = append(all, "some_function_"+strconv.Itoa(i*7919))
	}
	b.ReportAllocs()
	for b.Loop() {
		btf.Suggest("soem_function_7919", slices.Values(all))
	}
}
