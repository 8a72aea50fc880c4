package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
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

// A pathFetch holds the fetchargs of a value.Path. An Arg without Type is missing.
type pathFetch struct {
	names, dentries    []dynevent.Arg
	top, up, mnt       dynevent.Arg
	off                int64
	hash, magic, inode dynevent.Arg
	mount              *pathFetch
}

// encodePath encodes the path of a struct file, path or dentry, in place or behind
// a pointer.
func (r *resolver) encodePath(e encoded, w cond.Want, f *value.Format) (encoded, bool) {
	p, label := e.route, spec.Postfixed(w.X)
	e.field.Type = p.typ
	target := r.pointee(p.typ)
	if target != nil && btf.StructName(target) != "dentry" {
		p, label = p.follow(w.X.String(), target), label+"->"
	} else if target == nil {
		label += "."
	}
	var mnt route
	ok, hasMount := true, false
	if btf.StructName(p.typ) == "file" {
		p, ok = r.inside(p, "f_path")
		label += "f_path."
	}
	if ok && btf.StructName(p.typ) == "path" {
		mnt, hasMount = r.inside(p, "mnt")
		p, ok = r.inside(p, "dentry")
		label += "dentry"
	}
	if !ok || btf.StructName(r.pointee(p.typ)) != "dentry" {
		r.Fail(w.X.Where(), "it is for struct file, path and dentry", "the format %s does not fit %s, which is %s", f.Name, w.X, value.TypeName(e.field.Type))
		return e, false
	}
	if w.Pointer {
		e.route = p
		return number(e, 8, nil), true
	}
	e.path = r.pathFetch(p, mnt, hasMount)
	if e.path == nil {
		r.Fail(w.X.Where(), "", "%s is too deep for the format %s", w.X, f.Name)
		return e, false
	}
	e.field.Encoding, e.field.Size, e.typ, e.brief = value.String, 4, dynevent.String, true
	e.route, ok = r.dentryName(p, label)
	return e, ok
}

// inside walks from the struct at p to a member, by the names on the way.
func (r *resolver) inside(p route, names ...string) (route, bool) {
	for _, name := range names {
		m, err := btf.Member(btf.OrVoid(p.typ), name)
		if err != nil || m.BitSize > 0 {
			return p, false
		}
		ok := false
		if p, ok = p.member(m).settle(); !ok {
			return p, false
		}
	}
	return p, true
}

// dentryName returns the route to the name of the entry that p points to.
func (r *resolver) dentryName(p route, label string) (route, bool) {
	name, ok := r.inside(p.follow(label, r.pointee(p.typ)), "d_name", "name")
	return name.follow(label+"->d_name.name", nil), ok
}

// pathFetch fetches the path of the entry that p points to, and if mounted is set, of the
// places where the mount that mnt points to is. It returns nil if not even one name can be
// fetched.
func (r *resolver) pathFetch(p, mnt route, mounted bool) *pathFetch {
	paths := r.paths()
	most := pathNames[:]
	if paths > 1 {
		most = pathsNames[:]
	}
	room := &pathRoom{left: pathText / paths, hops: pathHops}
	if r.target.maxArg(maxArgLong) > (dynevent.Features{}).MaxArg() {
		room.hops = pathHopsLong
	}
	f := &pathFetch{}
	entry := p.follow("", r.pointee(p.typ))
	f.hash = r.memberOf(entry, room, "d_hash", "pprev")
	f.magic = r.memberOf(entry, room, "d_sb", "s_magic")
	f.inode = r.memberOf(entry, room, "d_inode", "i_ino")
	levels := []*pathFetch{f}
	points := []route{p}
	if mounted {
		levels, points = r.mounts(f, p, mnt, room, len(most))
	}
	for i, level := range levels {
		if r.names(level, points[i], most[i], room); len(level.dentries) == 0 && i > 0 {
			levels[i-1].mount = nil
			break
		}
	}
	if len(f.names) == 0 {
		return nil
	}
	return f
}

// paths returns how many paths the spec asks for, at least 1.
func (r *resolver) paths() int {
	all := map[string]bool{}
	add := func(list []cond.Want) {
		for _, w := range list {
			if f := value.FormatNamed(w.Format.Text); f != nil && f.Shape == value.FilePath {
				all[w.X.String()] = true
			}
		}
	}
	for _, item := range r.spec.Items {
		add(cond.Wants(item))
	}
	if r.spec.If != nil {
		add(cond.Operands(r.spec.If))
	}
	return max(len(all), 1)
}

