package value

import "strconv"

// MostMounts is how many mounts a path goes through at most.
const MostMounts = 4

// A Path locates the names from a directory entry up to the root of its mount, and
// further from the place where that is mounted, as d_path of the kernel walks. Its
// numbers are indexes into the probe's Args, or if the text says so, 1 plus the index,
// and 0 if there is none.
type Path struct {
	Names    []int // strings, the last name of the path first
	Dentries []int // x64: the entry of each name, then the parent of the last entry

	// Top is 1 plus the x64 of the entry at which the mount begins: the walk ends there,
	// which need not be the root of the filesystem. Mount is the path of the place where
	// the mount is mounted, and Up 1 plus the x64 of the struct mount that this is in. The
	// struct mount of the names themselves is at Off bytes from the pointer Mnt, again 1
	// plus the index. A mount that is its own parent is the root of everything.
	Top, Up, Mnt int
	Off          int64
	Mount        *Path

	// Hash, Magic and Inode are 1 plus the x64 that is 0 if the first entry is unlinked,
	// that identifies its filesystem, and that is the number of its inode.
	Hash, Magic, Inode int
}

// longestPath is the most bytes of a path that are shown.
const longestPath = 4096

// A pseudo says how the kernel writes the path of an entry that is in no directory: the
// d_dname of its filesystem.
type pseudo struct {
	before string
	inner  inner
	after  string
}

// An inner is what is inside the path of a pseudo.
type inner uint8

const (
	named    inner = iota
	numbered       // by the inode
	nothing
)

// pseudos are by the magic number of the filesystem, of include/uapi/linux/magic.h.
var pseudos = map[uint64]pseudo{
	0x50495045: {"pipe:[", numbered, "]"},
	0x534f434b: {"socket:[", numbered, "]"},
	0x6e736673: {"...:[", numbered, "]"}, // a namespace: only its private data shows which kind
	0x50494446: {"anon_inode:[pidfd]", nothing, ""},
	0x09041934: {"anon_inode:", named, ""},
	0x01021994: {"/", named, " (deleted)"}, // tmpfs: memfd and shared memory
	0x958458f6: {"/", named, " (deleted)"}, // hugetlbfs
}

// path writes a path to the end of buf. "..." stands for what is above the names that
// were fetched.
func (d *Decoder) path(p *Path, buf, data []byte) Value {
	w := pathWriter{d: d, data: data, buf: buf, at: len(buf)}
	if p.Hash > 0 && d.Arg(p.Hash-1, data) == 0 && d.Arg(p.Dentries[0], data) != d.Arg(p.Dentries[1], data) {
		w.prepend(" (deleted)")
	}
	end := w.at
	var top pathTop
	if p.Top > 0 {
		top = w.mounts(p)
	} else {
		top = w.filesystems(p)
	}
	switch {
	case top == cutOff:
		w.prepend("...")
	case top == atRoot && w.at == end:
		w.prepend("/")
	}
	return Value{Kind: Text, Bytes: buf[w.at:], Reason: w.why}
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
	at   int         // start of what is written
	why  FaultReason // what copied text leaves uncertain about the names
}

// mounts writes the names of p and of the places where its mounts are mounted.
func (w *pathWriter) mounts(p *Path) pathTop {
	for mount := w.d.Arg(p.Mnt-1, w.data) + uint64(p.Off); ; {
		if top := w.names(p); top != atRoot {
			return top
		}
		if p.Up == 0 {
			return cutOff
		}
		switch up := w.d.Arg(p.Up-1, w.data); {
		case up == mount:
			return atRoot
		case p.Mount == nil || !w.d.arch.IsKernel(up):
			return cutOff
		default:
			p, mount = p.Mount, up
		}
	}
}

// filesystems is like mounts if the root of the mount could not be fetched: the walk ends
// at the root of the filesystem.
func (w *pathWriter) filesystems(p *Path) pathTop {
	top := w.names(p)
	if top == atRoot && p.Mount != nil {
		top = w.names(p.Mount)
	}
	return top
}

// names writes the names of p up to its root.
func (w *pathWriter) names(p *Path) pathTop {
	for i := range p.Dentries {
		own := w.d.Arg(p.Dentries[i], w.data)
		if !w.d.arch.IsKernel(own) || w.d.mapped != nil && !w.d.mapped(own) {
			return cutOff
		}
		if p.Top > 0 && own == w.d.Arg(p.Top-1, w.data) {
			return atRoot
		}
		if i == len(p.Names) {
			break
		}
		parent, name := w.d.Arg(p.Dentries[i+1], w.data), w.d.Text(p.Names[i], w.data)
		switch {
		case name == nil:
			return cutOff
		case own == parent && string(name) == "/" && (i > 0 || w.pseudoOf(p).inner == named):
			return atRoot
		case own == parent:
			w.pseudo(p, name)
			w.doubt(p.Names[i])
			return noPlace
		case w.at < len(name)+len(".../"):
			return cutOff
		}
		w.write(name)
		w.doubt(p.Names[i])
		w.prepend("/")
	}
	return cutOff
}

// pseudo writes an entry that is in no directory.
func (w *pathWriter) pseudo(p *Path, name []byte) {
	s := w.pseudoOf(p)
	w.prepend(s.after)
	switch s.inner {
	case named:
		w.write(name)
	case numbered:
		var digits [20]byte
		w.write(strconv.AppendUint(digits[:0], w.d.Arg(p.Inode-1, w.data), 10))
	}
	w.prepend(s.before)
}

// pseudoOf returns how an entry of the filesystem of p that is in no directory is written.
func (w *pathWriter) pseudoOf(p *Path) pseudo {
	if p.Magic == 0 || p.Inode == 0 {
		return pseudo{}
	}
	return pseudos[w.d.Arg(p.Magic-1, w.data)]
}

// doubt records what is uncertain about a name of the path.
func (w *pathWriter) doubt(arg int) {
	if reason := w.d.argReason(arg, w.data); reason != 0 {
		w.why = reason
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
		for _, list := range [][]int{p.Names, p.Dentries} {
			for i := range list {
				f(&list[i])
			}
		}
		for _, arg := range []*int{&p.Top, &p.Up, &p.Mnt, &p.Hash, &p.Magic, &p.Inode} {
			if *arg != 0 {
				*arg--
				f(arg)
				*arg++
			}
		}
	}
}

// IsWhole reports whether each name has its entry and the one above it.
func (p *Path) IsWhole() bool {
	for first := p; p != nil; p = p.Mount {
		switch {
		case len(p.Dentries) != len(p.Names)+1,
			p == first && len(p.Names) == 0, p == first && p.Top != 0 && p.Mnt == 0, p.Mount != nil && first.Top != 0 && (p.Up == 0 || p.Mount.Top == 0):
			return false
		}
	}
	return true
}
