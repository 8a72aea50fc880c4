package tracedat

import (
	"bytes"
	"strconv"
	"strings"
)

// Each of these reads what is in a section of version 7, and follows the one
// before it in version 6.

func (o *opener) readHeaders(s *source) {
	s.what = "header_page"
	s.expect("header_page\x00")
	o.HeaderPage = string(s.take(s.u64()))
	s.what = "header_event"
	s.expect("header_event\x00")
	o.HeaderEvent = string(s.take(s.u64()))
}

func (o *opener) readFtraceEvents(s *source) {
	s.what = "ftrace events"
	o.readFormats(s, "ftrace")
}

func (o *opener) readEvents(s *source) {
	s.what = "event formats"
	for n := s.u32(); n > 0 && s.err == nil; n-- {
		o.readFormats(s, s.name())
	}
}

// maxEvents bounds the event formats: a record's type has 16 bits.
const maxEvents = 1 << 17

func (o *opener) readFormats(s *source, system string) {
	for n := s.u32(); n > 0 && s.err == nil; n-- {
		if len(o.Events) == maxEvents {
			s.fail(ErrDamaged)
		}
		text := s.take(s.u64())
		if s.err == nil {
			o.Events = append(o.Events, EventText{system, string(text)})
		}
	}
}

// skipKallsyms leaves the reading to Kallsyms.
func (o *opener) skipKallsyms(s *source) {
	s.what = "kallsyms"
	n := uint64(s.u32())
	later := *s
	if s.skip(n) {
		o.kallsyms = func() ([]byte, error) {
			s := later
			return s.take(n), s.err
		}
	}
}

func (o *opener) readPrintk(s *source) {
	s.what = "printk formats"
	o.Printk = s.take(uint64(s.u32()))
}

func (o *opener) readCmdlines(s *source) {
	s.what = "command lines"
	for line := range bytes.Lines(s.take(s.u64())) {
		tid, comm, ok := strings.Cut(strings.TrimRight(string(line), "\n\x00"), " ")
		if n, err := strconv.ParseInt(tid, 10, 32); ok && err == nil && n >= 0 {
			o.Cmdlines[int(n)] = comm
		}
	}
}

// pageLayout parses events/header_page for the size of a long, which is that
// of the field commit, and for the size of a sub-buffer, both in bytes. What
// is not there is 0.
func pageLayout(text string) (long, page int) {
	for line := range strings.Lines(text) {
		var offset, size int
		for part := range strings.SplitSeq(line, ";") {
			key, val, _ := strings.Cut(strings.TrimSpace(part), ":")
			n, err := strconv.ParseInt(val, 10, 32)
			switch {
			case err != nil:
			case key == "offset":
				offset = int(n)
			case key == "size":
				size = int(n)
			}
		}
		switch decl, _, _ := strings.Cut(line, ";"); {
		case strings.HasSuffix(decl, " commit"):
			long = size
		case strings.HasSuffix(decl, " data"):
			page = offset + size
		}
	}
	return long, page
}
