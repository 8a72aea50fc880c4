// Package constants knows the macros of the kernel's user API, such as O_CREAT, AF_INET
// and ETH_P_IP, which BTF does not have. It returns the value of a macro by its name, and
// the names of the flags in a number.
package constants

import (
	_ "embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./testdata/gen

// The macros, one a line. Package main in testdata/gen makes all files but kernel.txt,
// which has macros that the C library lacks or names differently.
var (
	//go:embed linux.txt
	linux string
	//go:embed linux_amd64.txt
	linuxAMD64 string
	//go:embed linux_arm64.txt
	linuxARM64 string
	//go:embed kernel.txt
	kernel string
)

// A Table has the macros of one architecture, or those and the enums of one kernel.
// Several goroutines may use it.
type Table struct {
	arch  string
	names func() map[string]int64
	list  func() []string                  // all names, sorted
	enum  func(constant string) []Constant // the kernel's own; nil if no kernel is known

	mu   sync.Mutex
	sets map[string]*Set
}

var tables = []*Table{newTable("amd64", linuxAMD64), newTable("arm64", linuxARM64)}

func newTable(arch, own string) *Table {
	t := &Table{arch: arch, sets: map[string]*Set{}}
	t.names = sync.OnceValue(func() map[string]int64 {
		names := map[string]int64{}
		for _, text := range []string{linux, own, kernel} {
			for line := range strings.Lines(text) {
				addMacro(names, arch, line)
			}
		}
		return names
	})
	t.list = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(t.names())) })
	return t
}

// addMacro adds a line of a table: a name, a value, and optionally the only architecture
// that it is for.
func addMacro(names map[string]int64, arch, line string) {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] == "#" || len(words) > 2 && words[2] != arch {
		return
	}
	if n, err := strconv.ParseInt(words[1], 0, 64); err == nil {
		names[words[0]] = n
	} else if u, err := strconv.ParseUint(words[1], 0, 64); err == nil {
		names[words[0]] = int64(u)
	}
}

// For returns the table of an architecture by its GOARCH name; nil if there is none.
func For(arch string) *Table {
	if i := slices.IndexFunc(tables, func(t *Table) bool { return t.arch == arch }); i >= 0 {
		return tables[i]
	}
	return nil
}

// Value returns the value of a macro, and whether there is one; unsigned values of 64
// bits wrap. A nil table has none.
func (t *Table) Value(name string) (int64, bool) {
	if t == nil {
		return 0, false
	}
	n, ok := t.names()[name]
	if !ok {
		return t.bitNamed(name)
	}
	return n, ok
}

// Names returns the names of all macros, sorted.
func (t *Table) Names() []string {
	if t == nil {
		return nil
	}
	return slices.Clone(t.list())
}

// EachName yields the names of all macros, in no order.
func (t *Table) EachName(yield func(name string) bool) {
	if t == nil {
		return
	}
	for name := range t.names() {
		if !yield(name) {
			return
		}
	}
}

// All yields the names and values of all macros.
func (t *Table) All(yield func(name, value string) bool) {
	for _, name := range t.Names() {
		if n, _ := t.Value(name); !yield(name, fmt.Sprintf("%#x", n)) {
			return
		}
	}
}

// matching returns the macros that match a glob, or the one of that name. It leaves out
// the limits _MAX and _MIN.
func (t *Table) matching(glob string) (all []string) {
	meta := strings.IndexAny(glob, "*[")
	if meta < 0 {
		return []string{glob}
	}
	list := t.list()
	start, _ := slices.BinarySearch(list, glob[:meta])
	for _, name := range list[start:] {
		if !strings.HasPrefix(name, glob[:meta]) {
			break
		}
		if ok, _ := path.Match(glob, name); ok && !strings.HasSuffix(name, "_MAX") && !strings.HasSuffix(name, "_MIN") {
			all = append(all, name)
		}
	}
	return all
}
