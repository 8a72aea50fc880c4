package proc

import (
	"bytes"
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

// fewNames are looked up one by one faster than all at once.
const fewNames = 8

// LookupFacts collects the facts about the names in the text of /proc/kallsyms, and
// the address of _stext, 0 if it is hidden. Every name has an entry in the result,
// if an empty one.
func LookupFacts(text []byte, names []string) (facts map[string]Facts, stext uint64) {
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
	text, err := ReadKallsyms()
	if err != nil {
		return nil, 0, err
	}
	facts, stext = LookupFacts(text, names)
	return facts, stext, nil
}
