package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A path is fetched name by name: the name of a directory entry, of its parent, and so on
// as far as the length of a fetcharg allows. An entry that is its own parent is a root.

const (
	// pathText is the most bytes that the fetchargs of a path's names may take, so
	// that a line has room for two paths.
	pathText = 1100
	// pathHops is the most hops of a fetcharg of a path: Linux 7.3 takes at most 8
	// hops, older kernels twice as many.
	pathHops = 7
	// mountText is the most bytes for the fetchargs of a mount point.
	mountText = 500
)

// A pathFetch holds the fetchargs of a value.Path.
type pathFetch struct {
	names, dentries, above []Arg
	mount                  *pathFetch
}

// encodePath encodes the path of a struct file, path or dentry, in place or behind
// a pointer.
func (r *resolver) encodePath(e encoded, w want, f *value.Format) (encoded, bool) {
	p, label := e.route, spec.Postfixed(w.x)
	e.field.Type = p.typ
	target := r.pointee(p.typ)
	if target != nil && structName(target) != "dentry" {
		p, label = p.follow(w.x.String(), target), label+"->"
	} else if target == nil {
		label += "."
	}
	var mnt route
	ok, hasMount := true, false
	if structName(p.typ) == "file" {
		p, ok = r.inside(p, "f_path")
		label += "f_path."
	}
	if ok && structName(p.typ) == "path" {
		mnt, hasMount = r.inside(p, "mnt")
		p, ok = r.inside(p, "dentry")
		label += "dentry"
	}
	if !ok || structName(r.pointee(p.typ)) != "dentry" {
		r.fail(w.x.Where(), "it is for struct file, path and dentry", "the format %s does not fit %s, which is %s", f.Name, w.x, typeName(e.field.Type))
		return e, false
	}
	if w.pointer {
		e.route = p
		return number(e, 8, nil), true
	}
	e.path = r.dentryPath(p, pathText)
	if e.path == nil {
		r.fail(w.x.Where(), "", "%s is too deep for the format %s", w.x, f.Name)
		return e, false
	}
	if hasMount {
		r.mountedAt(e.path, mnt)
	}
	e.field.Encoding, e.field.Size, e.typ, e.brief = value.String, 4, stringType, true
	e.route, ok = r.dentryName(p, label)
	return e, ok
}

// structName returns the name of the struct t, "" if t is not a struct.
func structName(t btf.Type) string {
	if t == nil {
		return ""
	}
	if s, ok := btf.Strip(t).(*btf.Struct); ok {
		return s.Name
	}
	return ""
}

// inside walks from the struct at p to a member, by the names on the way.
func (r *resolver) inside(p route, names ...string) (route, bool) {
	for _, name := range names {
		m, err := btf.Member(orVoid(p.typ), name)
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

// dentryPath fetches the names from an entry upwards. It returns nil if not even
// one can be fetched.
func (r *resolver) dentryPath(p route, room int) *pathFetch {
	f := &pathFetch{}
	own, ok := r.fits(p.fetcharg().as(x64Type), &room)
	if !ok {
		return nil
	}
	f.dentries = append(f.dentries, own)
	for {
		name, ok := r.dentryName(p, "")
		if !ok {
			break
		}
		up, ok := r.inside(p.follow("", r.pointee(p.typ)), "d_parent")
		if !ok {
			break
		}
		text, fits := r.fits(name.fetcharg().as(stringType), &room)
		text.Short = true
		parent, also := r.fits(up.fetcharg().as(x64Type), &room)
		if !fits || !also {
			break
		}
		f.names, f.dentries = append(f.names, text), append(f.dentries, parent)
		p = up
	}
	if len(f.names) == 0 {
		return nil
	}
	return f
}

// mountedAt adds where the filesystem of a path is mounted, if BTF has struct mount.
func (r *resolver) mountedAt(f *pathFetch, mnt route) {
	t, err := r.target.Kernel.Type("struct mount")
	if err != nil {
		return
	}
	m, err := btf.Member(t, "mnt")
	if err != nil {
		return
	}
	at := mnt.follow("", t).at(-int64(m.Offset), t)
	point, ok := r.inside(at, "mnt_mountpoint")
	parent, also := r.inside(at, "mnt_parent")
	if !ok || !also {
		return
	}
	f.mount = r.dentryPath(point, mountText)
	above, ok := r.inside(parent.follow("", r.pointee(parent.typ)), "mnt_mountpoint")
	if !ok || f.mount == nil {
		return
	}
	up, ok := r.inside(above.follow("", r.pointee(above.typ)), "d_parent")
	room := mountText
	one, fits := r.fits(above.fetcharg().as(x64Type), &room)
	other, also := r.fits(up.fetcharg().as(x64Type), &room)
	if ok && fits && also {
		f.above = []Arg{one, other}
	}
}

// fits takes the length of a definition from room, and reports whether there was
// enough and the kernel accepts the definition.
func (r *resolver) fits(a Arg, room *int) (Arg, bool) {
	a, text, limit := r.fitted(a)
	*room -= len(text) + len(" file_f_path_dentry_d_name_name=")
	return a, len(text) <= limit && *room >= 0 && len(a.Hops) <= pathHops
}

// addPath adds the fetchargs of a path.
func (b *builder) addPath(f *pathFetch, label string, at spec.Span) (*value.Path, bool) {
	if f == nil {
		return nil, true
	}
	p, good := &value.Path{}, true
	add := func(list []Arg) (args []int) {
		for _, a := range list {
			i, ok := b.arg(a, label, at)
			good = good && ok
			args = append(args, i)
		}
		return args
	}
	p.Names, p.Dentries, p.Above = add(f.names), add(f.dentries), add(f.above)
	mount, ok := b.addPath(f.mount, label+" mount", at)
	p.Mount = mount
	return p, good && ok
}

// isPath reports whether all parts of a path are args of the probe.
func (p *Probe) isPath(path *value.Path) bool {
	ok := path.IsWhole()
	path.Args(func(arg *int) { ok = ok && p.hasArg(*arg) })
	return ok
}
