package btf

// FromBytes is Open of a file with these bytes.
func FromBytes(data []byte) *Kernel {
	k := &Kernel{loaded: true}
	k.base, k.err = parseBlob(data, "", nil)
	return k
}

// WithModule returns the kernel with a module's BTF on top. Data that cannot be read are
// left out, as a file is.
func (k *Kernel) WithModule(name string, data []byte) *Kernel {
	k = &Kernel{loaded: true, base: k.base, err: k.err}
	k.AddModule(name, data)
	return k
}
