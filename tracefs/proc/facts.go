package proc

import (
	"bytes"
	"io"
	"slices"
)

// Facts is what /proc/kallsyms knows of the functions that go by one name.
type Facts struct {
	Count   int      // functions of exactly this name in the kernel itself
	Addrs   []uint64 // theirs; empty if addresses are hidden
	Modules []string // modules that have a function of this name
	Clones  []string // what the compiler made of it: "name.isra.0", "name.cold"
	Prefix  bool     // there is a __pfx_name, padding in front of the function (6.2)
}

var prefix = []byte("__pfx_")

// LookupFacts collects the facts about the names in one pass over
// /proc/kallsyms, and the address of _stext, 0 if it is hidden. Every name has
// an entry in the result, if an empty one.
func LookupFacts(r io.Reader, names []string) (facts map[string]Facts, stext uint64, err error) {
	found := make(map[string]*Facts, len(names))
	for _, n := range names {
		found[n] = new(Facts)
	}
	for l, err := range lines(r) {
		if err != nil {
			return nil, 0, err
		}
		if stext == 0 && string(l.name) == "_stext" {
			stext = l.addr
		}
		if l.text() {
			collect(found, l)
		}
	}
	facts = make(map[string]Facts, len(found))
	for n, f := range found {
		facts[n] = *f
	}
	return facts, stext, nil
}

func collect(found map[string]*Facts, l *line) {
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
		return
	}
	if dot := bytes.IndexByte(l.name, '.'); dot > 0 {
		if f := found[string(l.name[:dot])]; f != nil && !slices.Contains(f.Clones, string(l.name)) {
			f.Clones = append(f.Clones, string(l.name))
		}
		return
	}
	if base, ok := bytes.CutPrefix(l.name, prefix); ok {
		if f := found[string(base)]; f != nil {
			f.Prefix = true
		}
	}
}

// LoadFacts is LookupFacts of the running kernel.
func LoadFacts(names []string) (facts map[string]Facts, stext uint64, err error) {
	f, err := open()
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return LookupFacts(f, names)
}
