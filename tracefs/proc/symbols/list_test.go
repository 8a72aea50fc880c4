package symbols

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

const symbols = `0000000000000000 A fixed_percpu_data
0000000000019140 A cpu_number
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81001000 T vfs_open
ffffffff81000ff0 T __pfx_vfs_open
ffffffff81002000 t init_once
ffffffff81003000 t init_once
ffffffff81004000 t vfs_open.isra.0
ffffffff81004100 t vfs_open.cold
ffffffff81004200 W weak_one
ffffffff81005000 d init_once
ffffffff82000000 B _end
ffffffffc0001000 t dummy_xmit	[dummy]
ffffffffc0002000 t init_once	[dummy]
ffffffffc0003000 t init_once	[other]
ffffffffc0004000 t bpf_prog_1	[bpf]
`

func TestName(t *testing.T) {
	s, err := parseList([]byte(symbols))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		addr uint64
		want string
	}{
		{0, ""}, {0x19140, ""}, {0xffffffff80ffffff, ""},
		{0xffffffff81000000, "_stext+0"}, {0xffffffff81000001, "_stext+1"},
		{0xffffffff81001004, "vfs_open+4"}, {0xffffffff81003fff, "init_once+4095"},
		{0xffffffff81fffff0, ""}, {0xffffffff82000000, ""}, {0xffffffff82000010, ""},
		{0xffffffffc0001010, "dummy_xmit+16 [dummy]"}, {0xffffffffc0004000, "bpf_prog_1+0 [bpf]"},
		{0xffffffffffffffff, ""},
	} {
		name, module, off, ok := s.Name(tt.addr)
		got := ""
		if ok {
			got = fmt.Sprintf("%s+%d", name, off)
		}
		if module != "" {
			got += " [" + module + "]"
		}
		if got != tt.want {
			t.Errorf("Name(%#x): got %q, want %q", tt.addr, got, tt.want)
		}
	}
}

func TestIsCode(t *testing.T) {
	s, err := parseList([]byte(symbols))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]bool{
		0: false, 0xffffffff80ffffff: false, 0xffffffff81000001: true, 0xffffffff81004fff: true, 0xffffffff81005000: false,
		0xffffffff81fffff0: false, 0xffffffff82000000: false, 0xffffffffc0001010: true, 0xffffffffffffffff: false,
	} {
		if got := s.IsCode(addr); got != want {
			t.Errorf("IsCode(%#x): got %v, want %v", addr, got, want)
		}
	}
}

// TestIsCodeOfNames: the end of the code decides where variables are also of a function's
// kind.
func TestIsCodeOfNames(t *testing.T) {
	s, err := parseList([]byte("ffffffff81000000 T _stext\nffffffff81001000 T f\nffffffff81002000 T _etext\nffffffff82000000 T init_task\nffffffffc0001000 t g\t[m]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]bool{0xffffffff81001010: true, 0xffffffff81002000: false, 0xffffffff82000010: false, 0xffffffffc0001010: true} {
		if got := s.IsCode(addr); got != want {
			t.Errorf("IsCode(%#x): got %v, want %v", addr, got, want)
		}
	}
}

// TestNamePerCPU: an address after the variables of each CPU may be an allocated
// variable, and is not called by the kernel's symbol there.
func TestNamePerCPU(t *testing.T) {
	s, err := parseList([]byte("ffffffff82000000 D __per_cpu_start\nffffffff82001000 D cpu_info\nffffffff82002000 D __per_cpu_end\n" +
		"ffffffff82003000 b level3_ident_pgt\nffffffff82013000 b init_net\n"))
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[uint64]string{0xffffffff82001010: "cpu_info", 0xffffffff82002000: "", 0xffffffff82003d00: "", 0xffffffff82013010: "init_net"} {
		if got, _, _, _ := s.Name(addr); got != want {
			t.Errorf("Name(%#x): got %q, want %q", addr, got, want)
		}
	}
}

func TestAddr(t *testing.T) {
	s, err := parseList([]byte(symbols))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]uint64{
		"vfs_open": 0xffffffff81001000, "init_once": 0xffffffff81002000, "bpf_prog_1": 0xffffffffc0004000,
		"_text": 0xffffffff81000000, "vfs_open.cold": 0xffffffff81004100, "vfs": 0, "zzz": 0, "": 0, "cpu_number": 0,
	} {
		if got, ok := s.Addr(name); got != want || ok != (want != 0) {
			t.Errorf("Addr(%q): got %#x, %v, want %#x", name, got, ok, want)
		}
	}
}

