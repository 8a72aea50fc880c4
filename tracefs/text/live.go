package text

import (
	"bytes"

	"github.com/tsnoop/tsnoop/tracefs"
)

// The rules for the text of our own session. Nobody can guess the names of its events,
// so a record begins wherever the name of one follows a valid header, and ends where the
// next one begins, whatever its strings contain.

// maxText limits a record's text, in bytes. The kernel writes lines of at most two
// pages.
const maxText = 1 << 20

// maxHeader is more than the length of a header and an event's name.
const maxHeader = 256

// cutLive returns where the record at start ends and the one that begins there, or if
// there is too much text without a record, where to give up.
func (p *Parser) cutLive() (at int, next record, ok bool) {
	for {
		i := bytes.Index(p.buf[p.scan:], []byte(": ("))
		if i < 0 {
			p.scan = max(p.scan, len(p.buf)-2)
			break
		}
		end := p.scan + i
		p.scan = end + 1
		name := end
		for name > p.start && isNameByte(p.buf[name-1]) {
			name--
		}
		f := p.formatNamed(p.buf[name:end])
		if f == nil {
			continue
		}
		h, ok := parseHeader(p.buf[p.start:], name-p.start)
		if !ok || p.rec.format != nil && h.start < p.rec.body {
			continue
		}
		at := p.start + h.start
		return at, record{header: h, format: f, name: name - at, body: end + len(": (") - at}, true
	}
	if len(p.buf)-p.start > maxText {
		at := len(p.buf) - maxHeader
		p.scan = max(p.scan, at)
		return at, record{}, true
	}
	return 0, record{}, false
}

// finishLive makes an event of text, which is the record at start and the lines after
// it. It returns nil if there is no record, or no valid one.
func (p *Parser) finishLive(text []byte, _ bool) *tracefs.Event {
	r := &p.rec
	if r.format == nil {
		p.skipLines(text)
		return nil
	}
	n := bodyLen(text, r.body)
	if _, ok := p.enc.encode(r.format, text[r.body:n], r.tid); !ok {
		p.malformed(r.cpu)
		p.skipLines(text[n:])
		return nil
	}
	return p.event(r, text, n, " ")
}

// isWhole reports whether the text from start on ends with a line and is not the
// beginning of a record.
func (p *Parser) isWhole() bool {
	text := p.buf[p.start:]
	if text[len(text)-1] != '\n' {
		return false
	}
	r := &p.rec
	if r.format == nil {
		return true
	}
	_, ok := p.enc.encode(r.format, text[r.body:bodyLen(text, r.body)], r.tid)
	return ok
}

// bodyLen returns the length of the record in text, whose fields begin at body. Stacks
// and reports of lost events may follow it. A string cannot look like those, since its
// closing quote would follow them.
func bodyLen(text []byte, body int) int {
	n := len(text)
	for {
		before, line := cutLastLine(text[body:n])
		if _, _, ok := parseLost(line); ok {
			n = body + len(before)
			continue
		}
		if !bytes.HasPrefix(line, []byte(" => ")) && !bytes.HasSuffix(line, stackMark) {
			return n
		}
		start, ok := parseStackBack(text[body:n])
		if !ok {
			return n
		}
		n = body + start
	}
}
