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

// maxEvents limits the event formats: a record's type has 16 bits.
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
	o.Printk = s.take(uint64(s.u32()))
}

func (o *opener) readCmdlines(s *source) {
	s.what = "command lines"
	names, _ := tracefs.ParseCmdlines(bytes.NewReader(s.take(s.u64()))) // as far as they make sense
	maps.Copy(o.Cmdlines, names)
}