func TestHidden(t *testing.T) {
	hidden := "0000000000000000 T _stext\n0000000000000000 T vfs_open\n"
	if _, err := parseList([]byte(hidden)); !errors.Is(err, ErrHidden) {
		t.Errorf("got error %v, want ErrHidden", err)
	}
	facts, stext := lookupFacts([]byte(hidden), []string{"vfs_open"})
	if f := facts["vfs_open"]; stext != 0 || f.Count != 1 || f.Addrs != nil {
		t.Errorf("got %+v, %#x", facts, stext)
	}
}

func TestLookupFacts(t *testing.T) {
	names := []string{"vfs_open", "init_once", "dummy_xmit", "weak_one", "nosuch"}
	got, stext := lookupFacts([]byte(symbols), names)
	if stext != 0xffffffff81000000 {
		t.Fatalf("got _stext %#x", stext)
	}
	want := map[string]Facts{
		"vfs_open":   {Count: 1, Addrs: []uint64{0xffffffff81001000}, Clones: []string{"vfs_open.isra.0", "vfs_open.cold"}},
		"init_once":  {Count: 2, Addrs: []uint64{0xffffffff81002000, 0xffffffff81003000}, Modules: []string{"dummy", "other"}},
		"dummy_xmit": {Modules: []string{"dummy"}},
		"weak_one":   {Count: 1, Addrs: []uint64{0xffffffff81004200}},
		"nosuch":     {},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got)\n%s", diff)
	}
	// All lines are read for many names.
	many := slices.Clone(names)
	for i := range fewNames {
		name := fmt.Sprintf("nosuch_%d", i)
		many, want[name] = append(many, name), Facts{}
	}
	if got, _ = lookupFacts([]byte(symbols), many); !cmp.Equal(want, got) {
		t.Errorf("facts of many (-want +got)\n%s", cmp.Diff(want, got))
	}
}

// TestRecorded parses what real kernels showed.
func TestRecorded(t *testing.T) {
	for _, kernel := range []string{"5.10", "6.1", "6.12", "newest", "arm64"} {
		text, err := os.ReadFile(filepath.Join("../../../testdata/tracefs", kernel, "kallsyms"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseList(text)
		if err != nil {
			t.Fatalf("%s: %v", kernel, err)
		}
		addr, ok := s.Addr("vfs_read")
		if name, module, off, found := s.Name(addr + 8); !ok || !found || name != "vfs_read" || module != "" || off != 8 {
			t.Errorf("%s: got vfs_read at %#x and there %s+%d %s", kernel, addr, name, off, module)
		}
		addr, ok = s.Addr("dummy_xmit")
		if name, module, _, _ := s.Name(addr); !ok || name != "dummy_xmit" || module != "dummy" {
			t.Errorf("%s: got dummy_xmit at %#x and there %s of %s", kernel, addr, name, module)
		}
		facts, stext := lookupFacts(text, []string{"init_once", "put_pid", "dummy_setup"})
		if want, _ := s.Addr("_stext"); stext != want {
			t.Errorf("%s: got _stext %#x, want %#x", kernel, stext, want)
		}
		if f := facts["init_once"]; f.Count < 8 || len(f.Addrs) != f.Count {
			t.Errorf("%s: got %+v for init_once", kernel, f)
		}
		if f := facts["put_pid"]; !slices.Contains(f.Clones, "put_pid.part.0") || f.Count != 0 {
			t.Errorf("%s: got %+v for put_pid", kernel, f)
		}
		if f := facts["dummy_setup"]; !slices.Equal(f.Modules, []string{"dummy"}) {
			t.Errorf("%s: got %+v for dummy_setup", kernel, f)
		}
	}
}

func FuzzSymbols(f *testing.F) {
	f.Add([]byte(symbols), uint64(0xffffffff81000001))
	badinput.Fuzz(f, func(t *testing.T, text []byte, addr uint64) {
		// Looked up by itself or with others, a name has the same facts.
		names := []string{"vfs_open", "n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8"}
		one, _ := lookupFacts(text, names[:1])
		all, _ := lookupFacts(text, names)
		if diff := cmp.Diff(one["vfs_open"], all["vfs_open"]); diff != "" {
			t.Errorf("by itself, and with others:\n%s", diff)
		}
		s, err := parseList(text)
		if err != nil {
			return
		}
		if name, _, _, ok := s.Name(addr); ok {
			if _, found := s.Addr(name); !found {
				t.Errorf("%q is found at %#x, but not by name", name, addr)
			}
		}
	})
}

// manySymbols is as much as a kernel has.
func manySymbols() []byte {
	var b bytes.Buffer
	for i := range 200_000 {
		fmt.Fprintf(&b, "%016x t some_function_name_%d\n", 0xffffffff81000000+uint64(i)*64, i)
	}
	return b.Bytes()
}

func BenchmarkParseSymbols(b *testing.B) {
	text := manySymbols()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parseList(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLookupFacts(b *testing.B) {
	text := manySymbols()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		lookupFacts(text, []string{"some_function_name_7", "nosuch"})
	}
}
