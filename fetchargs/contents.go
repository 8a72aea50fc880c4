package fetchargs

import (
	"slices"
	"strconv"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/probes"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A spec that names only a system call also shows the contents of memory that its
// parameters point to, as strace does: structs, data and lists of text. The table of
// system calls says which, and who writes them.

const (
	mostData    = 32 // bytes of data
	mostText    = 64 // bytes of each text in a list
	mostContent = 8 * dynevent.MaxElements
	mostStrings = 8
)

// A contentRoom is what an event has room for. The contents of parameters must not take
// another event.
type contentRoom struct {
	params  int // that show their contents
	strings int // in a list
	used    int // parameters that have shown theirs
}

// roomiest makes a plan with less and less content, until that takes no more events than a
// plan without any.
func (r *resolver) roomiest(attempt func() *plan.Plan) *plan.Plan {
	before := slices.Clone(r.Errs)
	r.room = contentRoom{params: len(r.fn.Proto.Params), strings: mostStrings}
	for {
		r.room.used = 0
		p := attempt()
		switch {
		case r.room.used == 0 || p != nil && len(p.Of(dynevent.Entry)) <= 1 && len(p.Of(dynevent.Return)) <= 1 && !r.builder.Spareless || r.fatal != nil:
			return p
		case r.room.strings > 1:
			r.room.strings /= 2
		default:
			r.room.params = r.room.used - 1
		}
		r.Errs = slices.Clone(before)
		r.builder.Unname()
	}
}

// showContent shows what parameter i points to in place of the pointer. It returns false
// if nothing is known of that, or if the kernel does not show whether it could be read.
func (r *resolver) showContent(i int) bool {
	if r.fn.Call == nil || r.fn.Call.Shown[i] == nil || r.walk.ParamErrs[i] != nil || r.room.used >= r.room.params {
		return false
	}
	c := r.fn.Call.Shown[i]
	side := r.entry
	if c.Out {
		side = r.exit
	}
	if c.Out && (!r.fn.Target.Features.ReturnArgs || r.fn.Absent) || r.fn.Target.Live && !side.ShowsFaults() {
		return false
	}
	before := len(r.Errs)
	ok := false
	if c.List {
		ok = r.addStrings(i)
	} else {
		ok = r.addContent(side, i, c)
	}
	if r.Errs = r.Errs[:before]; ok {
		r.room.used++
	}
	return ok
}

// pointee returns the expression of what parameter i points to, with the parameter's
// name.
func (r *resolver) pointee(i int) cond.Want {
	x := r.named(r.fn.Proto.Params[i].Name)
	return cond.Want{X: &spec.Deref{X: x, Span: x.Span}, Name: x.Text}
}

// addContent adds what parameter i points to. It returns false if that cannot be shown.
func (r *resolver) addContent(side *probes.Side, i int, c *syscalls.Content) bool {
	x, at := r.named(r.fn.Proto.Params[i].Name), r.fn.Spec.Func.Span
	p := r.walk.Params[i]
	p.Return, p.Name = c.Out, x.Text
	pointer := encode.Number(encode.Encoded{Route: p, Span: at}, 8, nil)
	target := r.walk.Pointee(p.Type)
	length, most, ok := r.countOf(c)
	if !ok {
		return false
	}
	e := encode.Encoded{Route: p.Follow(x.Text, target), Span: at, Length: length}
	char := r.walk.CharArray(mostData)
	switch elem, known := btf.Size(target); {
	case btf.IsVoid(target) && c.Count == "":
		var err *spec.Error
		if e, err = r.enc.EncodeText(encode.Encoded{Route: p, Span: at, Length: length}, cond.Want{X: x}, value.FormatNamed("string")); err != nil {
			return false
		}
	case btf.IsVoid(target) && char != nil:
		length.Unit = 1
		e.Field.Type, e.Short = char, true
		e = encode.Sized(e, 1, mostData)
	case !known || elem == 0 || elem > mostContent:
		return false
	case c.Count == "":
		e.Field.Type = target
		e = encode.Sized(e, encode.WordOf(elem), elem)
	default:
		n := min(most, mostContent/elem)
		length.Unit = elem
		e.Field.Type, e.Short = &btf.Array{Type: target, Nelems: uint32(n)}, length.Name != ""
		e = encode.Sized(e, encode.WordOf(elem), n*elem)
	}
	e.Field.Macros, e.Field.Name = r.walk.Macros(), x.Text
	if _, ok = side.Add(e, r.pointee(i)); ok {
		_, ok = side.Add(pointer, cond.Want{X: x, Hidden: true}) // for recordings: it is fetched anyway
	}
	return ok
}

// countOf returns how the number of elements is fetched, and the most that there can be.
func (r *resolver) countOf(c *syscalls.Content) (length *encode.Length, most int, ok bool) {
	length, most = &encode.Length{Stored: c.Out}, dynevent.MaxElements
	if c.Count == "" {
		return length, 1, true
	}
	if n, err := strconv.Atoi(c.Count); err == nil {
		return length, n, true
	}
	length.Name = c.Count
	if c.Count == "return" {
		length.Route = route.Route{Type: r.fn.Proto.Return, Base: dynevent.Base{Kind: dynevent.Retval}, Return: true}
		return length, most, true
	}
	j := slices.IndexFunc(r.fn.Proto.Params, func(p btf.Param) bool { return p.Name == c.Count })
	if j < 0 || r.walk.ParamErrs[j] != nil {
		return length, 0, false
	}
	length.Route = r.walk.Params[j]
	length.Route.Return = c.Out
	return length, most, true
}

// addStrings adds the list of text that parameter i points to. It returns false if that cannot be
// shown.
func (r *resolver) addStrings(i int) bool {
	b, x, at := r.entry, r.named(r.fn.Proto.Params[i].Name), r.fn.Spec.Func.Span
	target := r.walk.Pointee(r.walk.Params[i].Type)
	size, known := btf.Size(target)
	char := r.walk.CharArray(mostText)
	if btf.Pointee(target) == nil || !known || char == nil {
		return false
	}
	list := value.Field{Label: x.Text, Expr: r.pointee(i).X.String(), Name: x.Text, Type: r.walk.Params[i].Type, Encoding: value.Strings, Size: 8}
	for n := range r.room.strings {
		item := &spec.Index{X: x, N: int64(n), Span: at}
		p := r.walk.Params[i].Follow(x.Text, target).At(int64(n*size), target)
		e := encode.Encoded{Route: p.Follow(item.String(), r.walk.Pointee(target)), Span: at, Short: true}
		e.Field.Type, e.Field.Name = char, x.Text
		f, ok := b.Add(encode.Sized(e, 1, mostText), cond.Want{X: item, Hidden: true})
		if !ok {
			return false
		}
		list.Items, list.Arg = append(list.Items, f.Index), f.Field().PointerChecks[0].Arg
	}
	b.Append(list, list.Expr)
	_, ok := b.Add(encode.Number(encode.Encoded{Route: r.walk.Params[i], Span: at}, 8, nil), cond.Want{X: x, Hidden: true})
	return ok
}
