package symbols

import (
	"bytes"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// TestSites names records of ftrace as the kernel's list does, and believes none that the
// list does not begin with.
func TestSites(t *testing.T) {
	m := imageOf(t, []byte(`ffffffff81000000 T _stext
ffffffff81000010 T vfs_read
ffffffff81000010 T ksys_read_alias
ffffffff81000040 t notrace
ffffffff81000080 t twice
ffffffff810000c0 t twice
ffffffff81000100 T last
`))
	const k = 0xffffffff81000000
	addrs := []uint64{k - 64, k + 0x14, k + 0x40 + 9, k + 0x80, k + 0xc4, k + 0x107, k + 0x108}
	valid := map[string]uint64{"vfs_read": k + 0x14, "twice": 0, "last": k + 0x107}
	all := maps.Clone(valid)
	all["notrace"] = 0
	for begin, want := range map[string]map[string]uint64{
		"vfs_read\n":                 all,
		"vfs_read\nnotrace\ntwice\n": all,
		"vfs_read\n__ftrace_invalid_address___9\ntwice\ntwice\nlast\n": valid,
		"twice\n": nil,
		"vfs_read\n__ftrace_invalid_address___9\nlast\n":      nil,
		"vfs_read\nnotrace\ntwice\ntwice\nlast\nf [module]\n": nil,
	} {
		if diff := cmp.Diff(want, m.sites(addrs, []byte(begin))); diff != "" {
			t.Errorf("%q: -want +got\n%s", begin, diff)
		}
	}
}

// TestFtraceRecords reads the records of all pages, and none of a core that is damaged.
func TestFtraceRecords(t *testing.T) {
	const base = 0xffff888000000000
	type page struct {
		Next, Records uint64
		Index, Order  int32
	}
	type record struct{ Addr, Flags uint64 }
	first, second, third, records := uint64(base+8), uint64(base+8+24), uint64(base+8+2*24), uint64(base+8+3*24)
	parts := func(end uint64) []byte {
		return imageCore(base, []string{"start", "first", "second", "third", "records"}, [][]byte{
			le(first), le(page{second, records + 16, 2, 0}), le(page{Next: third}), le(page{end, records, 1, 0}),
			le([]record{{5, 1}, {3, 0}, {4, 1 << 63}}),
		}, "")
	}
	read := func(core []byte) ([]uint64, error) {
		memory, err := proc.ParseCore(bytes.NewReader(core))
		if err != nil {
			return nil, err
		}
		return ftraceRecords(memory, base)
	}
	whole := parts(0)
	got, err := read(whole)
	if diff := cmp.Diff([]uint64{3, 4, 5}, got); err != nil || diff != "" {
		t.Errorf("error %v, -want +got\n%s", err, diff)
	}
	for n := range whole {
		if got, err := read(whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes: got %x", n, len(whole), got)
		}
	}
	if _, err := read(parts(first)); err == nil {
		t.Error("pages without an end, and no error")
	}
	if _, err := read(parts(1)); err == nil {
		t.Error("a page that is nowhere, and no error")
	}
}
