package proc

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// core returns the headers of an ELF core with these segments.
func core(ranges ...Range) []byte {
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, elf.Header64{
		Ident:     [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:      uint16(elf.ET_CORE),
		Machine:   uint16(elf.EM_X86_64),
		Version:   uint32(elf.EV_CURRENT),
		Phoff:     64,
		Ehsize:    64,
		Phentsize: 56,
		Phnum:     uint16(len(ranges) + 1),
	})
	binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_NOTE)})
	for _, r := range ranges {
		binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: r.Start, Memsz: r.End - r.Start})
	}
	return b.Bytes()
}

func TestParseRanges(t *testing.T) {
	got, err := ParseRanges(bytes.NewReader(core(
		Range{0xffffffff80000000, 0xffffffff82000000}, // text
		Range{0xffff888000001000, 0xffff88800009f000},
		Range{0xffff88800009f000, 0xffff8880000a0000}, // touches
		Range{0xffffffff81000000, 0xffffffff81001000}, // inside
		Range{0xffffffffff600000, 0},                  // up to the end
	)))
	want := Ranges{
		{0xffff888000001000, 0xffff8880000a0000},
		{0xffffffff80000000, 0xffffffff82000000},
		{0xffffffffff600000, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("error %v (-want +got)\n%s", err, diff)
	}
	for addr, want := range map[uint64]bool{
		0: false, 0x1000: false, 0xffff888000000fff: false, 0xffff888000001000: true, 0xffff88800009ffff: true,
		0xffff8880000a0000: false, 0xffffffff80000000: true, 0xffffffff81ffffff: true, 0xffffffff82000000: false,
		0xffffffffff600000: true, 0xffffffffffffffff: true,
	} {
		if got.Contains(addr) != want {
			t.Errorf("Contains(%#x): got %v, want %v", addr, !want, want)
		}
	}
	if (Ranges)(nil).Contains(1) {
		t.Error("nothing contains 1")
	}
}

func TestParseRangesFails(t *testing.T) {
	for _, text := range [][]byte{nil, []byte("not ELF"), core()} {
		if _, err := ParseRanges(bytes.NewReader(text)); !errors.Is(err, ErrNoRanges) {
			t.Errorf("%.20q: got error %v, want ErrNoRanges", text, err)
		}
	}
}

func FuzzParseRanges(f *testing.F) {
	f.Add(core(Range{1, 2}), uint64(1))
	badinput.Fuzz(f, func(t *testing.T, b []byte, addr uint64) {
		r, err := ParseRanges(bytes.NewReader(b))
		if err != nil && !errors.Is(err, ErrNoRanges) {
			t.Errorf("got error %v", err)
		}
		for i := 1; i < len(r); i++ {
			if r[i].Start <= r[i-1].End-1 {
				t.Errorf("%x overlap or are out of order", r)
			}
		}
		r.Contains(addr)
	})
}
