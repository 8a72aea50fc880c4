package text

import "bytes"

// latencyCommWidth is the width of the task's name with the option latency-format and
// with the latency tracers: "%8.8s".
const latencyCommWidth = 8

// parsePastedHeader is like parseHeader, for a line that begins at text[from:]. It
// also accepts what latency tracers print:
//
//	ping-102       1d.h1.   12us!: NAME: (ip_rcv+0x0/0x10)
//
// With whole, the task's name must have the width of its column, which may begin on the
// previous line. Without it, the name is the start of the line.
func parsePastedHeader(text []byte, end, from int, whole bool) (h header, ok bool) {
	b := backScanner{text[:end]}
	if !b.skip(' ') || !b.skip(':') {
		return h, false
	}
	width := commWidth
	if latency := b; latency.latency(&h) {
		b, width = latency, latencyCommWidth
	} else if !b.columns(&h) {
		return h, false
	}
	if !b.task(&h) {
		return h, false
	}
	if !whole {
		h.start, h.commLen = from, len(b.rest)-from
		return h, h.commLen > 0 && bytes.IndexByte(b.rest[from:], '\n') < 0
	}
	h.start, h.commLen = len(b.rest)-width, width
	if h.start < 0 || h.start > 0 && text[h.start-1] != '\n' {
		return h, false
	}
	return h, width != commWidth || text[h.start] == ' ' // a name has at most 15 bytes
}

// latency parses "1d.h1.   12us!": the CPU, flags, and the time since the trace began.
func (b *backScanner) latency(h *header) bool {
	for _, mark := range []byte(" !+#*@$") {
		if b.skip(mark) {
			break
		}
	}
	if !b.end("us") {
		return false
	}
	us, _, ok := b.number()
	if !ok || b.skipAll(' ') == 0 {
		return false
	}
	h.time, h.plain = us*1000, false
	word := b.rest[bytes.LastIndexByte(b.rest, ' ')+1:]
	digits := 0
	for digits < len(word) && '0' <= word[digits] && word[digits] <= '9' {
		h.cpu = min(10*h.cpu+int(word[digits]-'0'), 1<<16)
		digits++
	}
	if digits == 0 || digits == len(word) || len(word) > digits+8 {
		return false
	}
	b.rest = b.rest[:len(b.rest)-len(word)]
	return b.skipAll(' ') > 0
}
