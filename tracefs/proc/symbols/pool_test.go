package symbols

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestPool: tables of a Pool have the answers of tables of their own, and few are in memory.
func TestPool(t *testing.T) {
	text := func(i int) string {
		var b strings.Builder
		for j := range 100 {
			fmt.Fprintf(&b, "ffffffff81%03x000 T f%d_%d\n", j, i, j)
		}
		fmt.Fprintf(&b, "ffffffff81400000 D data%d\nffffffffc0000000 t g%d\t[m]\n", i, i)
		return b.String()
	}
	const tables = 10
	size := len(text(0)) + 16*103
	p, read := NewPool(2*size+100), 0
	var all, alone [tables]*Table
	for i := range all {
		all[i] = p.Recorded(func() ([]byte, error) { read++; return []byte(text(i)), nil })
		alone[i] = Recorded(func() ([]byte, error) { return []byte(text(i)), nil })
	}
	addrs := []uint64{0, 1 << 40, 0xffffffff81000000, 0xffffffff81005010, 0xffffffff81400008, 0xffffffffc0000001}
	for range 3 {
		for _, addr := range addrs {
			for i := range all {
				name, module, off, ok := all[i].Name(addr)
				if n, m, o, k := alone[i].Name(addr); n != name || m != module || o != off || k != ok {
					t.Errorf("%#x: %s %s %d %v, want %s %s %d %v", addr, name, module, off, ok, n, m, o, k)
				}
				if got, want := all[i].IsCode(addr), alone[i].IsCode(addr); got != want {
					t.Errorf("%#x is code: %v, want %v", addr, got, want)
				}
				if len(p.inUse) > 2 || p.size > p.most {
					t.Fatalf("%d tables of %d bytes are in memory", len(p.inUse), p.size)
				}
			}
		}
	}
	if want := tables * len(addrs); read != want {
		t.Errorf("tables were read %d times, want %d: once for each address", read, want)
	}
	if n := testing.AllocsPerRun(10, func() { all[0].Name(addrs[3]) }); n != 0 {
		t.Errorf("an answer takes %v allocations", n)
	}
}

// TestPoolUnreadable: a table that cannot be read is reported once, and an empty one is not.
func TestPoolUnreadable(t *testing.T) {
	p, reports := NewPool(1), 0
	bad := p.Recorded(func() ([]byte, error) { return nil, errors.New("damaged") })
	empty := p.Recorded(func() ([]byte, error) { return nil, nil })
	for _, table := range []*Table{bad, empty} {
		table.Unreadable = func(error) { reports++ }
		table.Prepare()
		for addr := range uint64(3) {
			if _, _, _, ok := table.Name(addr); ok || table.IsCode(addr) {
				t.Error("an address is known")
			}
		}
	}
	if reports != 1 {
		t.Errorf("%d reports, want 1", reports)
	}
}
