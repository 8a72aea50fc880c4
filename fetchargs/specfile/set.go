package specfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// maxDepth is how deep files may include each other. Deeper includes are taken for a
// cycle through files that have several names.
const maxDepth = 20

// A Set has the specs of some files and of the files that they include, in order.
type Set struct {
	Specs []*Spec
	Files []string // all files that were opened or should have been, each once

	open  func(name string) ([]byte, error)
	wrong spec.Errors
	stack []string // files that are being read
	size  int      // bytes of the specs that are complete
	full  bool     // there are more specs or errors than are read
}

// A Spec is the text of a spec joined into one line, without comments.
type Spec struct {
	Text   string
	file   string
	pieces []piece
	cut    bool // it was too long and has been cut
}

// A Place is a place in a file. Line and Column start at 1; columns are bytes.
type Place struct {
	File         string
	Line, Column int
}

// String returns the place in the form that editors understand: opens.tsnoop:3:14.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Place returns where in the files the byte pos of the spec's text is.
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

// Read reads files. open returns the content of a file of that name. An include is
// relative to the file that has it, or to "." for the file "-". If the files have errors,
// Read returns a [spec.Errors] and what could be read. If one of names cannot be opened,
// it returns the error of open.
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

// add reads a file unless it has been read.
func (s *Set) add(name string) error {
	name = filepath.Clean(name)
	if at := slices.Index(s.stack, name); at >= 0 {
		return fmt.Errorf("it includes itself: %s", strings.Join(append(s.stack[at:], name), " -> "))
	}
	if slices.Contains(s.Files, name) {
		return nil
	}
	if len(s.Files) == MaxFiles {
		s.full = true
		return fmt.Errorf("there are more than %d files", MaxFiles)
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

// Texts returns the texts of the specs.
func (s *Set) Texts() []string {
	texts := make([]string, len(s.Specs))
	for i, spec := range s.Specs {
		texts[i] = spec.Text
	}
	return texts
}

// Locate sets the place in the files for the errors in err, if it is a [spec.Errors]. It
// does not change errors about other specs.
func (s *Set) Locate(err error) {
	var wrong spec.Errors
	if s == nil || !errors.As(err, &wrong) {
		return
	}
	type same struct {
		text, msg string
		spec.Span
	}
	seen := map[same]int{} // a spec that is there twice has its errors twice
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
