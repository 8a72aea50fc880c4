package symbols

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// imageCore makes the ELF core of a kernel whose memory begins at base and has these
// parts one after the other, which the note names.
func imageCore(base uint64, names []string, parts [][]byte, further string) []byte {
	var memory []byte
	note := further
	for i, part := range parts {
		note += fmt.Sprintf("SYMBOL(%s)=%x\n", names[i], base+uint64(len(memory)))
		memory = append(memory, part...)
	}
	var notes, out bytes.Buffer
	for _, n := range [][2]string{{"CORE\x00", "xyz"}, {"VMCOREINFO\x00", "OSRELEASE=6.12\n" + note}} {
		binary.Write(&notes, binary.LittleEndian, []uint32{uint32(len(n[0])), uint32(len(n[1])), 0})
		for _, part := range n {
			notes.WriteString(part + strings.Repeat("\x00", -len(part)&3))
		}
	}
	const head, entry = 64, 56
	h := elf.Header64{Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: head, Ehsize: head, Phentsize: entry, Phnum: 2}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	binary.Write(&out, binary.LittleEndian, h)
	at := uint64(head + 2*entry)
	binary.Write(&out, binary.LittleEndian, []elf.Prog64{
		{Type: uint32(elf.PT_NOTE), Off: at, Filesz: uint64(notes.Len())},
		{Type: uint32(elf.PT_LOAD), Off: at + uint64(notes.Len()), Vaddr: base, Filesz: uint64(len(memory)), Memsz: uint64(len(memory))},
	})
	return append(append(out.Bytes(), notes.Bytes()...), memory...)
}

func le(v any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return b
}

// letters returns kallsyms_token_table and kallsyms_token_index: token 1 is "vfs_", and
// others are letters.
func letters() (table []byte, index []uint16) {
	for i := range 256 {
		index = append(index, uint16(len(table)))
		if i == 1 {
			table = append(table, "vfs_"...)
		} else {
			table = append(table, byte(max(i, 2)))
		}
		table = append(table, 0)
	}
	return table, index
}

// nowhere is where constants are of which nothing is known.
func nowhere() uint64 { return 0 }

// TestParseImage reads the table in each of the forms that kernels have, and in none
// that is damaged.
func TestParseImage(t *testing.T) {
	const base = 0xffffffff81000000
	stext := fmt.Sprintf("SYMBOL(_stext)=%x\n", uint64(base))
	table, index := letters()
	long := strings.Repeat("x", 129) // a name of 130 tokens has a length of two bytes
	names := slices.Concat([]byte("\x0bDcpu_number"), []byte("\x07T_stext"), []byte("\x06T\x01read"), []byte("\x82\x01t"+long))
	text := func(first uint64) string {
		return fmt.Sprintf("%016x D cpu_number\n%016x T _stext\n%016x T vfs_read\n%016x t %s\n", first, uint64(base), uint64(base+0x40), uint64(base+0x80), long)
	}
	order := []string{"kallsyms_num_syms", "kallsyms_names", "kallsyms_token_table", "kallsyms_token_index", "kallsyms_offsets", "kallsyms_relative_base"}
	parts := func(offsets []int32) [][]byte {
		return [][]byte{le(uint32(4)), names, table, le(index), le(offsets), le(uint64(base))}
	}
	here := int32(4 + len(names) + len(table) + 512) // of kallsyms_offsets after base
	for _, c := range []struct {
		name    string
		offsets []int32
		order   []string
		first   uint64
	}{
		{"distances", []int32{0, 0, 0x40, 0x80}, order, base},
		{"variables of each CPU", []int32{0x1000, -1, -0x41, -0x81}, order, 0x1000},
		{"each from itself", []int32{-here, -here - 4, 0x40 - here - 8, 0x80 - here - 12}, order[:5], base},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := imageCore(base, c.order, parts(c.offsets)[:len(c.order)], stext)
			got, err := parseImage(bytes.NewReader(whole), nowhere)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(text(c.first), string(got.text(math.MaxInt))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			for n := range whole {
				if got, err := parseImage(bytes.NewReader(whole[:n]), nowhere); err == nil && string(got.text(math.MaxInt)) != text(c.first) {
					t.Fatalf("of the first %d bytes: %q", n, got.text(math.MaxInt))
				}
			}
		})
	}
	offsets := []int32{0, 0, 0x40, 0x80}
	for what, broken := range map[string][]byte{
		"no core":                     []byte("x"),
		"no table":                    imageCore(base, nil, nil, stext),
		"_stext is elsewhere":         imageCore(base, order, parts([]int32{0, 4, 0x40, 0x80}), stext),
		"not in order":                imageCore(base, order, parts([]int32{0, 0, 0x80, 0x40}), stext),
		"no _stext":                   imageCore(base, order, parts(offsets), ""),
		"more symbols than there are": imageCore(base, order, slices.Replace(parts(offsets), 0, 1, le(uint32(1<<21))), stext),
		"too many symbols":            imageCore(base, order, slices.Replace(parts(offsets), 0, 1, le(uint32(1<<31))), stext),
		"no symbols":                  imageCore(base, order, slices.Replace(parts(offsets), 0, 1, le(uint32(0))), stext),
		"a nameless symbol":           imageCore(base, order, slices.Replace(parts(offsets), 1, 2, append([]byte("\x01D"), names...)), stext),
	} {
		if got, err := parseImage(bytes.NewReader(broken), nowhere); err == nil {
			t.Errorf("%s: got %q", what, got.text(math.MaxInt))
		}
	}
}
