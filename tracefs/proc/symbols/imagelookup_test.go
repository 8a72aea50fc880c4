package symbols

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// imageOf makes an Image of the kernel's own symbols in the text of /proc/kallsyms.
func imageOf(t testing.TB, text []byte) *image {
	t.Helper()
	s := compress(text)
	core := imageCore(0xffffffff82000000, []string{"kallsyms_num_syms", "kallsyms_names", "kallsyms_token_table", "kallsyms_token_index", "kallsyms_offsets", "kallsyms_relative_base"},
		[][]byte{le(s.n), s.names, s.table, le(s.index), le(s.offsets), le(s.base)}, fmt.Sprintf("SYMBOL(_stext)=%x\n", addrOf(text, "_stext")))
	m, err := parseImage(bytes.NewReader(core), nowhere)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// compressed are symbols as the kernel has them.
type compressed struct {
	n       uint32
	names   []byte
	markers []uint32
	table   []byte
	index   []uint16
	offsets []int32
	base    uint64
}

// compress takes the kernel's own symbols from the text of /proc/kallsyms. Names are
// compressed as the kernel's are: frequent pairs of letters are tokens.
func compress(text []byte) (s compressed) {
	var all []line
	stext := addrOf(text, "_stext")
	for l := range lines(text) {
		if l.module == nil && l.addr-stext+1<<30 < 1<<31 {
			own := *l
			own.name = bytes.Clone(l.name)
			all = append(all, own)
		}
	}
	slices.SortStableFunc(all, func(a, b line) int { return int(int64(a.addr - b.addr)) })
	pairs := []string{"Tv", "fs_", "__", "re", "t_", "in", "D_", "ad", "tvfs_re"}
	for i := range 256 {
		s.index = append(s.index, uint16(len(s.table)))
		token := string(rune(i))
		if i >= 128 || i == 0 {
			token = pairs[i%len(pairs)]
		}
		s.table = append(append(s.table, token...), 0)
	}
	s.n, s.base = uint32(len(all)), all[0].addr
	for i, l := range all {
		if i%256 == 0 {
			s.markers = append(s.markers, uint32(len(s.names)))
		}
		s.offsets = append(s.offsets, int32(int64(l.addr-s.base)))
		var name []byte
		for rest := append([]byte{l.kind}, l.name...); len(rest) > 0; {
			token := 128 + slices.IndexFunc(pairs[128%len(pairs):], func(p string) bool { return bytes.HasPrefix(rest, []byte(p)) })
			if token < 128 {
				name, rest = append(name, rest[0]), rest[1:]
				continue
			}
			name, rest = append(name, byte(token)), rest[len(pairs[token%len(pairs)]):]
		}
		if n := len(name); n < 128 {
			s.names = append(s.names, byte(n))
		} else {
			s.names = append(s.names, byte(n)|128, byte(n>>7))
		}
		s.names = append(s.names, name...)
	}
	return s
}

// TestImageRecorded: an Image says the same as the text, of what real kernels showed.
func TestImageRecorded(t *testing.T) {
	for _, kernel := range []string{"5.10", "6.1", "6.12", "newest", "arm64"} {
		t.Run(kernel, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("../../../testdata/tracefs", kernel, "kallsyms"))
			if err != nil {
				t.Fatal(err)
			}
			image := imageOf(t, text)
			same(t, image, image.text(math.MaxInt), 3000, 20)
			s, err := parseList(image.text(math.MaxInt))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []string{"vfs_read", "init_once", "nosuch", "_stext"} {
				got, ok := image.Addr(n)
				if want, known := s.Addr(n); got != want || ok != known {
					t.Errorf("%s: got %#x, %v, want %#x, %v", n, got, ok, want, known)
				}
			}
		})
	}
}

// same compares what an Image says with what the text that it stands for does, of so many
// addresses and names.
func same(t *testing.T, image *image, text []byte, addrs, few int) {
	t.Helper()
	s, err := parseList(text)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewSource(1))
	type answer struct {
		Name, Module string
		Off          uint64
		OK, Code     bool
	}
	ask := func(addr uint64) {
		t.Helper()
		var want, got answer
		want.Name, want.Module, want.Off, want.OK = s.Name(addr)
		want.Code = s.IsCode(addr)
		for range 2 { // found, and kept
			got.Name, got.Module, got.Off, got.OK = image.Name(addr)
			got.Code = image.IsCode(addr)
			if got != want {
				t.Fatalf("at %#x: got %+v, want %+v", addr, got, want)
			}
		}
	}
	for _, addr := range []uint64{0, 1, 0x19140, minKernel, 1 << 63, math.MaxUint64, image.ends().perCPU, image.ends().code, image.stext - 1} {
		ask(addr)
	}
	step := max(1, len(s.syms)/addrs)
	for i := 0; i < len(s.syms); i += step {
		addr := s.syms[i].addr
		for _, a := range []uint64{addr - 1, addr, addr + 1, addr + uint64(random.Intn(maxOffset*2))} {
			ask(a)
		}
	}
	var names []string
	for i := 0; i < len(s.syms); i += max(1, len(s.syms)/few) {
		names = append(names, s.name(i))
	}
	names = append(names, "vfs_read", "init_once", "put_pid", "nosuch", "vfs", "_stext", "__pfx_vfs_read")
	for part := range slices.Chunk(names, fewNames) {
		compareFacts(t, image, text, part)
	}
	compareFacts(t, image, text, names) // more than few
	for _, n := range names {
		if got, want := image.isLocal(n), isLocal(text, n); got != want {
			t.Errorf("%s: got local %v, want %v", n, got, want)
		}
	}
}

func compareFacts(t *testing.T, image *image, text []byte, names []string) {
	t.Helper()
	want, wantStext := lookupFacts(text, names)
	got, stext := image.Facts(names)
	if diff := cmp.Diff(want, got); diff != "" || stext != wantStext {
		t.Errorf("facts of %q (-want +got), _stext %#x and %#x\n%s", names, wantStext, stext, diff)
	}
}

// TestImageNameAllocates: the caller of each line is named.
func TestImageNameAllocates(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/tracefs/6.12/kallsyms")
	if err != nil {
		t.Fatal(err)
	}
	image := imageOf(t, text)
	at := addrOf(text, "vfs_read") + 8
	if n := testing.AllocsPerRun(100, func() { image.Name(at) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
