// Package symbols finds the symbols of a kernel: names by address, and addresses and more
// by name. A Table hides where it reads them.
//
// The kernel's own symbols are read from its memory, those of modules from /proc/kallsyms
// and only if they are asked for: to write that file the kernel takes longer than
// everything else takes in a short run. On 6.12, counted in instructions of one
// nanosecond each, a trace of /bin/true takes 350 ms this way and 690 ms with the file,
// whose reading alone takes 325 ms.
package symbols

import (
	"errors"
	"os"
	"sync"

	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// A Table has the symbols of a kernel. It reads each source once, when it is needed. Its
// methods may be called from any goroutine.
type Table struct {
	// Unreadable, if not nil, is called once if addresses cannot be looked up.
	Unreadable func(error)

	image func() *image // the kernel's own symbols; nil if they cannot be read alone
	text  func() ([]byte, error)
	stale func() bool  // modules were loaded or unloaded since text was read
	list  func() *list // all symbols; nil if they cannot be read

	pooled *pooled // of a Pool, which has its list; nil for others
}

// Running returns the symbols of the running kernel.
func Running() *Table {
	t := &Table{}
	t.image = sync.OnceValue(func() *image {
		m, _ := readImage() // without it there is the text
		return m
	})
	var loaded string
	t.text = sync.OnceValues(func() ([]byte, error) {
		loaded = proc.LoadedModules()
		return readText()
	})
	t.stale = func() bool { return proc.LoadedModules() != loaded }
	t.list = sync.OnceValue(func() *list {
		text, err := t.text()
		return t.parse(text, err)
	})
	return t
}

// Recorded returns the symbols in a copy of /proc/kallsyms. If that is empty or closed,
// no symbol is known.
func Recorded(text func() ([]byte, error)) *Table {
	t := &Table{image: func() *image { return nil }, text: sync.OnceValues(text), stale: func() bool { return false }}
	t.list = sync.OnceValue(func() *list {
		text, err := t.text()
		if err == nil && len(text) == 0 || errors.Is(err, os.ErrClosed) {
			return nil
		}
		return t.parse(text, err)
	})
	return t
}

// parse parses the text. It reports an error, also that of reading the text.
func (t *Table) parse(text []byte, err error) *list {
	var l *list
	if err == nil {
		l, err = parseList(text)
	}
	if err != nil && t.Unreadable != nil {
		t.Unreadable(err)
	}
	return l
}

// Prepare reads what the first call of Name needs, which takes long.
func (t *Table) Prepare() {
	if t.image() == nil {
		t.list()
	}
}

// Name returns the nearest symbol at or below addr, its module ("" for the kernel
// itself), and the offset of addr in it, in bytes. ok is false if addr is not in a
// known part of the kernel, or may be the address of a per-CPU object.
func (t *Table) Name(addr uint64) (name, module string, off uint64, ok bool) {
	if t.pooled != nil {
		a := t.pooled.at(addr)
		return a.name, a.module, a.off, a.ok
	}
	if m := t.image(); m != nil {
		if name, module, off, ok = m.Name(addr); ok {
			return name, module, off, ok
		}
	}
	if l := t.list(); l != nil {
		return l.Name(addr)
	}
	return "", "", 0, false
}

// IsCode reports whether the nearest symbol at or below addr is a function.
func (t *Table) IsCode(addr uint64) bool {
	if t.pooled != nil {
		return t.pooled.at(addr).code
	}
	if m := t.image(); m != nil && m.IsCode(addr) {
		return true
	}
	l := t.list()
	return l != nil && l.IsCode(addr)
}

// Addr returns the address of a symbol. If several have the name it returns the lowest,
// preferring the kernel's own to those of modules.
func (t *Table) Addr(name string) (uint64, bool) {
	if m := t.image(); m != nil {
		if addr, ok := m.Addr(name); ok {
			return addr, true
		}
	}
	if l := t.list(); l != nil {
		return l.Addr(name)
	}
	return 0, false
}

// Facts returns what is known of the functions with these names, and the address of
// _stext. Modules are searched if modules is set or if the kernel itself lacks one of the
// names. It returns nil if the table does not exist.
func (t *Table) Facts(names []string, modules bool) (facts map[string]Facts, stext uint64, err error) {
	if m := t.image(); m != nil && !modules {
		facts, stext = m.Facts(names)
		for _, f := range facts {
			modules = modules || f.Count == 0
		}
	}
	if facts != nil && !modules {
		return facts, stext, nil
	}
	text, err := t.text()
	if err == nil && len(text) > 0 {
		facts, stext = lookupFacts(text, names)
		return facts, stext, nil
	}
	if isHidden(err) {
		err = nil
	}
	return nil, 0, err
}

// Addrs returns all addresses of a symbol of the kernel itself.
func (t *Table) Addrs(name string) []uint64 {
	if m := t.image(); m != nil {
		return m.Addrs(name)
	}
	text, err := t.text()
	if err != nil {
		return nil
	}
	return lookupAddrs(text, name)
}

// Place returns where the symbols of a name are.
func (t *Table) Place(name string) (Place, error) {
	text, err := t.text()
	if isHidden(err) {
		return Place{Addrs: []uint64{0}, Hidden: true}, nil
	}
	return lookupPlace(text, name), err
}

// IsLocal reports whether all functions of a name are static: only the file that each is
// in can call it.
func (t *Table) IsLocal(name string) bool {
	if m := t.image(); m != nil {
		return m.isLocal(name)
	}
	text, _ := t.text()
	return isLocal(text, name)
}

// Others returns the lines of /proc/kallsyms of the symbols that [Table.Used] does not
// know. It reads the file, which takes the kernel long, and reads it again if modules were
// loaded or unloaded since.
func (t *Table) Others() ([]byte, error) {
	text, err := t.text()
	if t.stale() {
		text, err = readText()
	}
	if t.image() != nil {
		text = ofModules(text)
	}
	return text, err
}

// isHidden reports whether err says that a file does not exist or may not be read.
func isHidden(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}
