// Package constants knows the macros of the kernel's user API, of which BTF has
// nothing: O_CREAT, AF_INET, ETH_P_IP. It gives their values by name, and words
// of flags the names of their bits.
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

// The macros, one on a line. The gen made all but kernel.txt, which has those
// that the C library calls differently or has not.
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

// A Table has the macros of one architecture. It is for any number of goroutines.
type Table struct {
	arch  string
	names func() map[string]int64

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
	return t
}

// addMacro adds a line of a table: name, value and perhaps the only architecture
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

// For is the table of an architecture, by its GOARCH name; nil if there is none.
func For(arch string) *Table {
	if i := slices.IndexFunc(tables, func(t *Table) bool { return t.arch == arch }); i >= 0 {
		return tables[i]
	}
	return nil
}

// Value is what a macro stands for; unsigned values of 64 bits wrap. A nil table
// has none.
func (t *Table) Value(name string) (int64, bool) {
	if t == nil {
		return 0, false
	}
	n, ok := t.names()[name]
	return n, ok
}

// Names are all macros, sorted.
func (t *Table) Names() []string {
	if t == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.names()))
}

// All yields all macros and their values.
func (t *Table) All(yield func(name, value string) bool) {
	for _, name := range t.Names() {
		if n, _ := t.Value(name); !yield(name, fmt.Sprintf("%#x", n)) {
			return
		}
	}
}

// matching are the macros that a glob means, or the one of that name. What only
// bounds the others is left out.
func (t *Table) matching(glob string) []string {
	if !strings.ContainsAny(glob, "*[") {
		return []string{glob}
	}
	return slices.DeleteFunc(t.Names(), func(name string) bool {
		ok, _ := path.Match(glob, name)
		return !ok || strings.HasSuffix(name, "_MAX") || strings.HasSuffix(name, "_MIN")
	})
}