// maxArgLong is more bytes than a fetcharg has on kernels up to 7.2.
const maxArgLong = 255

// mounts fetches where the mounts of a path begin, for the path f of the entry at p, and
// returns the paths of all the entries, from f on, at most so many. If BTF has no struct mount, f is all.
func (r *resolver) mounts(f *pathFetch, p, mnt route, room *pathRoom, most int) (levels []*pathFetch, points []route) {
	levels, points = []*pathFetch{f}, []route{p}
	t, err := r.target.Kernel.Type("struct mount")
	if err != nil {
		return levels, points
	}
	m, err := btf.Member(t, "mnt")
	if err != nil {
		return levels, points
	}
	f.off = -int64(m.Offset)
	f.mnt, _ = r.fits(mnt.fetcharg().As(dynevent.X64), room)
	at := mnt.follow("", t).at(f.off, t)
	for level := f; ; {
		level.top, level.up = r.memberOf(at, room, "mnt", "mnt_root"), r.memberOf(at, room, "mnt_parent")
		point, ok := r.inside(at, "mnt_mountpoint")
		above, also := r.inside(at, "mnt_parent")
		if !ok || !also || level.up.Type.Size == 0 || len(levels) == most {
			return levels, points
		}
		next := &pathFetch{}
		at = above.follow("", t)
		if r.memberOf(at, &pathRoom{left: room.left, hops: room.hops}, "mnt", "mnt_root").Type.Size == 0 {
			return levels, points
		}
		level.mount = next
		level, levels, points = next, append(levels, next), append(points, point)
	}
}

// names adds the names from the entry that p points to upwards, at most so many.
func (r *resolver) names(f *pathFetch, p route, most int, room *pathRoom) {
	own, ok := r.fits(p.fetcharg().As(dynevent.X64), room)
	if !ok {
		return
	}
	f.dentries = append(f.dentries, own)
	for range most {
		name, ok := r.dentryName(p, "")
		if !ok {
			break
		}
		up, ok := r.inside(p.follow("", r.pointee(p.typ)), "d_parent")
		if !ok {
			break
		}
		text, fits := r.fits(name.fetcharg().As(dynevent.String), room)
		text.Short = true
		parent, also := r.fits(up.fetcharg().As(dynevent.X64), room)
		if !fits || !also {
			break
		}
		f.names, f.dentries = append(f.names, text), append(f.dentries, parent)
		p = up
	}
}

// memberOf returns the fetcharg of a number, a member of the struct at p or, through
// pointers, of those that it leads to. It has no Type if it cannot be fetched.
func (r *resolver) memberOf(p route, room *pathRoom, names ...string) dynevent.Arg {
	for i, name := range names {
		if target := r.pointee(p.typ); i > 0 && target != nil {
			p = p.follow("", target)
		}
		var ok bool
		if p, ok = r.inside(p, name); !ok {
			return dynevent.Arg{}
		}
	}
	if size, _ := btf.Size(btf.OrVoid(p.typ)); size != 8 {
		return dynevent.Arg{}
	}
	a, ok := r.fits(p.fetcharg().As(dynevent.X64), room)
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
func (r *resolver) fits(a dynevent.Arg, room *pathRoom) (dynevent.Arg, bool) {
	a, text, limit := r.fitted(a)
	const name = len(" file_mount_2=")
	room.left -= len(text) + name + len(r.target.Nonce)
	return a, len(text) <= limit && room.left >= 0 && len(a.Hops) <= room.hops
}

// addPath adds the fetchargs of a path.
func (b *builder) addPath(f *pathFetch, label string, at spec.Span) (*value.Path, bool) {
	if f == nil {
		return nil, true
	}
	p, good := &value.Path{Off: f.off}, true
	add := func(a dynevent.Arg) int {
		i, ok := b.arg(a, label, at)
		good = good && ok
		return i
	}
	for _, a := range f.names {
		p.Names = append(p.Names, add(a))
	}
	for _, a := range f.dentries {
		p.Dentries = append(p.Dentries, add(a))
	}
	for _, one := range []struct {
		a  dynevent.Arg
		at *int
	}{{f.top, &p.Top}, {f.up, &p.Up}, {f.mnt, &p.Mnt}, {f.hash, &p.Hash}, {f.magic, &p.Magic}, {f.inode, &p.Inode}} {
		if one.a.Type.Size > 0 {
			*one.at = add(one.a) + 1
		}
	}
	mount, ok := b.addPath(f.mount, label+" mount", at)
	p.Mount = mount
	return p, good && ok
}
