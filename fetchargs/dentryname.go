package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeLastName encodes the last name of a path, :%pd of a dentry and :%pD of a file.
// What has no type, such as $arg1, is taken for a pointer to one. It is what a kernel
// that has them (6.11) makes of them, so no kernel needs to.
func (r *resolver) encodeLastName(e encoded, w cond.Want, f *value.Format) (encoded, bool) {
	of, other := "dentry", value.FileName
	if f.Name == value.FileName {
		of, other = "file", value.DentryName
	}
	p := e.route
	e.field.Type = p.typ
	if p.isUntyped() {
		r.untyped(w.X, p)
		return e, false
	}
	target := r.pointee(p.typ)
	if p.typ == nil || target != nil && btf.IsVoid(target) {
		t, ok := r.typeNamed(spec.Name{Text: "struct " + of, Span: w.Format.Span})
		if !ok {
			return e, false
		}
		p.typ, target = &btf.Pointer{Target: t}, r.target.Kernel.Complete(t)
	}
	label := spec.Postfixed(w.X)
	switch {
	case btf.StructName(target) == of:
		if w.Pointer {
			e.route = p
			return number(e, 8, nil), true
		}
		p, label = p.follow(w.X.String(), target), label+"->"
	case btf.StructName(p.typ) == of && p.mem:
		label += "."
	default:
		msg := "the format %s does not fit %s, which is %s"
		switch btf.StructName(p.typ) + btf.StructName(target) {
		case "file", "dentry":
			r.FailFix(w.Format.Span, spec.Fix{Span: w.Format.Span, Text: other}, "write ", msg, f.Name, w.X, value.TypeName(e.field.Type))
		default:
			r.Fail(w.X.Where(), "it is for struct "+of, msg, f.Name, w.X, value.TypeName(e.field.Type))
		}
		return e, false
	}
	ok := true
	if of == "file" {
		p, ok = r.inside(p, "f_path", "dentry")
		label += "f_path.dentry"
		p = p.follow(label, r.pointee(p.typ))
		label += "->"
	}
	if ok {
		p, ok = r.inside(p, "d_name", "name")
	}
	if !ok {
		r.Fail(w.X.Where(), "", "struct %s has no name in this kernel", of)
		return e, false
	}
	e.route = p.follow(label+"d_name.name", nil)
	e.field.Encoding, e.field.Size, e.typ, e.brief = value.String, 4, dynevent.String, true
	return e, true
}
