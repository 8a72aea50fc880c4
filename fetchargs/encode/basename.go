package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeBaseName encodes the last name of a path, :%pd of a dentry and :%pD of a file. A
// value without a type, such as $arg1, is taken for a pointer to one. It is what a kernel
// that has them (6.11) makes of them, so no kernel needs to.
func (r *Encoder) encodeBaseName(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	of, other := "dentry", value.FileName
	if f.Name == value.FileName {
		of, other = "file", value.DentryName
	}
	p := e.Route
	e.Field.Type = p.Type
	target := r.walker.Pointee(p.Type)
	if p.Type == nil || target != nil && btf.IsVoid(target) {
		t, err := r.walker.TypeNamed(spec.Name{Text: "struct " + of, Span: w.Format.Span})
		if err != nil {
			return e, err
		}
		p.Type, target = &btf.Pointer{Target: t}, r.fn.Target.Kernel.Complete(t)
	}
	label := spec.Postfixed(w.X)
	switch {
	case btf.StructName(target) == of:
		if w.Pointer {
			e.Route = p
			return Number(e, 8, nil), nil
		}
		p, label = p.Follow(w.X.String(), target), label+"->"
	case btf.StructName(p.Type) == of && p.Mem:
		label += "."
	default:
		msg := "the format %s does not fit %s, which is %s"
		switch btf.StructName(p.Type) + btf.StructName(target) {
		case "file", "dentry":
			return e, spec.ErrorFix(w.Format.Span, spec.Fix{Span: w.Format.Span, Text: other}, "write ", msg, f.Name, w.X, value.TypeName(e.Field.Type))
		}
		return e, spec.Errorf(w.X.Where(), "leave out the format "+f.Name+", which is for struct "+of, msg, f.Name, w.X, value.TypeName(e.Field.Type))
	}
	ok := true
	if of == "file" {
		p, ok = r.walker.Inside(p, "f_path", "dentry")
		label += "f_path.dentry"
		p = p.Follow(label, r.walker.Pointee(p.Type))
		label += "->"
	}
	if ok {
		p, ok = r.walker.Inside(p, "d_name", "name")
	}
	if !ok {
		return e, spec.Errorf(w.X.Where(), "", "struct %s has no name in this kernel", of)
	}
	e.Route = p.Follow(label+"d_name.name", nil)
	e.Field.Encoding, e.Field.Size, e.Type, e.Brief = value.String, 4, dynevent.String, true
	return e, nil
}
