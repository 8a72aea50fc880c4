package value_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A step is a name of a path and the number of its entry's parent; "" is a name that could
// not be read.
type step struct {
	name   string
	parent uint64
}

// A chain is the part of a path in one mount. Its entries are numbered; top is the one at
// which the mount begins, and up the number of the struct mount that this is in, if these
// were fetched.
type chain struct {
	steps   []step
	top, up uint64
}

// TestPath puts paths together.
func TestPath(t *testing.T) {
	const entry = 0xffff888000000000
	a, b := strings.Repeat("a", 2000), strings.Repeat("b", 2091)
	proc := chain{steps: []step{{"proc", 12}, {"/", 12}}}
	at7 := chain{steps: []step{{"proc", 12}}, top: 12, up: 30}
	one := func(steps ...step) []chain { return []chain{{steps: steps}} }
	under := func(mount chain, steps ...step) []chain { return []chain{{steps: steps}, mount} }
	inMount := func(up uint64, rest ...chain) []chain {
		return append([]chain{{steps: []step{{"status", 2}, {"7", 3}}, top: 3, up: up}}, rest...)
	}
	const pipe, nsfs, pidfd, anon, tmpfs = 0x50495045, 0x6e736673, 0x50494446, 0x09041934, 0x01021994
	for _, tt := range []struct {
		chains []chain
		magic  uint64 // of the filesystem; its inode is 77
		hash   uint64 // 1 plus what says whether the entry is linked
		want   string
	}{
		{one(step{"passwd", 2}, step{"etc", 3}, step{"/", 3}), 0, 0, "/etc/passwd"},
		{one(step{"/", 1}), 0, 0, "/"},
		{one(step{"c", 2}, step{"b", 3}), 0, 0, ".../b/c"},
		{one(step{"c", 2}, step{"", 3}), 0, 0, ".../c"},
		{under(chain{steps: []step{{"mnt", 12}, {"/", 12}}}, step{"memfd:x", 1}), 0, 0, "memfd:x"},
		{under(proc, step{"status", 2}, step{"7", 3}, step{"/", 3}), 0, 0, "/proc/7/status"},
		{under(proc, step{"/", 1}), 0, 0, "/proc"},
		{under(chain{steps: []step{{"/", 11}}}, step{"x", 2}, step{"/", 2}), 0, 0, "/x"},
		{under(chain{steps: []step{{"/", 11}}}, step{"/", 1}), 0, 0, "/"},
		{under(chain{steps: []step{{"b", 12}}}, step{"x", 2}, step{"/", 2}), 0, 0, ".../b/x"},
		{one(step{strings.Repeat("a", 3000), 2}, step{strings.Repeat("b", 3000), 3}, step{"/", 3}), 0, 0, ".../" + strings.Repeat("a", 3000)},
		{one(step{a, 2}, step{b, 3}, step{"/", 3}), 0, 0, "/" + b + "/" + a},
		{one(step{a, 2}, step{b, 3}), 0, 0, ".../" + b + "/" + a},
		{one(step{a, 2}, step{b + "b", 3}, step{"/", 3}), 0, 0, ".../" + a},
		{one(step{"x", 9 << 60}), 0, 0, ".../x"},
		// Linked or not.
		{one(step{"x", 2}, step{"/", 2}), 0, 1, "/x (deleted)"},
		{one(step{"x", 2}, step{"/", 2}), 0, 9, "/x"},
		{one(step{"x", 1}), 0, 1, "x"},
		// In no directory.
		{one(step{"x", 1}), pipe, 0, "pipe:[77]"},
		{one(step{"/", 1}), nsfs, 0, "...:[77]"},
		{one(step{"x", 1}), pidfd, 0, "anon_inode:[pidfd]"},
		{one(step{"[eventfd]", 1}), anon, 0, "anon_inode:[eventfd]"},
		{one(step{"memfd:x", 1}), tmpfs, 0, "/memfd:x (deleted)"},
		{one(step{"/", 1}), tmpfs, 0, "/"},
		{one(step{"x", 2}, step{"/", 2}), pipe, 0, "/x"},
		// In mounts.
		{inMount(20), 0, 0, "/7/status"},
		{inMount(30, at7), 0, 0, "/proc/7/status"},
		{inMount(30), 0, 0, ".../7/status"},
		{inMount(0), 0, 0, ".../7/status"},
		{inMount(9<<60, at7), 0, 0, ".../7/status"},
		{inMount(30, chain{steps: []step{{"proc", 13}}, top: 12, up: 30}), 0, 0, ".../proc/7/status"},
		{[]chain{{steps: []step{{"x", 2}}, top: 1, up: 20}}, 0, 0, "/"},
	} {
		var args []any
		number := func(x uint64) int {
			args = append(args, x)
			return len(args) - 1
		}
		address := func(n uint64) int {
			if n > 1<<32 {
				return number(user)
			}
			return number(entry + n)
		}
		var first, last *value.Path
		for i, c := range tt.chains {
			p := &value.Path{Dentries: []int{address(uint64(1 + 10*i))}}
			for _, s := range c.steps {
				p.Dentries = append(p.Dentries, address(s.parent))
				var name any
				if s.name != "" {
					name = s.name
				}
				args = append(args, name)
				p.Names = append(p.Names, len(args)-1)
			}
			if c.top > 0 {
				p.Top = 1 + address(c.top)
			}
			if c.up > 0 {
				p.Up = 1 + address(c.up)
			}
			if first == nil {
				first = p
				p.Mnt, p.Off = 1+number(entry+12), 8 // the struct mount 20
			} else {
				last.Mount = p
			}
			last = p
		}
		if tt.magic > 0 {
			first.Magic, first.Inode = 1+number(tt.magic), 1+number(77)
		}
		if tt.hash > 0 {
			first.Hash = 1 + number(tt.hash-1)
		}
		field := value.Field{Label: "file", Encoding: value.String, Arg: first.Names[0], Path: first}
		slots, record := recordOf(binary.LittleEndian, args...)
		d := value.NewDecoder([]value.Field{field}, abi.Named("amd64"), slots, binary.LittleEndian, nil)
		if got := d.Value(0, record); got.Kind != value.Text || string(got.Bytes) != tt.want {
			t.Errorf("%v: %q, want %q", tt.chains, got.Bytes, tt.want)
		}
		if n := testing.AllocsPerRun(10, func() { d.Value(0, record) }); n > 0 {
			t.Errorf("%v: %v allocations", tt.chains, n)
		}
		if !first.IsWhole() {
			t.Errorf("%v: the path is not whole", tt.chains)
		}
	}
}

