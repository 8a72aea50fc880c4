package text

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A Paste turns into events what somebody has copied out of trace or trace_pipe. That
// may include lines of other events, headings, columns that tracing options add or
// remove, and changes that copying makes to lines.
//
// Names of events and fields are not secret here. If a string contains a newline and
// what looks like a line, it is taken for a line: the text does not show the
// difference.
type Paste struct {
	Symbols Symbols // functions that the text names

	Skipped   uint64            // lines of no event, such as headings and stacks
	Others    map[string]uint64 // events that are not among the formats, by name
	Lost      map[int]uint64    // by CPU, as the text says; LostUnknown if there is no count
	Malformed uint64            // events that do not fit their format
	// Overwritten is how many events, of any name, were in the buffer before those of
	// the text. Only trace says that.
	Overwritten uint64
	// NoTime says that some times are plain numbers, so the clock may not count ns.
	NoTime bool

	err     error // about the first of Malformed
	formats map[string]*lineFormat
	enc     encoder
	line    int  // number of the last line that was read
	crlf    bool // lines end with \r\n

	buf     []byte // what was read since the last header, with that header
	rec     record // the record at the start of buf
	held    record // the previous record, if incomplete: the header may be part of its text
	heldBuf []byte
	pending map[int]uint64 // events lost before the next event of a CPU
	ev      tracefs.Event
	comm    []byte
}

// A record is an event of the text, according to its header.
type record struct {
	header
	line   int         // line number
	format *lineFormat // nil if nobody looks for the event
	name   int         // offset of the event's name from the start of the header
	body   int         // offset of the fields
}

// maxHeld limits the text of a record, in bytes. The kernel writes lines of at most two
// pages.
const maxHeld = 16 << 10

// maxOthers limits the size of Paste.Others.
const maxOthers = 1 << 12

// NewPaste returns a Paste that looks for events of these formats. It makes their
// records in the given byte order.
func NewPaste(formats []*tracefs.Format, order binary.ByteOrder) *Paste {
	p := &Paste{
		Others: make(map[string]uint64), Lost: make(map[int]uint64), pending: make(map[int]uint64),
		formats: make(map[string]*lineFormat),
	}
	p.enc = encoder{order: order, symbols: &p.Symbols}
	for _, f := range formats {
		p.formats[f.Name] = newLineFormat(f)
	}
	return p
}

