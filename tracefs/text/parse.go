package text

import (
	"bytes"
	"encoding/binary"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Options says how to read trace_pipe's text.
type Options struct {
	// Formats are the events to look for; others are skipped. No task should be able to
	// guess their names, nor the names of fields that follow a string: the kernel does
	// not escape strings.
	Formats []*tracefs.Format

	// Further, if not nil, is called when a name matches none of Formats. It returns
	// the formats that were added since the last call, nil if none were.
	Further func() []*tracefs.Format

	// Addr returns the address of a kernel function. It may be nil; fields that are
	// shown as symbols are then 0.
	Addr func(sym string) (uint64, bool)

	// Order is the byte order of Event.Data; nil means that of this machine.
	Order binary.ByteOrder

	// Idle is called when everything that was read has been passed on. It may be nil.
	Idle func()
}

// Counts counts what a Parser could not turn into events.
type Counts struct {
	Skipped   uint64 // lines that belong to no event, such as stacks and headings
	Malformed uint64 // events whose text was cut or does not fit their format
}

// A Parser turns the text of trace_pipe into events as a binary reader would return
// them.
//
// The kernel does not escape quotes and newlines in strings, so no line can be trusted.
// A record begins where the name of a known event follows a valid header, and ends
// where the next record begins.
type Parser struct {
	Counts Counts

	opts    Options
	formats map[string]*lineFormat
	enc     encoder

	buf    []byte
	start  int // start of the text that is not yet turned into events
	scan   int // all text before this has been searched for headers
	rec    header
	format *lineFormat    // format of the record at start, nil if there is none
	body   int            // offset of the record's fields
	lost   map[int]uint64 // events lost before the next event of a CPU
	ev     tracefs.Event
}

// maxText limits a record's text, in bytes. The kernel writes lines of at most two
// pages.
const maxText = 1 << 20

// NewParser returns a parser without any text.
func NewParser(o Options) *Parser {
	if o.Order == nil {
		o.Order = binary.NativeEndian
	}
	p := &Parser{
		opts: o, formats: make(map[string]*lineFormat), lost: make(map[int]uint64),
		enc: encoder{order: o.Order, addr: o.Addr, known: make(map[string]uint64)},
	}
	for _, f := range o.Formats {
		p.formats[f.Name] = newLineFormat(f)
	}
	return p
}

// Space returns room for at least n bytes of text. Fed says how many were read into it.
func (p *Parser) Space(n int) []byte {
	if p.start > 0 {
		kept := copy(p.buf, p.buf[p.start:])
		p.buf = p.buf[:kept]
		p.rec.start -= p.start
		p.body -= p.start
		p.scan -= p.start
		p.start = 0
	}
	if cap(p.buf)-len(p.buf) < n {
		p.buf = append(make([]byte, 0, 2*cap(p.buf)+n), p.buf...)
	}
	return p.buf[len(p.buf):cap(p.buf)]
}

// Fed adds the first n bytes of what Space returned.
func (p *Parser) Fed(n int) { p.buf = p.buf[:len(p.buf)+n] }

// Next returns the next event, or nil if more text is needed. The end of a record is
// known when the next one begins, or when idle says that the kernel has nothing more
// now.
//
// The event and its slices are valid until the next call of Next or Space.
func (p *Parser) Next(idle bool) *tracefs.Event {
	for {
		h, f, body, ok := p.nextHeader()
		if !ok {
			break
		}
		ev := p.finish(p.buf[p.start:h.start])
		p.start, p.rec, p.format, p.body = h.start, h, f, body
		if ev != nil {
			return ev
		}
	}
	if idle {
		return p.flush()
	}
	if len(p.buf)-p.start > maxText {
		p.drop(len(p.buf) - maxHeader)
	}
	return nil
}

// maxHeader is more than the length of a header and an event's name.
const maxHeader = 256

// nextHeader finds the next name of a known event that follows a header.
func (p *Parser) nextHeader() (h header, f *lineFormat, body int, ok bool) {
	for {
		i := bytes.Index(p.buf[p.scan:], []byte(": ("))
		if i < 0 {
			p.scan = max(p.scan, len(p.buf)-2)
			return h, nil, 0, false
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
		h, ok := parseHeaderBack(p.buf[p.start:], name-p.start)
		if !ok {
			continue
		}
		h.start += p.start
		if p.format != nil && h.start < p.body {
			continue
		}
		return h, f, end + len(": ("), true
	}
}

// formatNamed returns the format of an event, or nil if it is none of ours.
func (p *Parser) formatNamed(name []byte) *lineFormat {
	f := p.formats[string(name)]
	if f != nil || p.opts.Further == nil {
		return f
	}
	for _, further := range p.opts.Further() {
		p.formats[further.Name] = newLineFormat(further)
	}
	return p.formats[string(name)]
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// finish makes an event of text, which is the record at start and the lines after it.
// It returns nil if there is no record, or no valid one.
func (p *Parser) finish(text []byte) *tracefs.Event {
	if p.format == nil {
		p.skipLines(text)
		return nil
	}
	n := bodyLen(text, p.body-p.start)
	ev := p.event(text[p.body-p.start : n])
	if ev == nil {
		p.malformed(p.rec.cpu)
	}
	p.skipLines(text[n:])
	return ev
}

// flush makes an event of the last record if it is complete.
func (p *Parser) flush() *tracefs.Event {
	text := p.buf[p.start:]
	if len(text) == 0 || text[len(text)-1] != '\n' {
		return nil
	}
	var ev *tracefs.Event
	if p.format == nil {
		p.skipLines(text)
	} else {
		n := bodyLen(text, p.body-p.start)
		if ev = p.event(text[p.body-p.start : n]); ev == nil {
			return nil
		}
		p.skipLines(text[n:])
	}
	p.start, p.scan, p.format = len(p.buf), len(p.buf), nil
	return ev
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

// drop gives up the text before end.
func (p *Parser) drop(end int) {
	if p.format != nil {
		p.malformed(p.rec.cpu)
		p.format = nil
	} else {
		p.skipLines(p.buf[p.start:end])
	}
	p.start, p.scan = end, max(p.scan, end)
}

// malformed counts a record that could not be read. For the reader of events it is
// lost.
func (p *Parser) malformed(cpu int) {
	p.Counts.Malformed++
	p.addLost(cpu, 1)
}

func (p *Parser) addLost(cpu int, n uint64) {
	if have := p.lost[cpu]; n != tracefs.LostUnknown && have != tracefs.LostUnknown {
		n += have
	} else {
		n = tracefs.LostUnknown
	}
	p.lost[cpu] = n
}

// skipLines handles lines that belong to no event.
func (p *Parser) skipLines(text []byte) {
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		text = text[len(line):]
		if cpu, n, ok := parseLost(line); ok {
			p.addLost(cpu, n)
		} else {
			p.Counts.Skipped++
		}
	}
}

// event makes an event of the record's fields.
func (p *Parser) event(fields []byte) *tracefs.Event {
	data, ok := p.enc.encode(p.format, fields, p.rec.tid)
	if !ok {
		return nil
	}
	comm := p.buf[p.rec.start : p.rec.start+p.rec.commLen]
	p.ev = tracefs.Event{
		Format: p.format.Format, Time: p.rec.time, CPU: p.rec.cpu, TID: p.rec.tid,
		Comm: bytes.TrimLeft(comm, " "), Data: data,
	}
	if len(p.lost) > 0 {
		p.ev.Lost = p.lost[p.rec.cpu]
		delete(p.lost, p.rec.cpu)
	}
	return &p.ev
}
