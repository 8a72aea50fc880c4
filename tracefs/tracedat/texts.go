package tracedat

import (
	"bytes"
	"maps"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Each of these functions reads the content of one section of version 7. In version 6
// the same contents follow each other.

func (o *opener) readHeaders(s *source) {
	s.what = "header_page"
	s.expect("header_page\x00")
	o.HeaderPage = string(s.text(s.u64(), s.what, maxHeader))
	s.what = "header_event"
	s.expect("header_event\x00")
	o.HeaderEvent = string(s.text(s.u64(), s.what, maxHeader))
}

func (o *opener) readFtraceEvents(s *source) {
	s.what = "ftrace events"
	o.readFormats(s, "ftrace")
}

func (o *opener) readEvents(s *source) {
	s.what = "event formats"
	n := s.u32()
	for s.within(uint64(n), "event systems", maxSystems) && n > 0 {
		o.readFormats(s, s.name())
		n--
	}
}

func (o *opener) readFormats(s *source, system string) {
	n := uint64(s.u32())
	for s.within(uint64(len(o.Events))+n, "event formats", maxEvents) && n > 0 {
		if text := o.readFormat(s); s.err == nil {
			o.Events = append(o.Events, EventText{system, string(text)})
		}
		n--
	}
}

// readFormat reads one format, whose fields are counted as far as they can be more.
func (o *opener) readFormat(s *source) []byte {
	start, size := s.off, s.u64()
	text := s.text(size, "a format", maxFormat)
	fields := bytes.Count(text, []byte("field:"))
	o.formats += uint64(len(text))
	o.fields += uint64(fields)
	after := s.off
	s.off = start // errors are about the whole format
	s.within(o.formats, "bytes of formats", maxFormats)
	s.within(uint64(fields), "fields of an event", maxFields)
	s.within(o.fields, "fields of all events", maxAll)
	s.off = after
	return text
}

// skipKallsyms leaves the reading to File.Kallsyms.
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
	o.Printk = s.text(uint64(s.u32()), s.what, maxPrintk)
}

func (o *opener) readCmdlines(s *source) {
	s.what = "command lines"
	names, _ := tracefs.ParseCmdlines(bytes.NewReader(s.text(s.u64(), s.what, maxCmdlines))) // as far as they make sense
	maps.Copy(o.Cmdlines, names)
}
