package btf

import (
	"iter"
	"path"
	"slices"
)

// TypeNames returns the types whose names match a glob (path.Match), sorted, each once:
// "struct sk_*". Typedefs have no keyword.
//
// Errors are path.ErrBadPattern, and errors of reading BTF.
func (k *Kernel) TypeNames(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	var found []string
	add := func(names iter.Seq[string]) {
		for name := range names {
			if match, _ := path.Match(pattern, name); match {
				found = append(found, name)
			}
		}
	}
	add(base.types())
	for _, name := range k.moduleNames() {
		if raw := k.rawModule(name); raw != nil {
			add(raw.TypesOn(base.raw))
		} else if b, _ := k.module(name); b != nil {
			add(b.types())
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// manyTypes is how many types take less time if all are decoded than if each is cut out.
const manyTypes = 1000

// expect prepares for calls of Type with so many different names.
func (k *Kernel) expect(types int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if base, err := k.vmlinux(); err == nil && types > manyTypes {
		base.all() // the next question returns the error again
	}
}
