package btf

import (
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
	if _, err := k.vmlinux(); err != nil {
		return nil, err
	}
	var found []string
	for b := range k.blobs {
		// Decoded, since the types that match will be asked for.
		for _, name := range b.index().types {
			if match, _ := path.Match(pattern, name); match {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}
