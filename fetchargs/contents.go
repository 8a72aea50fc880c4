package fetchargs

import (
	"slices"
	"strconv"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
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
func (r *resolver) roomiest(attempt func() *Plan) *Plan {
	before := slices.Clone(r.Errs)
	r.room = contentRoom{params: len(r.fn.Params), strings: mostStrings}
	for {
		r.room.used, r.spareless = 0, false
		p := attempt()
		switch {
		case r.room.used == 0 || p != nil && len(p.Of(dynevent.Entry)) <= 1 && len(p.Of(dynevent.Return)) <= 1 && !r.spareless || r.fatal != nil:
			return p
		case r.room.strings > 1:
			r.room.strings /= 2
		default:
			r.room.params = r.room.used - 1
		}
		r.Errs = slices.Clone(before)
		for _, name := range r.named {
			delete(r.events, name)
		}
		r.named = nil
	}
}

// showContent shows what parameter i points to in place of the pointer. It returns false
// if nothing is known of that, or if the kernel does not show whether it could be read.
func (r *resolver) showContent(i int) bool {
	if r.call == nil || r.call.shown[i] == nil || r.paramErrs[i] != nil || r.room.used >= r.room.params {
		return false
	}
	c := r.call.shown[i]
	side := r.entry
	if c.Out {
		side = r.exit
	}
	if c.Out && (!r.target.Features.ReturnArgs || r.absent) || r.target.Live && !r.target.Features.Keeps && side.counter == nil {
		return false
	}
	before := len(r.Errs)
	if c.List {
		r.addStrings(i)
	} else {
		r.addContent(side, i, c)
	}
	ok := len(r.Errs) == before
	if r.Errs = r.Errs[:before]; ok {
		r.room.used++
	}
	return ok
}

// param returns the name of parameter i as an expression.
func (r *resolver) param(i int) *spec.Ident {
	return &spec.Ident{Name: spec.Name{Text: r.fn.Params[i].Name, Span: r.spec.Func.Span}}
}

// behind returns the expression of what parameter i points to, with the parameter's name.
func (r *resolver) behind(i int) cond.Want {
	x := r.param(i)
	return cond.Want{X: &spec.Deref{X: x, Span: x.Span}, Name: x.Text}
}

// addContent adds what parameter i points to.
func (r *resolver) addContent(side *builder, i int, c *syscalls.Content) {
	x, at := r.param(i), r.spec.Func.Span
	p := r.params[i]
	p.ret, p.name = c.Out, x.Text
	pointer := number(encoded{route: p, at: at}, 8, nil)
	target := r.pointee(p.typ)
	length, most, ok := r.countOf(c)
	if !ok {
		r.Fail(at, "", "there is no %s", c.Count)
		return
	}
	e := encoded{route: p.follow(x.Text, target), at: at, length: length}
	char := r.charArray(mostData)
	switch elem, known := btf.Size(btf.OrVoid(target)); {
	case btf.IsVoid(target) && c.Count == "":
		e, ok = r.encodeText(encoded{route: p, at: at, length: length}, x, nil)
	case btf.IsVoid(target) && char != nil:
		length.unit = 1
		e.field.Type, e.short = char, true
		e = r.sized(e, 1, mostData)
	case !known || elem == 0 || elem > mostContent:
		r.cannotShow(target, x)
	case c.Count == "":
		e.field.Type = target
		e = r.sized(e, wordOf(target, elem), elem)
	default:
		n := min(most, mostContent/elem)
		length.unit = elem
		e.field.Type, e.short = &btf.Array{Type: target, Nelems: uint32(n)}, length.name != ""
		e = r.sized(e, wordOf(target, elem), n*elem)
	}
	e.field.Macros, e.field.Name = r.Macros(), x.Text
	if ok {
		side.add(e, r.behind(i))
		side.add(pointer, cond.Want{X: x, Hidden: true}) // for recordings: it is fetched anyway
	}
}

// countOf returns how the number of elements is fetched, and the most that there can be.
func (r *resolver) countOf(c *syscalls.Content) (length *lengthFetch, most int, ok bool) {
	length, most = &lengthFetch{stored: c.Out}, dynevent.MaxElements
	if c.Count == "" {
		return length, 1, true
	}
	if n, err := strconv.Atoi(c.Count); err == nil {
		return length, n, true
	}
	length.name = c.Count
	if c.Count == "return" {
		length.route = route{typ: r.fn.Return, base: dynevent.Base{Kind: dynevent.Retval}, ret: true}
		return length, most, true
	}
	j := slices.IndexFunc(r.fn.Params, func(p btf.Param) bool { return p.Name == c.Count })
	if j < 0 || r.paramErrs[j] != nil {
		return length, 0, false
	}
	length.route = r.params[j]
	length.route.ret = c.Out
	return length, most, true
}

// wordOf returns the size of the numbers as which a value of type t and so many bytes is
// fetched.
func wordOf(t btf.Type, size int) int {
	word := 8
	for size%word > 0 {
		word /= 2
	}
	return word
}

// sized encodes so many bytes as numbers of size word, and what is left after the longest
// array as smaller ones.
func (r *resolver) sized(e encoded, word, bytes int) encoded {
	if bytes > word*dynevent.MaxElements {
		word = 8
	}
	e.count = min(bytes/word, dynevent.MaxElements)
	e.typ = dynevent.Number("x", word)
	e.field.Encoding, e.field.Size, e.field.Count = value.Array, word, bytes/word
	for at := e.count * word; at < bytes; {
		for word > bytes-at {
			word /= 2
		}
		rest := e.route.at(int64(at), nil).fetcharg().As(dynevent.Number("x", word))
		n := (bytes - at) / word
		if rest.Count = n; n == 1 {
			rest.Count = 0
		}
		e.next = append(e.next, rest)
		at += n * word
	}
	if len(e.next) > 0 {
		e.field.Size, e.field.Count = 1, bytes
	}
	return e
}

// addStrings adds the list of text that parameter i points to.
func (r *resolver) addStrings(i int) {
	b, x, at := r.entry, r.param(i), r.spec.Func.Span
	target := r.pointee(r.params[i].typ)
	size, known := btf.Size(btf.OrVoid(target))
	char := r.charArray(mostText)
	if btf.Pointee(target) == nil || !known || char == nil {
		r.cannotShow(target, x)
		return
	}
	list := value.Field{Label: x.Text, Expr: r.behind(i).X.String(), Name: x.Text, Type: r.params[i].typ, Encoding: value.Strings, Size: 8}
	for n := range r.room.strings {
		item := &spec.Index{X: x, N: int64(n), Span: at}
		p := r.params[i].follow(x.Text, target).at(int64(n*size), target)
		e := encoded{route: p.follow(item.String(), r.pointee(target)), at: at, short: true}
		e.field.Type, e.field.Name = char, x.Text
		f, ok := b.add(r.sized(e, 1, mostText), cond.Want{X: item, Hidden: true})
		if !ok {
			return
		}
		list.Items, list.Arg = append(list.Items, f.Index), f.Field().Guards[0].Arg
	}
	b.Fields, b.Exprs = append(b.Fields, list), append(b.Exprs, list.Expr)
	b.add(number(encoded{route: r.params[i], at: at}, 8, nil), cond.Want{X: x, Hidden: true})
}
