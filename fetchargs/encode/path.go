package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A path is fetched name by name: the name of a directory entry, of its parent, and so on
// up to where its mount begins, as far as the length of a fetcharg allows; then the place
// where the mount is mounted, and where that mount is.

const (
	// pathText is the most bytes that the fetchargs of all paths of a probe may take, so
	// that a line has room for other values.
	pathText = 3200
	// pathHops is the most hops of a fetcharg of a path, and pathHopsLong that of kernels
	// that take long fetchargs: Linux 7.3 takes at most 8 hops, older kernels 14.
	pathHops, pathHopsLong = 12, 7
)

// pathNames is how many names are fetched at most below each mount, from the innermost
// mount on. A name has at most 255 bytes, and all of them fit into an event. pathsNames is
// for several paths in a spec.
var pathNames, pathsNames = [value.MostMounts]int{7, 3, 2, 1}, [...]int{5, 2, 0}

// A Path holds the fetchargs of a value.Path. An Arg without Type is missing.
type Path struct {
	Names, Dentries    []dynevent.Arg
	Top, Up, Mnt       dynevent.Arg
	Off                int64
	Hash, Magic, Inode dynevent.Arg
	Mount              *Path
}

// encodePath encodes the path of a struct file, path or dentry, in place or at a pointer.
func (r *Encoder) encodePath(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	p, label := e.Route, spec.Postfixed(w.X)
	e.Field.Type = p.Type
	target := r.walker.Pointee(p.Type)
	if target != nil && btf.StructName(target) != "dentry" {
		p, label = p.Follow(w.X.String(), target), label+"->"
	} else if target == nil {
		label += "."
	}
	var mnt route.Route
	ok, hasMount := true, false
	if btf.StructName(p.Type) == "file" {
		p, ok = r.walker.Inside(p, "f_path")
		label += "f_path."
	}
	if ok && btf.StructName(p.Type) == "path" {
		mnt, hasMount = r.walker.Inside(p, "mnt")
		p, ok = r.walker.Inside(p, "dentry")
		label += "dentry"
	}
	if !ok || btf.StructName(r.walker.Pointee(p.Type)) != "dentry" {
		return e, doesNotFit(w.X, e.Field.Type, f)
	}
	if w.Pointer {
		e.Route = p
		return Number(e, 8, nil), nil
	}
	if _, ok := r.paths(); !ok {
		many := r.pathValues
		r.pathValues = 0 // one error is enough
		return e, spec.Errorf(w.X.Where(), "split the spec", "the spec has %d paths, and at most %d are possible", many, maxPaths)
	}
	e.Path = r.pathFetch(p, mnt, hasMount)
	if e.Path == nil {
		return e, spec.Errorf(w.X.Where(), "", "%s is too deep for the format %s", w.X, f.Name)
	}
	e.Field.Encoding, e.Field.Size, e.Type, e.Brief = value.String, 4, dynevent.String, true
	if e.Route, ok = r.dentryName(p, label); !ok {
		return e, spec.Errorf(w.X.Where(), "", "struct dentry has no name in this kernel")
	}
	return e, nil
}

// dentryName returns the route to the name of the entry that p points to.
func (r *Encoder) dentryName(p route.Route, label string) (route.Route, bool) {
	name, ok := r.walker.Inside(p.Follow(label, r.walker.Pointee(p.Type)), "d_name", "name")
	return name.Follow(label+"->d_name.name", nil), ok
}

// pathFetch fetches the path of the entry that p points to, and if mounted is set, of the
// places where the mount that mnt points to is. It returns nil if not even one name can be
// fetched.
func (r *Encoder) pathFetch(p, mnt route.Route, mounted bool) *Path {
	paths, _ := r.paths()
	most := pathNames[:]
	if paths > 1 {
		most = pathsNames[:]
	}
	room := &pathRoom{left: pathText / paths, hops: pathHops}
	if r.fn.Target.MaxArg(maxArgLong) > (dynevent.Features{}).MaxArg() {
		room.hops = pathHopsLong
	}
	f := &Path{}
	entry := p.Follow("", r.walker.Pointee(p.Type))
	f.Hash = r.memberOf(entry, room, "d_hash", "pprev")
	f.Magic = r.memberOf(entry, room, "d_sb", "s_magic")
	f.Inode = r.memberOf(entry, room, "d_inode", "i_ino")
	levels := []*Path{f}
	points := []route.Route{p}
	if mounted {
		levels, points = r.mounts(f, p, mnt, room, len(most))
	}
	for i, level := range levels {
		if r.names(level, points[i], most[i], room); len(level.Dentries) == 0 && i > 0 {
			levels[i-1].Mount = nil
			break
		}
	}
	if len(f.Names) == 0 {
		return nil
	}
	return f
}

