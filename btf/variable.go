package btf

// Variable returns the type of a variable of vmlinux, and reports whether it is a per-CPU
// variable. Up to about 6.12 BTF has only these.
func (k *Kernel) Variable(name string) (t Type, perCPU, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.vmlinux()
	if err != nil {
		return nil, false, false
	}
	vars := byName[*Var](b, name)
	if len(vars) == 0 {
		return nil, false, false
	}
	return vars[0].Type, b.perCPU(name), true
}

// perCPU reports whether a variable is in the section of per-CPU variables.
func (b *blob) perCPU(name string) bool {
	spec, err := b.all()
	if err != nil {
		return false
	}
	sections, err := spec.AnyTypesByName(".data..percpu")
	if err != nil {
		return false
	}
	for _, s := range sections {
		if s, ok := s.(*Datasec); ok {
			for _, v := range s.Vars {
				if v.Type.TypeName() == name {
					return true
				}
			}
		}
	}
	return false
}
