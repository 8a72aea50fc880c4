package specfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// maxDepth is how deep files may include each other. What is deeper is a circle that
// goes by several names.
const maxDepth = 20

// A Set is the specs of some files and of those that they include, in their order.
type Set struct {
	Specs []*Spec
	Files []string // all that were opened or should have been, each once

	open  func(name string) ([]byte, error)
	wrong spec.Errors
	stack []string // files that are being read
	full  bool     // there are more specs than are taken
}

// A Spec is the text of a spec on one line, without comments.
type Spec struct {
	Text   string
	file   string
	pieces []piece
	cut    bool // it was too long, and the rest is dropped
}

// A Place is where something is in a file. Line and Column begin with 1, and
// columns are bytes.
type Place struct {
	File         string
	Line, Column int
}

// String is what editors and people jump to: opens.tsnoop:3:14.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Place says where the byte pos of the spec's text is.
func (s *Spec) Place(pos int) Place {
	p := s.pieces[0]
	for _, next := range s.pieces[1:] {
		if next.pos > pos {
			break
		}
		p = next
	}
	return Place{s.file, p.line, p.column + pos - p.pos}
}

// Read reads files. Their names are as open takes them; includes are relative to the
// file that has them, and to "." for "-". What is wrong in the files comes as a
// spec.Errors, with what could be read; that one of names cannot be read is the error
// of open.
func Read(names []string, open func(name string) ([]byte, error)) (*Set, error) {
	s := &Set{open: open}
	for _, name := range names {
		if err := s.add(name); err != nil {
			return s, err
		}
	}
	if len(s.wrong) > 0 {
		return s, s.wrong
	}
	return s, nil
}

// add reads a file if it has not been read.
func (s *Set) add(name string) error {
	name = filepath.Clean(name)
	if at := slices.Index(s.stack, name); at >= 0 {
		return fmt.Errorf("it includes itself: %s", strings.Join(append(s.stack[at:], name), " -> "))
	}
	if slices.Contains(s.Files, name) {
		return nil
	}
	if len(s.stack) == maxDepth {
		return fmt.Errorf("files that include others go deeper than %d: does one include itself by another name?", maxDepth)
	}
	s.Files = append(s.Files, name)
	text, err := s.open(name)
	if err != nil {
		return err
	}
	s.stack = append(s.stack, name)
	(&reader{set: s, name: name}).read(text)
	s.stack = s.stack[:len(s.stack)-1]
	return nil
}

// Texts are the specs.
func (s *Set) Texts() []string {
	texts := make([]string, len(s.Specs))
	for i, spec := range s.Specs {
		texts[i] = spec.Text
	}
	return texts
}

// Locate adds to the errors of an error, a spec.Errors, where in the files they are.
// Those about other specs stay as they are.
func (s *Set) Locate(err error) {
	var wrong spec.Errors
	if s == nil || !errors.As(err, &wrong) {
		return
	}
	type same struct {
		text, msg string
		spec.Span
	}
	seen := map[same]int{} // the same spec twice is wrong twice
	for _, e := range wrong {
		if e.Where != "" {
			continue
		}
		key := same{e.Text, e.Msg, e.Span}
		n := seen[key]
		seen[key]++
		for _, one := range s.Specs {
			if one.Text != e.Text {
				continue
			}
			e.Where = one.Place(e.Pos).String()
			if n--; n < 0 {
				break
			}
		}
	}
}
