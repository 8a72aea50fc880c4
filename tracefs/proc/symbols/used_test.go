package symbols

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestUsedSymbols: what the addresses in some memory are called, the lines that are kept
// show as all lines do, wherever in the memory an address is.
func TestUsedSymbols(t *testing.T) {
	all, err := parseList([]byte(symbols))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		var order binary.AppendByteOrder = binary.LittleEndian
		big := random.IntN(2) == 0
		if big {
			order = binary.BigEndian
		}
		var memory []byte
		var addrs []uint64
		for range random.IntN(4) {
			at := all.syms[random.IntN(len(all.syms))].addr + uint64(random.IntN(0x1100))
			addrs = append(addrs, at)
			memory = order.AppendUint64(append(memory, make([]byte, random.IntN(9))...), at)
		}
		used := NewUsed([]byte(symbols))
		used.Scan(memory, big)
		some, err := parseList(used.Text())
		if err != nil {
			t.Fatal(err)
		}
		for _, addr := range addrs {
			for _, addr := range []uint64{addr, addr - 1} {
				name, module, off, ok := all.Name(addr)
				gotName, gotModule, gotOff, gotOK := some.Name(addr)
				if name != gotName || module != gotModule || off != gotOff || ok != gotOK || all.IsCode(addr) != some.IsCode(addr) {
					t.Fatalf("%#x is %s+%#x [%s], was %s+%#x [%s], from\n%s", addr, gotName, gotOff, gotModule, name, off, module, used.Text())
				}
			}
		}
	}
}

// TestUsedSymbolsNone: without addresses only the bounds are left, also of a table that
// hides them.
func TestUsedSymbolsNone(t *testing.T) {
	used := NewUsed([]byte(symbols))
	used.Scan(make([]byte, 4096), false)
	const want = "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff82000000 B _end\n"
	if got := string(used.Text()); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	hidden := NewUsed([]byte("0000000000000000 T _stext\n0000000000000000 T vfs_open\n"))
	hidden.Scan([]byte(strings.Repeat("\xff", 64)), false)
	if _, err := parseList(hidden.Text()); err != ErrHidden {
		t.Errorf("got error %v, want ErrHidden", err)
	}
}
