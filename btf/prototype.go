package btf

import (
	"cmp"
	"iter"
	"slices"
	"strings"
)

// A Prototype is a function in a list.
type Prototype struct {
	FuncName
	Text []byte // in C, as Func.String returns it; valid until the next Prototype
}

// Prototypes yields the functions that Funcs returns, as text, in the same order. It decodes
// each type once, and only those that prototypes name, so it takes a tenth of the time.
//
// Errors are those of Funcs.
func (k *Kernel) Prototypes(pattern string) (iter.Seq[Prototype], error) {
	p, err := parseFuncPattern(pattern)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	l, spelled := list{match: p.match}, (*speller)(nil)
	if base.raw != nil {
		spelled = newSpeller(base.raw.Outline(nil), nil)
	}
	switch {
	case !p.includes(""):
	case spelled != nil:
		l.add("", spelled)
	default:
		l.addDecoded(base)
	}
	for _, name := range k.moduleNames() {
		if !p.includes(name) {
			continue
		}
		if raw := k.rawModule(name); raw != nil {
			l.add(name, newSpeller(raw.Outline(spelled.types), spelled))
		} else if b, _ := k.module(name); b != nil {
			l.addDecoded(b)
		}
	}
	if len(l.from) == 0 {
		return nil, k.noModule(p.module)
	}
	l.sort()
	return l.prototypes, nil
}

// A list has the functions whose names match.
type list struct {
	match *glob
	funcs []listed
	names strings.Builder
	from  []source
}

// A listed is a function of a list, which has no text yet.
type listed struct {
	name, end uint32 // offsets in names
	from      uint32 // index of its source
	id        uint32 // in the source
}

// A source is the kernel or a module.
type source struct {
	module string

	// appendText appends a prototype. It returns false for a function that newFunc refuses.
	appendText func(text []byte, id uint32, name string) ([]byte, bool)
}

// add adds functions of BTF that is not decoded.
func (l *list) add(module string, s *speller) {
	for id, name := range s.types.Funcs {
		if l.match.matchBytes(name) {
			start := l.names.Len()
			l.names.Write(name)
			l.addFunc(start, id)
		}
	}
	l.from = append(l.from, source{module, s.appendFunc})
}

// addDecoded adds functions of a blob that has been decoded.
func (l *list) addDecoded(b *blob) {
	funcs := b.funcs(l.match)
	for i, f := range funcs {
		start := l.names.Len()
		l.names.WriteString(f.Name)
		l.addFunc(start, uint32(i))
	}
	l.from = append(l.from, source{b.name, func(text []byte, id uint32, _ string) ([]byte, bool) {
		if f := newFunc(funcs[id], b.name); f != nil {
			return append(text, f.String()...), true
		}
		return text, false
	}})
}

// addFunc adds a function of the next source, whose name begins at start.
func (l *list) addFunc(start int, id uint32) {
	l.funcs = append(l.funcs, listed{uint32(start), uint32(l.names.Len()), uint32(len(l.from)), id})
}

// sort sorts by name, then as the BTF are.
func (l *list) sort() {
	names := l.names.String()
	slices.SortFunc(l.funcs, func(a, b listed) int {
		if c := strings.Compare(names[a.name:a.end], names[b.name:b.end]); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.id, b.id))
	})
}

// name returns the name of function i, "" if there is none.
func (l *list) name(i int) string {
	if i < 0 || i >= len(l.funcs) {
		return ""
	}
	return l.names.String()[l.funcs[i].name:l.funcs[i].end]
}

// prototypes yields the functions of the list, equal ones of a module once.
func (l *list) prototypes(yield func(Prototype) bool) {
	type key struct {
		from uint32
		text string
	}
	var text []byte
	var seen map[key]bool // functions of one name, if it has several
	for i, f := range l.funcs {
		from, name := &l.from[f.from], l.name(i)
		switch again := i > 0 && l.name(i-1) == name; {
		case again:
		case l.name(i+1) == name:
			seen = map[key]bool{}
		default:
			seen = nil
		}
		var ok bool
		if text, ok = from.appendText(text[:0], f.id, name); !ok {
			continue
		}
		if seen != nil {
			k := key{f.from, string(text)}
			if seen[k] {
				continue
			}
			seen[k] = true
		}
		if !yield(Prototype{FuncName{from.module, name}, text}) {
			return
		}
	}
}
