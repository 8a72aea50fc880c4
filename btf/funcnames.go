package btf

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf/thin"
)

// A FuncName identifies a function of a kernel. Module is "" for vmlinux.
type FuncName struct{ Module, Name string }

// FuncNames returns the functions whose names match a glob ([Glob]), sorted by name, each
// once: of the module, or if module is "", of vmlinux and of every module that has BTF.
// It decodes no types, so it is much faster than Funcs.
//
// Errors are path.ErrBadPattern, *NotFoundError for a module without BTF, and errors of
// reading BTF.
func (k *Kernel) FuncNames(module, pattern string) ([]FuncName, error) {
	match, err := parseGlob(pattern)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	var found []FuncName
	add := func(in string) func([]byte) {
		return func(name []byte) {
			if match.matchBytes(name) {
				found = append(found, FuncName{in, string(name)})
			}
		}
	}
	if moduleKey(module) == "" {
		base.eachFunc(add(""))
	}
	modules := k.moduleNames()
	switch key := moduleKey(module); {
	case module == "":
	case key == "":
		modules = nil
	case !slices.Contains(modules, key):
		return nil, &NotFoundError{What: "module", Name: module, Suggestions: Suggest(module, slices.Values(modules))}
	default:
		modules = []string{key}
	}
	for _, m := range modules {
		k.eachModuleFunc(m, add(m))
	}
	slices.SortFunc(found, func(a, b FuncName) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Module, b.Module)
	})
	return slices.Compact(found), nil
}

// eachFunc calls visit for the name of each function of the blob.
func (b *blob) eachFunc(visit func([]byte)) {
	if b.raw != nil {
		b.raw.EachFunc(nil, visit)
		return
	}
	for _, f := range b.index().funcs {
		visit([]byte(f.Name))
	}
}

// eachModuleFunc calls visit for the name of each function of a module. If its BTF cannot
// be read, it does nothing, because a damaged module must not stop the search. k.mu is
// held.
func (k *Kernel) eachModuleFunc(name string, visit func([]byte)) {
	if raw := k.rawModule(name); raw != nil {
		raw.EachFunc(k.base.raw, visit)
	} else if b, _ := k.module(name); b != nil {
		b.eachFunc(visit)
	}
}

// rawModule returns a module's BTF undecoded; nil if it must be decoded.
func (k *Kernel) rawModule(name string) *thin.BTF {
	files := k.moduleFiles()
	i := slices.IndexFunc(files, func(f string) bool { return moduleName(f) == name })
	if i < 0 || k.base.raw == nil || k.modules[name] != nil {
		return nil
	}
	data, err := read(files[i], false)
	if err != nil {
		return nil
	}
	if data, err = section(data); err != nil {
		return nil
	}
	raw, err := thin.Parse(data)
	if err != nil || k.dir == "" && thin.Check(data, k.base.size) != nil { // anybody may have made it
		return nil
	}
	return raw
}
