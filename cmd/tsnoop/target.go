package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// kernelOf opens the BTF that the options name: a file's or the running kernel's.
func kernelOf(o *options) (*btf.Kernel, error) {
	if len(o.btf) == 0 {
		return btf.Running(), nil
	}
	k := btf.Open(o.btf...)
	return k, noTypes(k.CheckModules())
}

// target describes the kernel that specs are resolved for. fs may be nil: then
// this machine's tracefs cannot be read, and what every kernel since 5.10 has
// is assumed.
func target(o *options, fs *tracefs.FS) (*fetchargs.Target, error) {
	kernel, err := kernelOf(o)
	if err != nil {
		return nil, err
	}
	t := &fetchargs.Target{Kernel: kernel, Arch: fetchargs.ArchNamed(o.arch), Pair: o.pairs(), MaxActive: o.active, Comm: o.comm}
	if t.Arch == nil {
		return nil, usagef("amd64 and arm64 are known", "unknown architecture %q", o.arch)
	}
	switch {
	case o.kernel != "":
		if t.Features, err = fetchargs.FeaturesOf(o.kernel); err != nil {
			return nil, usagef("tsnoop --kernel 5.10", "%v", err)
		}
	case fs != nil:
		f, err := fs.Features()
		if err != nil {
			return nil, err
		}
		t.Features = fetchargs.Features{ArgN: f.ArgN, Ustring: f.Ustring, Symbol: f.Symbol, ReturnArgs: f.ReturnArgs, Immediate: f.Immediate, Keeps: f.Symstr}
	default:
		t.Features = fetchargs.Features{ArgN: true, Ustring: true, Symbol: true}
	}
	if !o.foreign() {
		t.Symbols, t.Place = symbolFacts, symbolPlace()
		t.ModuleLoaded = moduleLoaded
		if fs != nil {
			t.LongestArg = sync.OnceValue(fs.LongestArg)
			t.Traceable = func() func(module, name string) bool { return traceableFunctions(fs) }
		}
	}
	return t, nil
}

// symbolFacts asks this machine's symbol table. Where it hides addresses, or
// is not there, names are taken as they are.
func symbolFacts(names []string) (map[string]fetchargs.SymbolFacts, error) {
	text, err := kallsyms()
	facts, stext := map[string]proc.Facts(nil), uint64(0)
	if err == nil {
		facts, stext, err = proc.LookupFacts(bytes.NewReader(text), names)
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := make(map[string]fetchargs.SymbolFacts, len(facts))
	for name, f := range facts {
		s := fetchargs.SymbolFacts{Modules: f.Modules, Clones: f.Clones, Offsets: make([]uint64, f.Count)}
		for i, addr := range f.Addrs {
			if stext != 0 && i < f.Count {
				s.Offsets[i] = addr - stext
			}
		}
		out[name] = s
	}
	return out, nil
}

// symbolPlace asks this machine's symbol table, once for each name.
func symbolPlace() func(name string) (fetchargs.SymbolPlace, error) {
	known := map[string]fetchargs.SymbolPlace{}
	return func(name string) (fetchargs.SymbolPlace, error) {
		if p, ok := known[name]; ok {
			return p, nil
		}
		text, err := kallsyms()
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
			return fetchargs.SymbolPlace{}, err
		}
		p := fetchargs.SymbolPlace(proc.LookupPlace(text, name))
		if err != nil {
			p = fetchargs.SymbolPlace{Addrs: []uint64{0}, Hidden: true}
		}
		known[name] = p
		return p, nil
	}
}

// kallsyms is this machine's symbol table, read once.
var kallsyms = sync.OnceValues(proc.ReadKallsyms)

func moduleLoaded(name string) bool {
	_, err := os.Stat(filepath.Join("/sys/module", strings.ReplaceAll(name, "-", "_")))
	return err == nil
}

// parseSpecs parses all specs and resolves those that are well formed, so
// that one run shows all that is wrong.
func parseSpecs(args []string, t *fetchargs.Target) ([]*fetchargs.Plan, error) {
	var wrong fetchargs.Errors
	var specs []*fetchargs.Spec
	for _, text := range args {
		spec, err := fetchargs.Parse(text)
		var errs fetchargs.Errors
		if errors.As(err, &errs) {
			wrong = append(wrong, errs...)
			continue
		}
		specs = append(specs, spec)
	}
	plans, err := fetchargs.Resolve(specs, t)
	var errs fetchargs.Errors
	if errors.As(err, &errs) {
		wrong = append(wrong, errs...)
	} else if err != nil {
		return nil, noTypes(err)
	}
	if len(wrong) > 0 {
		slices.SortStableFunc(wrong, func(a, b *fetchargs.Error) int {
			return slices.Index(args, a.Text) - slices.Index(args, b.Text)
		})
		return nil, wrong
	}
	return plans, nil
}

// noTypes turns the absence of BTF into words with a way out.
func noTypes(err error) error {
	if err == nil || !errors.Is(err, btf.ErrNoBTF) {
		return err
	}
	return &tracefs.MachineError{
		Msg:  fmt.Sprintf("there are no types to resolve names with: %v", err),
		Cure: "give BTF of this very kernel with --btf FILE: pahole --btf_encode_detached makes it from a vmlinux with debug information; BTFHub has it for many distributions",
		Err:  err,
	}
}
