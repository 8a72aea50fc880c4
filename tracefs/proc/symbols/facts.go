package symbols

import (
	"bytes"
	"slices"
)

// Facts is what /proc/kallsyms says about the functions with one name.
type Facts struct {
	Count   int      // functions of exactly this name in the kernel itself
	Addrs   []uint64 // their addresses; empty if addresses are hidden
	Modules []string // modules that have a function of this name
	Clones  []string // functions that the compiler made of it: "name.isra.0", "name.cold"
}

// fewNames is the number of names up to which it is faster to look them up one by one.
const fewNames = 8

// lookupFacts collects facts about names from the text of /proc/kallsyms. stext is the
// address of _stext, 0 if it is hidden. The result has an entry for every name, which
// may be empty.
func lookupFacts(text []byte, names []string) (facts map[string]Facts, stext uint64) {
	found := make(map[string]*Facts, len(names))
	for _, n := range names {
		found[n] = new(Facts)
	}
	if len(found) <= fewNames {
		for n, f := range found {
			one := map[string]*Facts{n: f}
			for l := range linesWith(text, n) {
				collect(one, l)
			}
		}
	} else {
		for l := range lines(text) {
			collect(found, l)
		}
	}
	facts = make(map[string]Facts, len(found))
	for n, f := range found {
		facts[n] = *f
	}
	return facts, addrOf(text, "_stext")
}

func collect(found map[string]*Facts, l *line) {
	if !l.text() {
		return
	}
	if f := found[string(l.name)]; f != nil {
		switch {
		case l.module == nil:
			f.Count++
			if l.addr != 0 {
				f.Addrs = append(f.Addrs, l.addr)
			}
		case !slices.Contains(f.Modules, string(l.module)):
			f.Modules = append(f.Modules, string(l.module))
		}
	}
	if dot := bytes.IndexByte(l.name, '.'); dot > 0 {
		if f := found[string(l.name[:dot])]; f != nil && !slices.Contains(f.Clones, string(l.name)) {
			f.Clones = append(f.Clones, string(l.name))
		}
	}
}

// ModuleFuncs returns the functions of a loaded module, or of all if module is "".
func (t *Table) ModuleFuncs(module string) (names []string, err error) {
	text, err := t.text()
	for l := range lines(text) {
		if l.module != nil && l.text() && (module == "" || string(l.module) == module) {
			names = append(names, string(l.name))
		}
	}
	return names, err
}
