package btf

import (
	"slices"
	"strings"

	cbtf "github.com/cilium/ebpf/btf"
)

// A Func is a function with its prototype. BTF has the functions that the compiler
// emitted, under their names in the source.
type Func struct {
	Name     string
	Module   string // "" for vmlinux
	Params   []Param
	Return   Type
	Variadic bool
	Records  int // functions of this name in the BTF, which has no addresses to distinguish them
	Copies   int // different prototypes among these; 1 if it is unambiguous

	// Untyped is set if the function has no prototype. Params and Return are then not
	// set.
	Untyped bool
}

// A Param is a parameter of a function. Its name is "" if the source has none.
type Param = cbtf.FuncParam

// Func returns a function: of the module, or if module is "", of vmlinux or else of any
// module that has BTF.
//
// Errors are *NotFoundError, and errors of reading BTF.
func (k *Kernel) Func(module, name string) (*Func, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	if module != "" {
		b := base
		if key := moduleKey(module); key != "" {
			if b, err = k.module(module); err != nil {
				return nil, err
			}
		}
		if b == nil {
			return nil, k.noModule(module)
		}
		if f := b.function(name); f != nil {
			return f, nil
		}
		return nil, &NotFoundError{What: "function", Name: name, In: b.title(), Suggestions: b.suggestFuncs(name)}
	}
	for b := range k.blobs {
		if f := b.function(name); f != nil {
			return f, nil
		}
	}
	return nil, &NotFoundError{What: "function", Name: name, In: base.title(), Suggestions: k.suggestFuncs(name)}
}

// HasFunc reports whether vmlinux has a function. It is faster than Func if there is
// none.
func (k *Kernel) HasFunc(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	return err == nil && base.function(name) != nil
}

// Prepare prepares for calls of Func with these names. It takes less time than looking
// them up one by one.
func (k *Kernel) Prepare(names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if base, err := k.vmlinux(); err == nil && base.raw != nil && len(names) > 1 {
		base.raw.Prepare(names) // the next question returns the error again
	}
}

// function returns the function of that name, nil if the blob has none.
func (b *blob) function(name string) *Func {
	var found *Func
	for _, fn := range byName[*cbtf.Func](b, name) {
		f := newFunc(fn, b.name)
		switch {
		case f == nil:
		case found == nil:
			found = f
		case found.String() != f.String():
			found.Copies++
		}
		if f != nil {
			found.Records++
		}
	}
	return found
}

func (b *blob) suggestFuncs(name string) []string {
	return SuggestFuncs(name, func(yield func(string) bool) {
		b.eachFunc(func(fn []byte) { yield(string(fn)) }) // near wants all
	})
}

// suggestFuncs is like that of a blob, for vmlinux and all modules. k.mu is held.
func (k *Kernel) suggestFuncs(name string) []string {
	return SuggestFuncs(name, func(yield func(string) bool) {
		visit := func(fn []byte) { yield(string(fn)) } // near wants all
		k.base.eachFunc(visit)
		for _, m := range k.moduleNames() {
			k.eachModuleFunc(m, visit)
		}
	})
}

// mostParams is how many parameters a function may have. No kernel's have half as many. In
// damaged BTF a few bytes give each of thousands of functions the same thousands.
const mostParams = 64

// newFunc returns nil for a function that has no prototype, or none that can be believed.
func newFunc(fn *cbtf.Func, module string) *Func {
	proto, ok := fn.Type.(*FuncProto)
	if !ok || len(proto.Params) > mostParams {
		return nil
	}
	n := len(proto.Params)
	// A last parameter without name and type is "..." (btf.rst, BTF_KIND_FUNC_PROTO).
	variadic := n > 0 && variadicParam(proto, n-1)
	if variadic {
		n--
	}
	return &Func{Name: fn.Name, Module: module, Params: slices.Clip(proto.Params[:n]), Return: proto.Return, Variadic: variadic, Copies: 1}
}

// Funcs returns the functions whose names match a glob ([Glob]), sorted by name: "tcp_*",
// or for one module "mod:ext4" and "mod:ext4:ext4_get_*".
//
// Errors are path.ErrBadPattern, *NotFoundError for a module without BTF, and errors of
// reading BTF.
func (k *Kernel) Funcs(pattern string) ([]*Func, error) {
	p, err := parseFuncPattern(pattern)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, err := k.vmlinux(); err != nil {
		return nil, err
	}
	var funcs []*Func
	found := false
	for b := range k.blobs {
		if !p.includes(b.name) {
			continue
		}
		found = true
		for _, fn := range b.funcs(p.match) {
			if f := newFunc(fn, b.name); f != nil {
				funcs = append(funcs, f)
			}
		}
	}
	if !found {
		return nil, k.noModule(p.module)
	}
	slices.SortStableFunc(funcs, func(a, b *Func) int { return strings.Compare(a.Name, b.Name) })
	return countCopies(funcs), nil
}

// A funcPattern is a pattern of Funcs.
type funcPattern struct {
	inModule bool // the functions of one module, which may be "vmlinux"
	module   string
	match    *glob
}

// parseFuncPattern parses "tcp_*", "mod:ext4", "mod:ext4:ext4_get_*" and "ext4:ext4_get_*".
//
// The error is path.ErrBadPattern.
func parseFuncPattern(pattern string) (p funcPattern, err error) {
	p.module, p.inModule = strings.CutPrefix(pattern, "mod:")
	if p.inModule || strings.Contains(pattern, ":") && !strings.HasPrefix(pattern, "syscall:") {
		if p.module, pattern, p.inModule = strings.Cut(p.module, ":"); !p.inModule {
			p.inModule, pattern = true, "*"
		}
	}
	p.match, err = parseGlob(pattern)
	return p, err
}

// includes reports whether functions of a module can match: "" is the kernel's own.
func (p *funcPattern) includes(module string) bool {
	return !p.inModule || p.module != "" && module == moduleKey(p.module)
}

// noModule returns the error for a module that has no BTF here. k.mu is held.
func (k *Kernel) noModule(name string) error {
	return &NotFoundError{What: "module", Name: name, Suggestions: Suggest(name, slices.Values(k.moduleNames()))}
}

// countCopies merges equal functions and counts those of one name. Functions of one name
// must be next to each other.
func countCopies(funcs []*Func) []*Func {
	type prototype struct{ module, text string }
	var unique []*Func
	for len(funcs) > 0 {
		n := 1
		for n < len(funcs) && funcs[n].Name == funcs[0].Name {
			n++
		}
		same := funcs[:n]
		if funcs = funcs[n:]; n == 1 {
			same[0].Records = 1
			unique = append(unique, same[0])
			continue
		}
		seen, records, copies := map[prototype]bool{}, map[string]int{}, map[string]int{}
		first := len(unique)
		for _, f := range same {
			records[f.Module]++
			if p := (prototype{f.Module, f.String()}); !seen[p] {
				seen[p] = true
				copies[f.Module]++
				unique = append(unique, f)
			}
		}
		for _, f := range unique[first:] {
			f.Records, f.Copies = records[f.Module], copies[f.Module]
		}
	}
	return unique
}

// String returns the prototype in C: "int ip_send_skb(struct net *net, struct sk_buff
// *skb)".
func (f *Func) String() string {
	if f.Untyped {
		return f.Name + "(...)"
	}
	proto := FuncProto{Params: f.Params, Return: f.Return}
	if f.Variadic {
		proto.Params = append(slices.Clip(proto.Params), Param{})
	}
	return Declare(&proto, f.Name)
}
