package value

// A Path is where a record has the way from a directory entry up to the root of its
// filesystem, and on from where that is mounted: indexes into the probe's Args.
type Path struct {
	Names    []int // strings, the last name of the path first
	Dentries []int // x64, the entry of each name, and the parent of the last

	// Mount is the way from where the filesystem is mounted; nil if that is not known.
	// Above are an entry and its parent: if they are not the same, the filesystem of
	// Mount is itself mounted somewhere.
	Mount *Path
	Above []int
}

// longestPath is how many bytes of a path are shown.
const longestPath = 4096

// path puts a path together at the end of buf. What is above the names that were
// fetched is "...".
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

// A pathTop is where the names of a path end.
type pathTop uint8

const (
	atRoot  pathTop = iota // at a root
	noPlace                // at an entry that is in no directory
	cutOff                 // further up than was fetched, or could be read
)

// A pathWriter writes a path from its end on.
type pathWriter struct {
	d    *Decoder
	data []byte
	buf  []byte
	at   int // where what is written begins
	why  Why // what copied text leaves open of its names
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

// doubt notes what is not sure of a name of the path.
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

// Args calls f with the index of every Arg of p, which it may change.
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
