package specfile

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// Limits of a set of files, and of the errors in them that are shown.
const (
	MaxSpecs  = 1000
	MaxFiles  = 1000
	MaxErrors = spec.MaxErrors
)

// A piece is the part of a spec that is on one line of a file.
type piece struct {
	pos          int // offset of its first byte in the text of the spec
	line, column int // place of that byte in the file, from 1; columns are bytes
}

// A reader reads one file.
type reader struct {
	set  *Set
	name string
	line int
	open *Spec  // the spec that the next line may continue
	text []byte // its text so far
}

// read reads the lines of a file.
func (r *reader) read(text []byte) {
	text, ok := r.plain(text)
	if !ok {
		return
	}
	for line := range bytes.Lines(text) {
		if r.line++; r.set.full {
			return
		}
		r.take(string(bytes.TrimRight(line, "\r\n")))
	}
	r.end()
}

// end ends the spec that could be continued.
func (r *reader) end() {
	if r.open != nil {
		r.open.Text = string(r.text)
		r.set.size += len(r.text)
	}
	r.open = nil
}

// plain removes the byte order mark that some editors put before UTF-8. If text is not
// text, it adds an error at the first byte that shows this.
func (r *reader) plain(text []byte) ([]byte, bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		r.fail(&Spec{Text: "", file: r.name, pieces: []piece{{0, 1, 1}}}, spec.Span{}, "save it as UTF-8", "this is UTF-16")
		return nil, false
	}
	bad := bytes.IndexFunc(text, func(c rune) bool {
		return c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' || c == 0x7f
	})
	if bad < 0 {
		return text, true
	}
	before := text[:bad]
	column := bad - bytes.LastIndexByte(before, '\n')
	r.fail(&Spec{file: r.name, pieces: []piece{{0, 1 + bytes.Count(before, []byte("\n")), column}}}, spec.Span{},
		"write specs as text, one a line", "byte 0x%02x: this is not text", text[bad])
	return nil, false
}

// take handles one line.
func (r *reader) take(line string) {
	text := strings.TrimRight(withoutComment(line), " \t\r\f")
	first := strings.TrimLeft(text, " \t\r\f")
	column := 1 + len(text) - len(first)
	switch {
	case first == "":
	case column > 1 && r.open == nil:
		r.fail(&Spec{Text: line, file: r.name, pieces: []piece{{0, r.line, 1}}}, spec.Span{Pos: column - 1, End: len(text)},
			"begin a spec in the first column", "a line that begins with a space continues the spec above it, and there is none")
	case column > 1:
		r.goOn(first, column)
	case isInclude(first):
		r.end()
		r.include(first)
	default:
		r.begin(first)
	}
}

// begin begins a spec.
func (r *reader) begin(text string) {
	r.end()
	r.text = append(r.text[:0], text...)
	r.open = &Spec{Text: text, file: r.name, pieces: []piece{{0, r.line, 1}}}
	if len(r.set.Specs) == MaxSpecs {
		r.set.full = true
		r.limitText()
		r.fail(r.open, spec.Span{Pos: 0, End: 1}, "name many functions with one glob: 'tcp_*'", "there are more than %d specs", MaxSpecs)
		return
	}
	r.set.Specs = append(r.set.Specs, r.open)
	r.limit()
}

// goOn adds a line to the spec above.
func (r *reader) goOn(text string, column int) {
	s := r.open
	if s.cut {
		return
	}
	r.text = append(r.text, ' ')
	s.pieces = append(s.pieces, piece{len(r.text), r.line, column})
	r.text = append(r.text, text...)
	r.limit()
}

// limit refuses a spec that is too long, by itself or with those before it.
func (r *reader) limit() {
	if size := r.set.size + len(r.text); size > spec.MaxAll {
		r.set.full = true
		r.limitText()
		r.fail(r.open, spec.Span{Pos: 0, End: 1}, "name many functions with one glob: 'tcp_*'", "the specs up to this one have more than %d bytes", spec.MaxAll)
		r.set.Specs = r.set.Specs[:len(r.set.Specs)-1]
		return
	}
	if r.limitText() {
		r.fail(r.open, spec.Span{Pos: 0, End: 1}, "begin each spec in the first column: a line that begins with a space continues the spec above", "this spec is longer than %d bytes", spec.MaxText)
		r.set.Specs = r.set.Specs[:len(r.set.Specs)-1]
	}
}

// limitText cuts the text of a spec that is too long, so that its errors are shown
// quickly.
func (r *reader) limitText() bool {
	cut := spec.MaxText
	if len(r.text) <= cut {
		return false
	}
	for cut > 0 && !utf8.RuneStart(r.text[cut]) {
		cut--
	}
	r.text = r.text[:cut]
	r.open.Text, r.open.cut = string(r.text), true
	return true
}

// withoutComment returns the line up to the first # that is not in a string.
func withoutComment(line string) string {
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			return line[:i]
		}
	}
	return line
}

const includeWord = "include"

// isInclude distinguishes an include from the spec of a function of that name.
func isInclude(text string) bool {
	rest, ok := strings.CutPrefix(text, includeWord)
	return ok && rest != "" && (rest[0] == ' ' || rest[0] == '\t')
}

// include reads the file that a line names: include FILE or include "FILE".
func (r *reader) include(text string) {
	line := &Spec{Text: text, file: r.name, pieces: []piece{{0, r.line, 1}}}
	name := strings.TrimLeft(text[len(includeWord):], " \t")
	at := spec.Span{Pos: len(text) - len(name), End: len(text)}
	if quoted, ok := strings.CutPrefix(name, `"`); ok {
		if name, ok = strings.CutSuffix(quoted, `"`); !ok || name == "" || strings.Contains(name, `"`) {
			r.fail(line, at, `write include "net drops.tsnoop"`, "an include is a file's name, in quotes if it begins or ends with a space or contains #")
			return
		}
	}
	if !filepath.IsAbs(name) && !strings.HasPrefix(name, "@") {
		name = filepath.Join(filepath.Dir(r.name), name)
	}
	if err := r.set.add(name); err != nil {
		r.fail(line, at, "", "cannot include it: %v", err)
	}
}

func (r *reader) fail(s *Spec, at spec.Span, hint, format string, args ...any) {
	e := &spec.Error{Text: s.Text, Span: at, Where: s.Place(at.Pos).String(), Msg: fmt.Sprintf(format, args...), Hint: hint}
	if len(r.set.wrong) == MaxErrors-1 && !r.set.full {
		r.set.full = true
		e.Msg += fmt.Sprintf("; this is the last of %d errors that are shown", MaxErrors)
	}
	r.set.wrong = append(r.set.wrong, e)
}