// maxPaths is how many values of a spec may be paths. Each takes some thirty fetchargs, and
// a probe has room for two or three whole ones.
const maxPaths = 20

// paths returns how many paths the spec asks for, at least 1. ok is false if there are too
// many.
func (r *Encoder) paths() (n int, ok bool) {
	if r.pathCount > 0 {
		return r.pathCount, r.pathValues <= maxPaths
	}
	all := map[string]bool{}
	add := func(list []cond.Want) {
		for _, w := range list {
			if f := value.FormatNamed(w.Format.Text); f != nil && f.Shape == value.FilePath {
				all[w.X.String()] = true
				r.pathValues++
			}
		}
	}
	for _, item := range r.fn.Spec.Items {
		add(cond.Wants(item))
	}
	if r.fn.Spec.If != nil {
		add(cond.Operands(r.fn.Spec.If))
	}
	r.pathCount = max(len(all), 1)
	return r.pathCount, r.pathValues <= maxPaths
}

// maxArgLong is more bytes than a fetcharg has on kernels up to 7.2.
const maxArgLong = 255

// mounts fetches where the mounts of a path begin, for the path f of the entry at p, and
// returns the paths of all the entries, from f on, at most so many. If BTF has no struct mount, f is all.
func (r *Encoder) mounts(f *Path, p, mnt route.Route, room *pathRoom, most int) (levels []*Path, points []route.Route) {
	levels, points = []*Path{f}, []route.Route{p}
	t, err := r.fn.Target.Kernel.Type("struct mount")
	if err != nil {
		return levels, points
	}
	m, err := btf.Member(t, "mnt")
	if err != nil {
		return levels, points
	}
	f.Off = -int64(m.Offset)
	f.Mnt, _ = r.fits(mnt.Arg().As(dynevent.X64), room)
	at := mnt.Follow("", t).At(f.Off, t)
	for level := f; ; {
		level.Top, level.Up = r.memberOf(at, room, "mnt", "mnt_root"), r.memberOf(at, room, "mnt_parent")
		point, ok := r.walker.Inside(at, "mnt_mountpoint")
		above, also := r.walker.Inside(at, "mnt_parent")
		if !ok || !also || level.Up.Type.Size == 0 || len(levels) == most {
			return levels, points
		}
		next := &Path{}
		at = above.Follow("", t)
		if r.memberOf(at, &pathRoom{left: room.left, hops: room.hops}, "mnt", "mnt_root").Type.Size == 0 {
			return levels, points
		}
		level.Mount = next
		level, levels, points = next, append(levels, next), append(points, point)
	}
}

// names adds the names from the entry that p points to upwards, at most so many.
func (r *Encoder) names(f *Path, p route.Route, most int, room *pathRoom) {
	own, ok := r.fits(p.Arg().As(dynevent.X64), room)
	if !ok {
		return
	}
	f.Dentries = append(f.Dentries, own)
	for range most {
		name, ok := r.dentryName(p, "")
		if !ok {
			break
		}
		up, ok := r.walker.Inside(p.Follow("", r.walker.Pointee(p.Type)), "d_parent")
		if !ok {
			break
		}
		text, fits := r.fits(name.Arg().As(dynevent.String), room)
		text.Short = true
		parent, also := r.fits(up.Arg().As(dynevent.X64), room)
		if !fits || !also {
			break
		}
		f.Names, f.Dentries = append(f.Names, text), append(f.Dentries, parent)
		p = up
	}
}

// memberOf returns the fetcharg of a number, a member of the struct at p or, through
// pointers, of those that it leads to. It has no Type if it cannot be fetched.
func (r *Encoder) memberOf(p route.Route, room *pathRoom, names ...string) dynevent.Arg {
	for i, name := range names {
		if target := r.walker.Pointee(p.Type); i > 0 && target != nil {
			p = p.Follow("", target)
		}
		var ok bool
		if p, ok = r.walker.Inside(p, name); !ok {
			return dynevent.Arg{}
		}
	}
	if size, _ := btf.Size(p.Type); size != 8 {
		return dynevent.Arg{}
	}
	a, ok := r.fits(p.Arg().As(dynevent.X64), room)
	if !ok {
		return dynevent.Arg{}
	}
	return a
}

// A pathRoom limits the fetchargs of a path.
type pathRoom struct {
	left int // bytes of the definition
	hops int
}

// fits takes the length of a definition from room, and reports whether there was
// enough and the kernel accepts the definition.
func (r *Encoder) fits(a dynevent.Arg, room *pathRoom) (dynevent.Arg, bool) {
	a, text, limit := r.Fitted(a)
	const name = len(" file_mount_2=")
	room.left -= len(text) + name + len(r.fn.Target.Nonce)
	return a, len(text) <= limit && room.left >= 0 && len(a.Hops) <= room.hops
}
