package text

import (
	"bytes"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A header is what precedes an event's name in a line of trace_pipe:
//
//	ping-102     (    102) [001] b.s3.    12.345678: NAME: (ip_rcv+0x0/0x10)
//
// The thread group in parentheses and the flags depend on options.
type header struct {
	start   int // offset of the first byte, where the task's name begins
	commLen int // bytes of the name and the spaces before it
	tid     int
	cpu     int
	time    uint64 // ns, or whatever the clock counts
	plain   bool   // the time is a number without a point: the clock may not count ns
}

// commWidth is the width of the task's name: "%16s" of at most 15 bytes. The name may
// contain anything, even newlines, so its start is found by counting.
const commWidth = 16

// stackMark replaces an event's name if a stack follows.
var stackMark = []byte("<stack trace>\n")

// parseHeader parses the header that ends right before text[end:], where an event's
// name begins. It parses backwards, since only the end is known.
func parseHeader(text []byte, end int) (h header, ok bool) {
	b := backScanner{text[:end]}
	if !b.skip(' ') || !b.skip(':') {
		return h, false
	}
	if !b.columns(&h) || !b.task(&h) || len(b.rest) < commWidth {
		return h, false
	}
	h.start, h.commLen = len(b.rest)-commWidth, commWidth
	return h, true
}

// A backScanner parses a text backwards.
type backScanner struct{ rest []byte }

func (b *backScanner) skip(c byte) bool {
	n := len(b.rest)
	if n == 0 || b.rest[n-1] != c {
		return false
	}
	b.rest = b.rest[:n-1]
	return true
}

func (b *backScanner) skipAll(c byte) (n int) {
	for b.skip(c) {
		n++
	}
	return n
}

// columns parses "[001] b.s3.    12.345678", which ends with the time.
func (b *backScanner) columns(h *header) (ok bool) {
	if h.time, h.plain, ok = b.time(); !ok || b.skipAll(' ') == 0 {
		return false
	}
	if !b.skip(']') && (b.flags() == 0 || b.skipAll(' ') == 0 || !b.skip(']')) {
		return false
	}
	return b.cpu(h) && b.skip(' ')
}

// cpu parses "[003", after the closing bracket was parsed.
func (b *backScanner) cpu(h *header) bool {
	n, _, ok := b.number()
	h.cpu = int(n)
	return ok && b.skip('[')
}

// task parses "-102     (    102)".
func (b *backScanner) task(h *header) bool {
	if b.skip(')') && !b.threadGroup() {
		return false
	}
	b.skipAll(' ')
	n, _, ok := b.number()
	h.tid = int(n)
	return ok && b.skip('-')
}

// flags skips the irq, resched, preempt and migrate marks: 4 on 5.10, 5 since then,
// more with real-time patches.
func (b *backScanner) flags() (n int) {
	for len(b.rest) > 0 && n < 8 {
		if c := b.rest[len(b.rest)-1]; c <= ' ' || c > '~' || c == ']' {
			break
		}
		b.rest = b.rest[:len(b.rest)-1]
		n++
	}
	return n
}

// threadGroup skips "(    102" or "(-------", which record-tgid adds.
func (b *backScanner) threadGroup() bool {
	if _, _, ok := b.number(); ok {
		b.skipAll(' ')
	} else {
		b.skipAll('-')
	}
	return b.skip('(')
}

// number parses decimal digits. scale is 10 to the power of their number.
func (b *backScanner) number() (v, scale uint64, ok bool) {
	scale = 1
	for len(b.rest) > 0 && scale < 1e19 {
		c := b.rest[len(b.rest)-1]
		if c < '0' || c > '9' {
			break
		}
		v += uint64(c-'0') * scale
		scale *= 10
		b.rest = b.rest[:len(b.rest)-1]
	}
	return v, scale, scale > 1
}

// time parses "sec.usec" and returns ns. For the clocks counter, uptime and x86-tsc it
// returns the plain number.
func (b *backScanner) time() (_ uint64, plain, ok bool) {
	v, scale, ok := b.number()
	if !ok || !b.skip('.') {
		return v, true, ok
	}
	sec, _, ok := b.number()
	return sec*1e9 + v*(1e9/min(scale, 1e9)), false, ok
}

// parseLost parses a line, with its newline, that reports lost events: "CPU:3 [LOST 5
// EVENTS]", or without a number if the kernel did not count them.
func parseLost(line []byte) (cpu int, lost uint64, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("CPU:"))
	if !ok {
		return 0, 0, false
	}
	b := backScanner{rest}
	if !b.end(" EVENTS]\n") {
		return 0, 0, false
	}
	lost = tracefs.LostUnknown
	if n, _, counted := b.number(); counted {
		lost = n
		if !b.skip(' ') {
			return 0, 0, false
		}
	}
	if !b.end(" [LOST") {
		return 0, 0, false
	}
	n, _, ok := b.number()
	return int(n), lost, ok && len(b.rest) == 0
}

func (b *backScanner) end(s string) bool {
	rest, ok := bytes.CutSuffix(b.rest, []byte(s))
	b.rest = rest
	return ok
}

// parseStackBack parses the stack trace, with its header, at the end of text, and
// returns where it begins. The frames are symbols, so a quote shows that what looks
// like a stack is the end of a string.
func parseStackBack(text []byte) (start int, ok bool) {
	rest := text
	for {
		before, line := cutLastLine(rest)
		if !bytes.HasPrefix(line, []byte(" => ")) || bytes.IndexByte(line, '"') >= 0 {
			break
		}
		rest = before
	}
	head, ok := bytes.CutSuffix(rest, stackMark)
	if !ok {
		return 0, false
	}
	h, ok := parseHeader(head, len(head))
	return h.start, ok
}

// cutLastLine cuts the last line, with its newline, off text.
func cutLastLine(text []byte) (before, line []byte) {
	if len(text) == 0 {
		return text, nil
	}
	i := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	return text[:i], text[i:]
}
