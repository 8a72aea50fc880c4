package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// await adds the module of a spec to those that t waits for, with its types, unless it is
// loaded. If the spec names none, as in ext4_file_open, the module may be the beginning of
// the function's name.
func (h *Host) await(t *target.Target, s *spec.Spec) {
	if s.Module.Text != "" {
		h.awaitModule(t, s.Module.Text)
		return
	}
	name, _, _ := strings.Cut(s.Func.Text, ".")
	if _, err := t.Kernel.Func("", name); err == nil || spec.IsGlob(name) {
		return
	}
	for i := strings.LastIndexByte(name, '_'); i > 0; i = strings.LastIndexByte(name[:i], '_') {
		h.awaitModule(t, name[:i])
		if awaited, why := t.Waits(name[:i]); awaited && why == nil {
			if _, err := t.Kernel.Func(name[:i], name); err == nil {
				return
			}
		}
	}
}

// awaitModule reads the file of a module once.
func (h *Host) awaitModule(t *target.Target, module string) {
	if _, known := t.Awaited[module]; !known && t.Lacks(module) {
		t.Awaited[module] = h.addTypes(t.Kernel, module)
	}
}

func (h *Host) addTypes(k *btf.Kernel, name string) error {
	file, err := proc.ReadModuleFile(name)
	if err != nil {
		return err
	}
	if file == nil {
		return errors.New("modules.dep, below /lib/modules, has no file of it")
	}
	if err := k.AddModule(name, file.Data); err != nil {
		return fmt.Errorf("%s: %w", file.Path, err)
	}
	h.builds[name] = file.Build()
	return nil
}

// Build returns the build of a module whose types were read before it is loaded, "" for any
// other.
func (h *Host) Build(module string) string { return h.builds[module] }
