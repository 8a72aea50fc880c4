package btf

import (
	"strings"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf/thin"
)

// A speller writes prototypes. It declares each type once, and keeps what that puts before
// and after the name.
type speller struct {
	types  *thin.Outline
	base   *speller   // of the kernel, for a module; nil otherwise
	first  uint32     // id of the first type that is not of the base
	places []uint32   // indexes in known, by type less first; 0 for one that has not been declared
	known  []spelling // the first is that of void

	params []thin.Param // reused
}

// A spelling is the declaration of a name with one type.
type spelling struct {
	before, after string
	words         int
}

// mostSpelling is how many bytes a spelling that is kept may have. No kernel's has half as
// many. In damaged BTF each of a hundred thousand types may have a long one.
const mostSpelling = 1024

func newSpeller(types *thin.Outline, base *speller) *speller {
	return &speller{types: types, base: base, first: types.First(), places: make([]uint32, types.Len()), known: []spelling{newSpelling(nil)}}
}

// of returns the spelling of a type.
func (s *speller) of(id uint32) spelling {
	if id < s.first && s.base != nil {
		return s.base.of(id)
	}
	place := id - s.first
	if place >= uint32(len(s.places)) { // id is 0, or wrong
		return s.known[0]
	}
	if at := s.places[place]; at > 0 {
		return s.known[at]
	}
	made := newSpelling(s.types.Type(id))
	if len(made.before)+len(made.after) <= mostSpelling {
		s.places[place] = uint32(len(s.known))
		s.known = append(s.known, made)
	}
	return made
}

// newSpelling declares a name that C cannot have.
func newSpelling(t Type) spelling {
	const name = "\x00"
	d := declaration{words: maxWords}
	text := d.of(t, name)
	before, after, _ := strings.Cut(text, name)
	return spelling{before, after, maxWords - d.words}
}

// appendFunc appends the prototype of a function, as Func.String returns it. It returns false
// if newFunc would return nil.
func (s *speller) appendFunc(text []byte, id uint32, name string) ([]byte, bool) {
	ret, params, ok := s.types.Proto(id, s.params[:0])
	s.params = params
	if !ok || len(params) > mostParams {
		return text, false
	}
	result := s.of(ret)
	start, words := len(text), 1+result.words
	text = append(text, result.before...)
	text = append(text, name...)
	text = append(text, '(')
	for i, p := range params {
		if words > maxWords {
			break
		}
		if i > 0 {
			text = append(text, ", "...)
		}
		var more int
		text, more = s.appendParam(text, p, i == len(params)-1)
		words += more
	}
	if words > maxWords { // which are counted across the whole prototype
		f := s.types.Type(id).(*cbtf.Func)
		return append(text[:start], Declare(f.Type, name)...), true
	}
	if len(params) == 0 {
		text = append(text, "void"...)
	}
	text = append(text, ')')
	return append(text, result.after...), true
}

// appendParam appends a parameter, and returns how many words it has.
func (s *speller) appendParam(text []byte, p thin.Param, last bool) ([]byte, int) {
	if len(p.Name) > 0 {
		in := s.of(p.Type)
		text = append(text, in.before...)
		text = append(text, p.Name...)
		return append(text, in.after...), in.words
	}
	t := s.types.Type(p.Type)
	if last && IsVoid(t) {
		return append(text, "..."...), 0
	}
	d := declaration{words: maxWords}
	return append(text, d.of(t, "")...), maxWords - d.words
}
