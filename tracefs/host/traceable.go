package host

import "sync"

// readSites returns the functions of the kernel itself that ftrace knows, see
// symbols.Table.Sites.
func (h *Host) readSites() map[string]uint64 {
	begin, err := h.FS.FunctionListBegin()
	if err != nil {
		return nil
	}
	return h.Symbols.Sites(begin)
}

// traceableOr returns a function that reports whether a function can be probed, nil if that
// is not known. listed returns one made of the kernel's list, which takes long: it is called
// only for functions of modules, if the others are known without it.
func (h *Host) traceableOr(listed func() func(module, name string) bool) func(module, name string) bool {
	sites := h.sites()
	if sites == nil {
		return listed()
	}
	listed = sync.OnceValue(listed)
	return func(module, name string) bool {
		if module != "" {
			known := listed()
			return known == nil || known(module, name)
		}
		_, ok := sites[name]
		return ok
	}
}

// probeSites is for target.ProbeSites.
func (h *Host) probeSites() map[string]uint64 {
	if sites := h.sites(); sites != nil {
		return sites
	}
	return h.FS.ProbeSites()
}
