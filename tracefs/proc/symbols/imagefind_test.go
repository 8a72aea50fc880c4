package symbols

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// findCore returns the core of a kernel that does not say where its tables are. They
// begin skip bytes after _stext; what is before and after them looks like a table of
// tokens.
func findCore(s compressed, stext uint64, skip int) []byte {
	const like = "\x00\x00\x00\x00/\x000\x001\x002\x003\x004\x005\x006\x007\x008\x009\x00:"
	memory := bytes.Repeat([]byte(like+strings.Repeat("\x90\xe8\xff0\x00", 2000)), skip/10000+1)[:skip]
	for _, part := range [][]byte{le(s.offsets), le(s.base), le(s.n), s.names, le(s.markers), s.table, le(s.index)} {
		memory = append(memory, part...)
		memory = append(memory, make([]byte, -len(memory)&7)...)
	}
	return imageCore(stext, []string{"_stext"}, [][]byte{append(memory, like...)}, "")
}

// TestFindImage: the tables are found wherever they are, with and without padding after
// the markers.
func TestFindImage(t *testing.T) {
	const stext = 0xffffffff81000000
	text := []byte(fmt.Sprintf("%016x T _stext\n", uint64(stext)))
	for i, kinds := 0, "tTdDwr"; i < 1600; i++ {
		text = fmt.Appendf(text, "%016x %c vfs_%sread_%d\n", stext+uint64(i)*48, kinds[i%6], strings.Repeat("_in", i%50), i)
		if i > 2 && i%256 > 1 {
			continue
		}
		s := compress(text)
		for _, skip := range []int{0, 8, 4096, 256<<10 - 40, 300 << 10} {
			core := findCore(s, stext, skip)
			m, err := parseImage(bytes.NewReader(core), func() uint64 { return uint64(skip &^ 4095) })
			if err != nil || !bytes.Equal(m.text(math.MaxInt), text) {
				t.Fatalf("%d symbols, %d bytes after _stext: %v", s.n, skip, err)
			}
			if m, err := parseImage(bytes.NewReader(core), nowhere); err != nil || !bytes.Equal(m.text(math.MaxInt), text) {
				t.Fatalf("%d symbols, somewhere: %v", s.n, err)
			}
			if _, err := parseImage(bytes.NewReader(core), func() uint64 { return uint64(len(core)) }); err == nil {
				t.Fatalf("%d symbols, %d bytes after _stext: found beyond", s.n, skip)
			}
		}
	}
}

// TestFindImageDamaged: damaged tables cause no panic.
func TestFindImageDamaged(t *testing.T) {
	for _, kernel := range []string{"5.10", "6.1", "arm64"} {
		text, err := os.ReadFile(filepath.Join("../../../testdata/tracefs", kernel, "kallsyms"))
		if err != nil {
			t.Fatal(err)
		}
		core := findCore(compress(text), addrOf(text, "_stext"), 64)
		if m, err := parseImage(bytes.NewReader(core), nowhere); err != nil || !bytes.Equal(m.text(math.MaxInt), imageOf(t, text).text(math.MaxInt)) {
			t.Fatalf("%s: %v", kernel, err)
		}
		for i := range core {
			parseImage(bytes.NewReader(core[:i]), nowhere)
			core[i] ^= 0x41
			parseImage(bytes.NewReader(core), nowhere)
			core[i] ^= 0x41
		}
	}
}

func TestConstantsAfterCode(t *testing.T) {
	const x86 = `00001000-0009fbff : System RAM
00100000-3ffddfff : System RAM
  2f600000-302025f1 : Kernel code
  30400000-30adefff : Kernel rodata
  30c00000-30e8027f : Kernel data
`
	for text, want := range map[string]uint64{
		x86: 0xe00000, "": 0,
		"  40210000-4144ffff : Kernel code\n  41910000-41caffff : Kernel data\n":   0, // arm64
		"  00000000-00000000 : Kernel code\n  00000000-00000000 : Kernel rodata\n": 0, // hidden
		"  30400000-30adefff : Kernel code\n  2f600000-302025f1 : Kernel rodata\n": 0,
		"x-y : Kernel code\n : Kernel rodata\nKernel code":                         0,
	} {
		if got := constantsBehind([]byte(text)); got != want {
			t.Errorf("%q: got %#x, want %#x", text, got, want)
		}
	}
}
