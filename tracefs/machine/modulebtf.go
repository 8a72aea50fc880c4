package machine

import (
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// await returns a function that adds to k the types of a module that is not loaded yet,
// from the module's file, and reports whether the module is still to be loaded. Each
// file is read once.
func (m *Machine) await(k *btf.Kernel) func(name string) (bool, error) {
	asked := map[string]error{}
	return func(name string) (bool, error) {
		if proc.ModuleLoaded(name) {
			return false, nil
		}
		why, known := asked[name]
		if !known {
			why = m.addTypes(k, name)
			asked[name] = why
		}
		return true, why
	}
}

func (m *Machine) addTypes(k *btf.Kernel, name string) error {
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
	m.builds[name] = file.Build()
	return nil
}

// Build returns the build of a module whose types were read before it is loaded, "" for any
// other.
func (m *Machine) Build(module string) string { return m.builds[module] }