// A LineError says which line of a text is wrong.
type LineError struct {
	Line int // starting at 1
	Msg  string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Err returns a *LineError about the first event that does not fit its format, or nil
// if there was none so far.
func (p *Paste) Err() error { return p.err }

// Events yields the events of a text, each when the next line of an event, or the end,
// has been read. An event and its slices are valid until the next one.
func (p *Paste) Events(r io.Reader) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		in := bufio.NewReaderSize(r, 64<<10)
		for {
			text, err := p.readLine(in)
			if len(text) > 0 {
				p.line++
				if ev := p.add(text); ev != nil && !yield(ev, nil) {
					return
				}
			}
			if err != nil {
				ev := p.finish(p.buf, true)
				p.buf, p.rec = p.buf[:0], record{}
				if ev != nil && !yield(ev, nil) {
					return
				}
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
func (p *Paste) readLine(in *bufio.Reader) ([]byte, error) {
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

// add takes the next line. If it has the header of an event, the previous event is
// complete and add returns it.
func (p *Paste) add(text []byte) (ev *tracefs.Event) {
	from := len(p.buf)
	p.buf = append(p.buf, text...)
	h, end, ok := p.header(from)
	switch {
	case ok:
		ev = p.finish(p.buf[:h.start], false)
		p.begin(h, end)
	case p.rec.format == nil && p.held.format == nil, len(p.buf) > maxHeld:
		ev = p.finish(p.buf, true)
		p.buf, p.rec = p.buf[:0], record{}
	}
	return ev
}

// begin starts a record after a header that ends before buf[end:].
func (p *Paste) begin(h header, end int) {
	name := p.buf[end:]
	for i, c := range name {
		if !isNameByte(c) {
			name = name[:i]
			break
		}
	}
	p.rec = record{header: h, line: p.line, name: end - h.start, body: end + len(name) + len(": (") - h.start}
	if bytes.HasPrefix(p.buf[end+len(name):], []byte(": (")) {
		p.rec.format = p.formats[string(name)]
	}
	p.buf = append(p.buf[:0], p.buf[h.start:]...)
	if p.rec.format == nil && p.held.format == nil {
		p.other(&p.rec, p.buf)
		p.buf = p.buf[:0]
	}
}

// other counts an event that nobody looks for.
func (p *Paste) other(r *record, text []byte) {
	name := text[r.name : r.body-len(": (")]
	switch known := p.Others[string(name)]; {
	case len(name) == 0: // as before a stack
		p.Skipped++
	case known > 0, len(p.Others) < maxOthers:
		p.Others[string(name)]++
	}
}

// header finds the header of an event in the line at buf[from:]. The task's name may
// split that line in two. A header without the width of its name's column is accepted
// only where an event may begin.
func (p *Paste) header(from int) (h header, end int, ok bool) {
	for _, whole := range []bool{true, false} {
		for end = from; ; {
			i := bytes.Index(p.buf[end:], []byte(": "))
			if i < 0 {
				break
			}
			end += i + 2
			h, ok = parsePastedHeader(p.buf, end, from, whole)
			if !ok || h.start > from || p.rec.format != nil && h.start < p.rec.body {
				continue
			}
			if !whole && p.rec.format != nil {
				n, ok := p.whole(&p.rec, p.buf[:from])
				return h, end, ok && n == from
			}
			return h, end, true
		}
	}
	return h, 0, false
}

// finish makes an event of text, the last record and what follows it. It returns nil if
// there is no record, or no valid one, or, unless last is set, if more text is needed
// to decide.
func (p *Paste) finish(text []byte, last bool) *tracefs.Event {
	held := p.held
	p.held = record{}
	n, ok := 0, false
	if p.rec.format != nil {
		n, ok = p.whole(&p.rec, text)
	}
	if held.format != nil && !ok {
		joined := append(p.heldBuf, text...)
		if n, ok := p.whole(&held, joined); ok {
			return p.event(&held, joined, n)
		}
	}
	if held.format != nil {
		p.malformed(&held, p.heldBuf)
	}
	switch {
	case ok:
		p.whole(&p.rec, text)
		return p.event(&p.rec, text, n)
	case p.rec.format == nil && held.format == nil:
		p.skipLines(text)
	case p.rec.format == nil:
		p.other(&p.rec, text)
	case !last && p.rec.format.endsInText() && len(text) < maxHeld && !bytes.HasSuffix(text, tooBig):
		p.held, p.heldBuf = p.rec, append(p.heldBuf[:0], text...)
	default:
		p.malformed(&p.rec, text)
	}
	return nil
}

// tooBig ends a record that does not fit into the kernel's buffer.
var tooBig = []byte("[LINE TOO BIG]\n")

// event makes an event of the encoded record in the first n bytes of text.
func (p *Paste) event(r *record, text []byte, n int) *tracefs.Event {
	p.comm = append(p.comm[:0], bytes.TrimLeft(text[:r.commLen], " \t>")...)
	p.ev = tracefs.Event{
		Format: r.format.Format, Time: r.time, CPU: r.cpu, TID: r.tid,
		Comm: p.comm, Data: p.enc.data, Lost: p.pending[r.cpu],
	}
	delete(p.pending, r.cpu)
	p.NoTime = p.NoTime || r.plain
	p.skipLines(text[n:])
	return &p.ev
}

// whole encodes the record at the start of text. It takes the shortest record after
// which the text does not look as if the record went on.
func (p *Paste) whole(r *record, text []byte) (n int, ok bool) {
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
func (p *Paste) encode(r *record, text []byte) bool {
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

// malformed counts a record that could not be read, and keeps the reason if it is the
// first. For the reader of events it is lost.
func (p *Paste) malformed(r *record, text []byte) {
	p.Malformed++
	p.addLost(p.pending, r.cpu, 1)
	if p.err != nil {
		return
	}
	line, _, _ := bytes.Cut(text[r.body:], []byte("\n"))
	p.encode(r, append(text[:r.body:r.body], append(line[:len(line):len(line)], '\n')...))
	got := bytes.TrimSpace(p.enc.rest)
	if len(got) > 40 {
		got = append(got[:40:40], "..."...)
	}
	msg := fmt.Sprintf("%s has %q behind all that its spec gives", r.format.Name, got)
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

func (p *Paste) addLost(to map[int]uint64, cpu int, n uint64) {
	if have := to[cpu]; n == tracefs.LostUnknown || have == tracefs.LostUnknown {
		n = tracefs.LostUnknown
	} else {
		n += have
	}
	to[cpu] = n
}

// skipLines handles lines that belong to no event.
func (p *Paste) skipLines(text []byte) {
	for line := range bytes.Lines(text) {
		if cpu, n, ok := parseLost(line); ok {
			p.addLost(p.pending, cpu, n)
			p.addLost(p.Lost, cpu, n)
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
