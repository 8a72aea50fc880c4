package tracedat

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An encoder appends numbers and texts to b.
type encoder struct {
	b     []byte
	order binary.AppendByteOrder
}

func (e *encoder) u16(n uint16)     { e.b = e.order.AppendUint16(e.b, n) }
func (e *encoder) u32(n int)        { e.b = e.order.AppendUint32(e.b, uint32(n)) }
func (e *encoder) u64(n int64)      { e.b = e.order.AppendUint64(e.b, uint64(n)) }
func (e *encoder) text(s string)    { e.b = append(e.b, s...) }
func (e *encoder) cString(s string) { e.b = append(append(e.b, s...), 0) }
func (e *encoder) sized(s string)   { e.u64(int64(len(s))); e.text(s) }

// start writes the start of the file, which both versions have.
func (h *Header) start(e *encoder) {
	e.text(magic)
	e.cString(strconv.Itoa(h.Version))
	var endian byte
	if h.BigEndian {
		endian = 1
	}
	e.b = append(e.b, endian, byte(h.LongSize))
	e.u32(h.PageSize)
}

// A part is one of the texts. In version 7 it is a section.
type part struct {
	id     uint16
	name   string
	encode func(h *Header, e *encoder)
}

var parts = []part{
	{optHeaders, "headers", (*Header).encodeHeaders},
	{optFtrace, "ftrace events", (*Header).encodeFtraceEvents},
	{optEvents, "events format", (*Header).encodeEvents},
	{optKallsyms, "kallsyms", func(h *Header, e *encoder) { e.u32(len(h.Kallsyms)); e.text(string(h.Kallsyms)) }},
	{optPrintk, "printk", func(h *Header, e *encoder) { e.u32(len(h.Printk)); e.text(string(h.Printk)) }},
	{optCmdlines, "command lines", (*Header).encodeCmdlines},
}

func (h *Header) encodeHeaders(e *encoder) {
	e.text("header_page\x00")
	e.sized(h.HeaderPage)
	e.text("header_event\x00")
	e.sized(h.HeaderEvent)
}

func (h *Header) encodeFtraceEvents(e *encoder) {
	encodeFormats(e, h.bySystem()["ftrace"])
}

func (h *Header) encodeEvents(e *encoder) {
	bySystem := h.bySystem()
	delete(bySystem, "ftrace")
	e.u32(len(bySystem))
	for _, ev := range h.Events {
		// In the order in which the systems appear.
		if formats, ok := bySystem[ev.System]; ok {
			delete(bySystem, ev.System)
			e.cString(ev.System)
			encodeFormats(e, formats)
		}
	}
}

func (h *Header) bySystem() map[string][]string {
	m := map[string][]string{}
	for _, ev := range h.Events {
		m[ev.System] = append(m[ev.System], ev.Text)
	}
	return m
}

func encodeFormats(e *encoder, formats []string) {
	e.u32(len(formats))
	for _, text := range formats {
		e.sized(text)
	}
}

// encodeCmdlines writes the names of tasks as in saved_cmdlines. That format cannot
// represent a name that is empty or has a line break.
func (h *Header) encodeCmdlines(e *encoder) {
	var text strings.Builder
	for _, tid := range slices.Sorted(maps.Keys(h.Cmdlines)) {
		comm := strings.NewReplacer("\n", "?", "\x00", "?").Replace(h.Cmdlines[tid])
		if comm != "" {
			text.WriteString(strconv.Itoa(tid) + " " + comm + "\n")
		}
	}
	e.sized(text.String())
}

// clock returns the clock as trace_clock shows it, as if it were the only one.
func (h *Header) clock() string { return "[" + cmp.Or(h.Clock, "local") + "]" }

// encodeOptions writes the options that both versions have. The table of checksums is at
// the offset sums.
func (wr *writer) encodeOptions(e *encoder, sums int64) {
	h, cpus := wr.h, len(wr.cpus)
	e.option(optTraceClock, h.clock()+"\x00")
	if h.Uname != "" {
		e.option(optUname, h.Uname+"\x00")
	}
	if h.Recorder != "" {
		e.option(optVersion, h.Recorder+"\x00")
	}
	for _, stats := range h.CPUStats {
		e.option(optCPUStat, stats+"\x00")
	}
	if h.Tsnoop != nil {
		e.option(optTsnoop, tsnoopMagic+string(h.Tsnoop))
	}
	if h.Sums != nil {
		e.option(optSums, wr.encodeSums(sums))
	}
	count := &encoder{order: e.order}
	count.u32(cpus)
	e.option(optCPUCount, string(count.b))
}

func (e *encoder) option(id uint16, data string) {
	e.u16(id)
	e.u32(len(data))
	e.text(data)
}