// TestDoubtfulPath says what copied text leaves uncertain about the names, and reads no
// entry that is not in memory.
func TestDoubtfulPath(t *testing.T) {
	path := []value.Field{{Type: ptr, Format: "s", Encoding: value.String, Arg: 0, Path: &value.Path{Names: []int{0, 1}, Dentries: []int{2, 3, 3}}}}
	const unmapped = 0xffff_f000_0000_0000
	testRecords(t, []recordTest{
		{"certain", path, []any{"x", "/", uint64(kern), uint64(kern + 1)}, []byte{0, 0, 0, 0}, `"/x"`},
		{"a name that may be longer", path, []any{"x", "/", uint64(kern), uint64(kern + 1)}, []byte{2, 0, 0, 0}, `"/x" longer?`},
		{"no memory", path, []any{"x", "/", uint64(kern), uint64(unmapped)}, []byte{0, 0, 0, 0}, `".../x"`},
	})
}

// TestWholePaths requires of each name its entry and the one above it.
func TestWholePaths(t *testing.T) {
	two := []int{1, 2}
	mount := &value.Path{Names: []int{0}, Dentries: two, Top: 1}
	for i, tt := range []struct {
		p    value.Path
		want bool
	}{
		{value.Path{Names: []int{0}, Dentries: two}, true},
		{value.Path{Names: []int{0}, Dentries: []int{1}}, false},
		{value.Path{Names: []int{0}, Dentries: []int{1, 2, 3}}, false},
		{value.Path{Dentries: []int{1}}, false},
		{value.Path{Names: []int{0}, Dentries: two, Top: 1}, false},
		{value.Path{Names: []int{0}, Dentries: two, Top: 1, Mnt: 1}, true},
		{value.Path{Names: []int{0}, Dentries: two, Top: 1, Mnt: 1, Up: 1, Mount: mount}, true},
		{value.Path{Names: []int{0}, Dentries: two, Top: 1, Mnt: 1, Mount: mount}, false},
		{value.Path{Names: []int{0}, Dentries: two, Top: 1, Mnt: 1, Up: 1, Mount: &value.Path{Dentries: []int{1}}}, false},
		{value.Path{Names: []int{0}, Dentries: two, Top: 1, Mnt: 1, Up: 1, Mount: &value.Path{Dentries: []int{1}, Top: 1}}, true},
		{value.Path{Names: []int{0}, Dentries: two, Mount: &value.Path{Dentries: []int{1}}}, true},
	} {
		if got := tt.p.IsWhole(); got != tt.want {
			t.Errorf("path %d is whole: %v", i, got)
		}
	}
}
