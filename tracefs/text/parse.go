package text

import (
	"bytes"
	"encoding/binary"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Options says how trace_pipe's text is understood.
type Options struct {
	// Formats are the events to look for; anything else is skipped. Their names
	// should be such that no task can guess them, and so should the names of
	// fields that stand behind a string: the kernel does not escape strings.
	Formats []*tracefs.Format

	// Further, if not nil, is asked when a name is of none of Formats: it returns
	// those that have come since it was asked last, nil if none have.
	Further func() []*tracefs.Format

	// Addr gives the address of a kernel function. May be nil; then fields
	// shown as a symbol are 0.
	Addr func(sym string) (uint64, bool)

	// Order is the byte order of Event.Data; nil is this machine's.
	Order binary.ByteOrder

	// Idle is called when all that was read has been passed on. It may be nil.
	Idle func()
}

// Counts tells of what a Parser could not turn into an event.
type Counts struct {
	Skipped   uint64 // lines that belong to no event: stacks, headings
	Malformed uint64 // events whose text was cut or not as their format says
}

// A Parser turns the text of trace_pipe into events as a binary reader
// would give them.
//
// The kernel writes strings as they are, with their quotes and newlines, so no
// line can be trusted. A record begins where the name of a known event stands
// behind a proper header, and ends where the next one begins.
type Parser struct {
	Counts Counts

	opts    Options
	formats map[string]*lineFormat
	enc     encoder

	buf    []byte
	start  int // of the text not yet turned into events
	scan   int // everything before this has been searched for headers
	rec    header
	format *lineFormat    // of the record that begins at start, nil if none does
	body   int            // offset of the record's fields
	lost   map[int]uint64 // by CPU, for its next event
	ev     tracefs.Event
}

// maxText bounds a record's text. The kernel makes a line of at most two pages.
const maxText = 1 << 20

// NewParser returns a parser that was given no text yet.
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

// Space returns room to read at least n bytes of text into; Fed says how many
// there were.
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

// Next returns the next event, or nil if more text is needed. A record's end
// is known when the next one begins, or when idle says that the kernel has
// nothing more at the moment.
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

// maxHeader is more than a header and an event's name take.
const maxHeader = 256

// nextHeader looks for the next name of a known event behind a header.
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

// formatNamed is that of an event, nil if it is none of ours.
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

// finish makes an event of text, the whole of the record that is at start and
// of the lines behind it. It returns nil if there is no record or no proper one.
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

// flush makes an event of the last record if it is whole.
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

// bodyLen returns how much of text is the record, whose fields begin at body;
// behind it may stand stacks and news of lost events. A string cannot pass for
// those, for its closing quote would stand behind them.
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

// drop gives up on the text before end.
func (p *Parser) drop(end int) {
	if p.format != nil {
		p.malformed(p.rec.cpu)
		p.format = nil
	} else {
		p.skipLines(p.buf[p.start:end])
	}
	p.start, p.scan = end, max(p.scan, end)
}

// malformed counts a record that could not be read. For the reader of events
// it is lost.
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

// skipLines goes through lines that belong to no event.
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
