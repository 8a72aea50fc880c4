package btf

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf/thin"
)

// A blob is the BTF of vmlinux or of one module.
type blob struct {
	name  string     // name of the module, "" for vmlinux
	raw   *thin.BTF  // from which thin slices are cut; nil for BTF that is too small for that
	spec  *cbtf.Spec // all of it, decoded; nil until needed if raw is set
	names *names     // nil until needed
	size  thin.Size  // unless it is a module
}

// names indexes what a blob defines. Building it decodes every type: where there is raw BTF
// it is only for what cannot be cut out of that, and for many types.
type names struct {
	funcs []*cbtf.Func       // sorted by name
	types []string           // "struct sk_buff", "u32", sorted
	enums map[string][]*Enum // by the names of their constants
}

// title returns the name of the blob for messages.
func (b *blob) title() string {
	if b.name == "" {
		return "vmlinux"
	}
	return "module " + b.name
}

// readBlob reads the BTF of a file: split BTF if there is a base.
func readBlob(file, name string, base *blob) (*blob, error) {
	data, err := read(file, false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", err, ErrNoBTF)
	}
	if err != nil {
		return nil, err
	}
	b, err := parseBlob(data, name, base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}

// parseBlob decodes raw BTF, or the BTF section of an ELF file.
//
// Errors wrap ErrNoBTF if data has no BTF, or damaged BTF.
func parseBlob(data []byte, name string, base *blob) (b *blob, err error) {
	defer func() {
		// A decoder might panic on a damaged file, although fuzzing found none that does.
		if r := recover(); r != nil {
			b, err = nil, fmt.Errorf("damaged: %v: %w", r, ErrNoBTF)
		}
	}()
	data, err = section(data)
	if err != nil {
		return nil, err
	}
	var baseSpec *cbtf.Spec
	var size thin.Size
	if base != nil {
		if baseSpec, err = base.all(); err != nil {
			return nil, err
		}
		size = base.size
	}
	spec, err := thin.Decode(data, baseSpec, size, false)
	if err != nil {
		if at, what := thin.Damage(data); what != "" {
			return nil, fmt.Errorf("damaged at byte %d: %s: %w", at, what, ErrNoBTF)
		}
		return nil, fmt.Errorf("%w: %w", err, ErrNoBTF)
	}
	return &blob{name: name, spec: spec, size: thin.Measure(data)}, nil
}

// section returns the raw BTF in data, which is raw BTF itself or an ELF file.
func section(data []byte) ([]byte, error) {
	switch {
	case isRaw(data):
		return data, nil
	case !isELF(data):
		return nil, fmt.Errorf("neither BTF nor ELF: %w", ErrNoBTF)
	}
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, ErrNoBTF)
	}
	s := file.Section(".BTF")
	if s == nil {
		return nil, fmt.Errorf("ELF without a section .BTF: %w", ErrNoBTF)
	}
	if file.Section(".BTF.base") != nil {
		// Distilled base, since 6.11, in modules built out of tree: type ids are relative
		// to it, and the kernel relocates them when it loads the module.
		return nil, fmt.Errorf("section .BTF is relative to .BTF.base: load the module and read %s instead", sysDir)
	}
	if s.Size > min(uint64(len(data)), maxTypes) {
		return nil, fmt.Errorf("section .BTF at byte %d: %d bytes, more than the %d of the file or than %d: %w", s.Offset, s.Size, len(data), maxTypes, ErrNoBTF)
	}
	if data, err = s.Data(); err != nil {
		return nil, fmt.Errorf("section .BTF: %w: %w", err, ErrNoBTF)
	}
	return data, nil
}

// all returns all of the BTF, decoded.
func (b *blob) all() (*cbtf.Spec, error) {
	if b.spec != nil {
		return b.spec, nil
	}
	spec, err := thin.Decode(b.raw.Data(), nil, thin.Size{}, true)
	b.spec = spec
	return spec, err
}

// typesNamed returns the types of that name. It may also return some whose names begin
// with it.
func (b *blob) typesNamed(name string) ([]Type, error) {
	if b.raw != nil && b.spec == nil {
		if types, err := b.raw.Named(name); err == nil {
			return types, nil
		}
	}
	spec, err := b.all()
	if err != nil {
		return nil, err
	}
	if strings.Contains(name, "___") {
		// cilium/ebpf takes "___" for the start of a flavour, libbpf's way to give a type
		// several definitions. But the kernel has functions with such names.
		return b.searched(spec, name)
	}
	return spec.AnyTypesByName(name)
}

// searched finds the types of a name by looking at all types.
func (b *blob) searched(spec *cbtf.Spec, name string) ([]Type, error) {
	var types []Type
	for t, err := range spec.All() {
		if err != nil {
			return nil, err
		}
		if t.TypeName() == name {
			types = append(types, t)
		}
	}
	return types, nil
}

// funcs returns the functions whose names match, in the order of the BTF.
func (b *blob) funcs(match *glob) (found []*cbtf.Func) {
	if b.raw != nil {
		if found, err := b.raw.Funcs(match.matchBytes); err == nil {
			return found
		}
	}
	for _, f := range b.index().funcs {
		if match.match(f.Name) {
			found = append(found, f)
		}
	}
	return found
}

// index returns the names that the blob defines.
func (b *blob) index() *names {
	if b.names != nil {
		return b.names
	}
	n := &names{enums: make(map[string][]*Enum)}
	spec, err := b.all()
	if err != nil {
		return n
	}
	for t, err := range spec.All() {
		if err != nil {
			break // damaged from here on: what came before still counts
		}
		switch t := t.(type) {
		case *cbtf.Func:
			n.funcs = append(n.funcs, t)
		case *Enum:
			for _, v := range t.Values {
				n.enums[v.Name] = append(n.enums[v.Name], t)
			}
			n.addType(t)
		case *Struct, *Union, *Typedef:
			n.addType(t)
		}
	}
	slices.SortStableFunc(n.funcs, func(a, b *cbtf.Func) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(n.types)
	n.types = slices.Compact(n.types)
	b.names = n
	return n
}

// types yields the names of the types that the blob defines, some of them twice.
func (b *blob) types() iter.Seq[string] {
	if b.raw != nil {
		return b.raw.Types
	}
	return slices.Values(b.index().types)
}

func (n *names) addType(t Type) {
	if t.TypeName() != "" {
		n.types = append(n.types, Name(t))
	}
}

// byName returns the types of that name that are of kind T, in the order of the BTF.
func byName[T Type](b *blob, name string) []T {
	all, err := b.typesNamed(name)
	if err != nil {
		return nil
	}
	var found []T
	for _, t := range all {
		// Compare the name again: the lookup also returns some "x___y" for "x".
		if t, ok := t.(T); ok && t.TypeName() == name {
			found = append(found, t)
		}
	}
	return found
}
