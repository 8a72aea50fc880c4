package syscalls

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
)

// A Narrow says how 32-bit programs do a system call.
type Narrow struct {
	Never  bool // not by the function of this name
	Plain  bool // not by the function of this name that is only for 32-bit programs
	Others []Other
	Via    string // a call that may do it too, with the arguments in memory
}

// An Other is a function that 32-bit programs call instead.
type Other struct {
	Name  string
	Proto *Proto // nil if it has the parameters of the call
}

//go:embed syscalls32.txt
var syscall32Text string

// narrowTable has the calls by name, and by NAME@ARCH what applies to one architecture
// only. The calls under "-" are done only by 32-bit programs.
var narrowTable = sync.OnceValue(func() map[string]Narrow {
	table := map[string]Narrow{}
	for line := range strings.Lines(syscall32Text) {
		line = strings.TrimSpace(line)
		name, rest, _ := strings.Cut(line, " ")
		if line == "" || line[0] == '#' {
			continue
		}
		c := table[name]
		switch how, text, _ := strings.Cut(rest, " "); how {
		case "-":
			c.Never = true
		case "sys":
			c.Plain = true
		case "via":
			c.Via = text
		case "=":
			other := Other{Name: text}
			if strings.Contains(text, "(") {
				var proto Proto
				other.Name, proto = parse(text)
				other.Proto = &proto
			}
			c.Others = append(c.Others, other)
		}
		table[name] = c
	}
	return table
})

// NarrowOf says how 32-bit programs do a system call on an architecture.
func NarrowOf(name, arch string) Narrow {
	c, here := narrowTable()[name], narrowTable()[name+"@"+arch]
	c.Never, c.Plain = c.Never || here.Never, c.Plain || here.Plain
	c.Others, c.Via = append(slices.Clip(c.Others), here.Others...), here.Via
	return c
}

// NarrowNames yields the names for which NarrowOf has something to say, in no order, some of
// them more than once.
func NarrowNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range narrowTable() {
			if name, _, _ = strings.Cut(name, "@"); !yield(name) {
				return
			}
		}
	}
}

// Native returns the system call that 32-bit programs also do under the name short,
// "" if there is none.
func Native(short string) string {
	return nativeCalls()[short]
}

var nativeCalls = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for name, c := range narrowTable() {
		name, _, _ = strings.Cut(name, "@")
		for _, other := range c.Others {
			if name != "-" {
				table[other.Name] = name
			}
		}
	}
	return table
})
