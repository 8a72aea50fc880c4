package text

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
)

// The rules for pasted text. Lines of any event may be in it, so each line that begins
// with a header may begin a record, and a record ends after the shortest text that fits
// its format and that is followed by such a line.

// maxHeld limits the text of a record, in bytes. The kernel writes lines of at most two
// pages.
const maxHeld = 16 << 10

// maxOthers limits the size of Parser.Others.
const maxOthers = 1 << 12

// A LineError says which line of a text is wrong.
type LineError struct {
	Line int // starting at 1
	Msg  string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Err returns a *LineError about the first event that does not fit its format, or nil
// if there was none so far.
func (p *Parser) Err() error { return p.err }

// Events yields the events of a pasted text, each when the next line of an event, or the
// end, has been read. An event and its slices are valid until the next one.
func (p *Parser) Events(r io.Reader) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			line, err := p.readLine(in)
			if len(line) > 0 {
				p.line++
				p.Fed(copy(p.Space(len(line)), line))
			}
			for ev := p.Next(err != nil); ev != nil; ev = p.Next(err != nil) {
				if !yield(ev, nil) {
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// readLine reads a line with its newline, which it adds to the last line if needed. It
// returns a line that is longer than any record in pieces.
func (p *Parser) readLine(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return text, nil
	}
	if err == io.EOF && len(text) > 0 {
		text = append(text[:len(text):len(text)], '\n')
	}
	if before, ok := bytes.CutSuffix(text, []byte("\r\n")); ok && (p.line == 0 || p.crlf) {
		p.crlf = true
		text = append(before[:len(before):len(before)], '\n')
	}
	return text, err
}

// cutPasted returns where the text from start on ends if the line at scan begins a
// record, or if nothing is known to begin at start.
func (p *Parser) cutPasted() (at int, next record, ok bool) {
	if p.scan == len(p.buf) {
		return 0, record{}, false
	}
	from := p.scan - p.start
	p.scan = len(p.buf) // lines are fed one by one
	h, end, ok := p.lineHeader(p.buf[p.start:], from)
	switch {
	case ok:
		return p.start + h.start, p.begin(h, p.buf[p.start:], end), true
	case p.rec.format == nil && p.held.format == nil, len(p.buf)-p.start > maxHeld:
		return len(p.buf), record{}, true
	}
	return 0, record{}, false
}

// begin returns the record after a header that ends before text[end:].
func (p *Parser) begin(h header, text []byte, end int) record {
	name := text[end:]
	for i, c := range name {
		if !isNameByte(c) {
			name = name[:i]
			break
		}
	}
	r := record{header: h, line: p.line, name: end - h.start, body: end + len(name) + len(": (") - h.start}
	if bytes.HasPrefix(text[end+len(name):], []byte(": (")) {
		r.format = p.formatNamed(name)
	}
	return r
}

// passOver counts the event at start and skips it if nobody looks for it, unless it may
// be text of the record before.
func (p *Parser) passOver() {
	if p.rec.commLen > 0 && p.rec.format == nil && p.held.format == nil {
		p.other(&p.rec, p.buf[p.start:])
		p.start, p.rec = len(p.buf), record{}
	}
}

// other counts an event that nobody looks for.
func (p *Parser) other(r *record, text []byte) {
	name := text[r.name : r.body-len(": (")]
	switch known := p.Others[string(name)]; {
	case len(name) == 0: // as before a stack
		p.Skipped++
	case known > 0, len(p.Others) < maxOthers:
		p.Others[string(name)]++
	}
}

// lineHeader finds the header of an event in the line at text[from:]. The task's name may
// split that line in two. A header without the width of its name's column is accepted
// only where an event may begin.
func (p *Parser) lineHeader(text []byte, from int) (h header, end int, ok bool) {
	for _, whole := range []bool{true, false} {
		for end = from; ; {
			i := bytes.Index(text[end:], []byte(": "))
			if i < 0 {
				break
			}
			end += i + 2
			h, ok = parsePastedHeader(text, end, from, whole)
			if !ok || h.start > from || p.rec.format != nil && h.start < p.rec.body {
				continue
			}
			if !whole && p.rec.format != nil {
				n, ok := p.whole(&p.rec, text[:from])
				return h, end, ok && n == from
			}
			return h, end, true
		}
	}
	return h, 0, false
}

// finishPasted makes an event of text, the last record and what follows it. It returns nil if
// there is no record, or no valid one, or, unless last is set, if more text is needed
// to decide.
func (p *Parser) finishPasted(text []byte, last bool) *tracefs.Event {
	held := p.held
	p.held = record{}
	n, ok := 0, false
	if p.rec.format != nil {
		n, ok = p.whole(&p.rec, text)
	}
	if held.format != nil && !ok {
		joined := append(p.heldBuf, text...)
		if n, ok := p.whole(&held, joined); ok {
			return p.event(&held, joined, n, pastedIndent)
		}
	}
	if held.format != nil {
		p.unfit(&held, p.heldBuf)
	}
	switch {
	case ok:
		p.whole(&p.rec, text)
		return p.event(&p.rec, text, n, pastedIndent)
	case p.rec.format == nil && held.format == nil:
		p.skipLines(text)
	case p.rec.format == nil:
		p.other(&p.rec, text)
	case !last && p.rec.format.endsInText() && len(text) < maxHeld && !bytes.HasSuffix(text, tooBig):
		p.held, p.heldBuf = p.rec, append(p.heldBuf[:0], text...)
	default:
		p.unfit(&p.rec, text)
	}
	return nil
}

// pastedIndent may precede the name of a task in pasted text.
const pastedIndent = " \t>"

// tooBig ends a record that does not fit into the kernel's buffer.
var tooBig = []byte("[LINE TOO BIG]\n")

// whole encodes the record at the start of text. It takes the shortest record after
// which the text does not look as if the record went on.
func (p *Parser) whole(r *record, text []byte) (n int, ok bool) {
	first := 0
	for i, tries := r.body, 0; i < len(text) && tries < maxTries; {
		next := bytes.IndexByte(text[i:], '\n')
		if next < 0 {
			break
		}
		i += next + 1
		if r.format.endsInText() && !endsText(text[:i]) {
			continue
		}
		tries++
		if !p.encode(r, text[:i]) {
			if !r.format.endsInText() {
				break // only a string can go on after a newline
			}
			continue
		}
		if startsLine(text[i:]) {
			return i, true
		}
		if first == 0 {
			first = i
		}
	}
	return first, first > 0 && p.encode(r, text[:first])
}

// maxTries limits how often a string may look as if it ended.
const maxTries = 128

// endsText reports whether a line ends like one whose last field is a string.
func endsText(line []byte) bool {
	line = bytes.TrimRight(line, " \t\n")
	return len(line) > 0 && (line[len(line)-1] == '"' || bytes.HasSuffix(line, fault) || line[len(line)-1] == '}')
}

// endsInText reports whether the last field is a string, which may have several lines.
func (f *lineFormat) endsInText() bool { return len(f.args) > 0 && f.args[len(f.args)-1].DataLoc }

// encode makes a record of text, which includes the header. It ignores blanks at the
// end.
func (p *Parser) encode(r *record, text []byte) bool {
	fields := text[r.body:]
	_, ok := p.enc.encode(r.format, fields, r.tid)
	if trimmed := bytes.TrimRight(fields, " \t\n"); !ok && len(trimmed)+1 < len(fields) {
		_, ok = p.enc.encode(r.format, append(trimmed[:len(trimmed):len(trimmed)], '\n'), r.tid)
	}
	return ok
}

// startsLine reports whether text is empty or begins with a line that cannot belong to
// a string before it.
func startsLine(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte(" => ")) {
		return true
	}
	if _, _, ok := parseLost(append(line[:len(line):len(line)], '\n')); ok {
		return true
	}
	for end := 0; ; {
		i := bytes.Index(line[end:], []byte(": "))
		if i < 0 {
			return false
		}
		end += i + 2
		if _, ok := parsePastedHeader(line, end, 0, true); ok {
			return true
		}
	}
}

// unfit counts a record that could not be read, and keeps the reason if it is the first.
func (p *Parser) unfit(r *record, text []byte) {
	p.malformed(r.cpu)
	if p.err != nil {
		return
	}
	line, _, _ := bytes.Cut(text[r.body:], []byte("\n"))
	p.encode(r, append(text[:r.body:r.body], append(line[:len(line):len(line)], '\n')...))
	got := bytes.TrimSpace(p.enc.rest)
	if len(got) > 40 {
		got = append(got[:40:40], "..."...)
	}
	msg := fmt.Sprintf("%s has %q after all values of its spec", r.format.Name, got)
	if f := p.enc.wanted; f != nil && bytes.HasPrefix(p.enc.rest, f.delim) {
		next := "nothing more"
		if f.next[0] == ' ' {
			next = string(f.next[1:])
		}
		msg = fmt.Sprintf("%s has %q where its spec gives %s%s and %s", r.format.Name, got, f.delim[1:], f.Type, next)
	} else if f != nil {
		msg = fmt.Sprintf("%s has %q where its spec gives %s", r.format.Name, got, f.delim[1:])
	}
	p.err = &LineError{Line: r.line, Msg: msg}
}
