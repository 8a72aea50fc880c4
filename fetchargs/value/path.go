package value

// A Path locates the names from a directory entry up to the root of its filesystem, and
// further from the place where that is mounted. Its numbers are indexes into the probe's
// Args.
type Path struct {
	Names    []int // strings, the last name of the path first
	Dentries []int // x64: the entry of each name, then the parent of the last entry

	// Mount is the path of the place where the filesystem is mounted; nil if not known.
	// Above are an entry and its parent. If they differ, the filesystem of Mount is
	// itself mounted somewhere.
	Mount *Path
	Above []int
}

// longestPath is the most bytes of a path that are shown.
const longestPath = 4096

// path writes a path to the end of buf. "..." stands for what is above the names that
// were fetched.
func (d *Decoder) path(p *Path, buf, data []byte) Value {
	w := pathWriter{d: d, data: data, buf: buf, at: len(buf)}
	top := w.names(p)
	if top == atRoot && p.Mount != nil {
		if top = w.names(p.Mount); top == atRoot && len(p.Above) == 2 && d.Arg(p.Above[0], data) != d.Arg(p.Above[1], data) {
			top = cutOff
		}
	}
	switch {
	case top == cutOff:
		w.prepend("...")
	case w.at == len(buf) && top == atRoot:
		w.prepend("/")
	}
	return Value{Kind: Text, Bytes: buf[w.at:], Why: w.why}
}

// A pathTop says where the names of a path end.
type pathTop uint8

const (
	atRoot  pathTop = iota // at a root
	noPlace                // at an entry that is not in a directory
	cutOff                 // further up than was fetched or could be read
)

// A pathWriter writes a path from its end to its beginning.
type pathWriter struct {
	d    *Decoder
	data []byte
	buf  []byte
	at   int // start of what is written
	why  Why // what copied text leaves uncertain about the names
}

func (w *pathWriter) names(p *Path) pathTop {
	for i, arg := range p.Names {
		own, parent := w.d.Arg(p.Dentries[i], w.data), w.d.Arg(p.Dentries[i+1], w.data)
		name := w.d.Text(arg, w.data)
		if name == nil || !w.d.arch.IsKernel(own) || w.d.mapped != nil && !w.d.mapped(own) {
			return cutOff
		}
		switch {
		case own == parent && string(name) == "/":
			return atRoot
		case own == parent:
			w.write(name)
			w.doubt(arg)
			return noPlace
		case w.at < len(name)+len(".../"):
			return cutOff
		}
		w.write(name)
		w.doubt(arg)
		w.prepend("/")
	}
	return cutOff
}

// doubt records what is uncertain about a name of the path.
func (w *pathWriter) doubt(arg int) {
	if why := w.d.whyArg(arg, w.data); why != 0 {
		w.why = why
	}
}

func (w *pathWriter) write(name []byte) {
	name = name[max(0, len(name)-w.at):]
	w.at -= len(name)
	copy(w.buf[w.at:], name)
}

func (w *pathWriter) prepend(s string) {
	if w.at >= len(s) {
		w.at -= len(s)
		copy(w.buf[w.at:], s)
	}
}

// Args calls f for the index of every Arg of p. f may change it.
func (p *Path) Args(f func(arg *int)) {
	for ; p != nil; p = p.Mount {
		for _, list := range [][]int{p.Names, p.Dentries, p.Above} {
			for i := range list {
				f(&list[i])
			}
		}
	}
}

// IsWhole reports whether each name has its entry and the one above it.
func (p *Path) IsWhole() bool {
	for ; p != nil; p = p.Mount {
		if len(p.Names) == 0 || len(p.Dentries) != len(p.Names)+1 || len(p.Above) != 0 && len(p.Above) != 2 {
			return false
		}
	}
	return true
}
