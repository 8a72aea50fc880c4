package text

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Options says how to parse text of trace or trace_pipe.
type Options struct {
	// Formats are the events to look for; others are skipped. Unless the text is pasted,
	// no task should be able to guess their names, nor the names of fields that follow a
	// string: the kernel does not escape strings.
	Formats []*tracefs.Format

	// Further, if not nil, is called when a name matches none of Formats. It returns
	// the formats that were added since the last call, nil if none were.
	Further func() []*tracefs.Format

	// Pasted says that somebody has copied the text: it may have lines of other events,
	// headings, columns that tracing options add or remove, and changes that copying
	// makes to lines. Names of events and fields are not secret. If a string contains a
	// newline and what looks like a line, it is taken for a line: the text does not show
	// the difference.
	Pasted bool

	// Addr returns the address of a kernel function. It may be nil; fields that are
	// shown as symbols are then 0. It is not used for pasted text: see Parser.Symbols.
	Addr func(sym string) (uint64, bool)

	// Order is the byte order of Event.Data; nil means that of this host.
	Order binary.ByteOrder

	// Idle is called when everything that was read has been passed on. It may be nil.
	Idle func()
}

// Counts counts what a Parser could not turn into events.
type Counts struct {
	Skipped   uint64 // lines that belong to no event, such as stacks and headings
	Malformed uint64 // events whose text was cut or does not fit their format
}

// A Parser turns the text of trace or trace_pipe into events as a binary reader would
// return them.
//
// The kernel does not escape quotes and newlines in strings, so no line can be trusted.
// Two sets of rules say where a record begins and ends: one for the text of our own
// session, whose names are secret (live.go), and one for pasted text (pasted.go).
type Parser struct {
	Counts
	Lost map[int]uint64 // by CPU, as the text says; LostUnknown if there is no count

	// For pasted text:
	Symbols Symbols           // functions that the text names
	Others  map[string]uint64 // events that are not among the formats, by name
	// Overwritten is how many events, of any name, were in the buffer before those of
	// the text. Only trace says that.
	Overwritten uint64
	// NoTime says that some times are plain numbers, so the clock may not count ns.
	NoTime bool

	opts    Options
	formats map[string]*lineFormat
	enc     encoder

	buf     []byte
	start   int            // start of the text that is not yet turned into events
	scan    int            // all text before this has been searched for headers
	rec     record         // the record at start
	pending map[int]uint64 // events lost before the next event of a CPU
	ev      tracefs.Event

	// For pasted text:
	line    int    // number of the last line that was read
	crlf    bool   // lines end with \r\n
	held    record // the previous record, if incomplete: the header may be part of its text
	heldBuf []byte
	err     error // about the first of Malformed
}

// A record is an event of the text, according to its header. Offsets are from the start
// of the header.
type record struct {
	header
	format *lineFormat // nil if nobody looks for the event
	name   int         // offset of the event's name
	body   int         // offset of the fields
	line   int         // line number
}

// NewParser returns a parser without any text.
func NewParser(o Options) *Parser {
	if o.Order == nil {
		o.Order = binary.NativeEndian
	}
	p := &Parser{
		opts: o, formats: make(map[string]*lineFormat), pending: make(map[int]uint64),
		Lost: make(map[int]uint64), Others: make(map[string]uint64),
		enc: encoder{order: o.Order, addr: o.Addr, known: make(map[string]uint64)},
	}
	if o.Pasted {
		p.enc.symbols = &p.Symbols
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
// known when the next one begins, or when end says that there is nothing more: for
// pasted text at all, else at the moment.
//
// The event and its slices are valid until the next call of Next or Space.
func (p *Parser) Next(end bool) *tracefs.Event {
	cut, finish := p.cutLive, p.finishLive
	if p.opts.Pasted {
		cut, finish = p.cutPasted, p.finishPasted
	}
	for {
		at, next, ok := cut()
		if !ok {
			break
		}
		ev := finish(p.buf[p.start:at], next.commLen == 0)
		p.start, p.rec = at, next
		if p.opts.Pasted {
			p.passOver()
		}
		if ev != nil {
			return ev
		}
	}
	if !end || len(p.buf) == p.start {
		return nil
	}
	if !p.opts.Pasted && !p.isWhole() {
		return nil
	}
	ev := finish(p.buf[p.start:], true)
	p.start, p.scan, p.rec = len(p.buf), len(p.buf), record{}
	return ev
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

// event makes an event of the encoded record in the first n bytes of text. indent are the
// characters that may precede the task's name.
func (p *Parser) event(r *record, text []byte, n int, indent string) *tracefs.Event {
	p.ev = tracefs.Event{
		Format: r.format.Format, Time: r.time, CPU: r.cpu, TID: r.tid,
		Comm: bytes.TrimLeft(text[:r.commLen], indent), Data: p.enc.data,
	}
	if len(p.pending) > 0 {
		p.ev.Lost = p.pending[r.cpu]
		delete(p.pending, r.cpu)
	}
	p.NoTime = p.NoTime || r.plain
	p.skipLines(text[n:])
	return &p.ev
}

// malformed counts a record that could not be read. For the reader of events it is
// lost.
func (p *Parser) malformed(cpu int) {
	p.Malformed++
	addLost(p.pending, cpu, 1)
}

func addLost(to map[int]uint64, cpu int, n uint64) {
	if have := to[cpu]; n == tracefs.LostUnknown || have == tracefs.LostUnknown {
		n = tracefs.LostUnknown
	} else {
		n += have
	}
	to[cpu] = n
}

// skipLines handles lines that belong to no event.
func (p *Parser) skipLines(text []byte) {
	for line := range bytes.Lines(text) {
		if cpu, n, ok := parseLost(line); ok {
			addLost(p.pending, cpu, n)
			addLost(p.Lost, cpu, n)
			continue
		}
		p.Skipped++
		var kept, written uint64
		if rest, ok := bytes.CutPrefix(line, []byte("# entries-in-buffer/entries-written: ")); ok {
			if n, _ := fmt.Sscanf(string(rest), "%d/%d", &kept, &written); n == 2 && written > kept {
				p.Overwritten += written - kept
			}
		}
	}
}
