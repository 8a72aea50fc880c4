package json

import (
	"github.com/tsnoop/tsnoop/render/sum"
)

// appendHeat appends a row of a heat map, of durations over time, for each function:
//
//	{"heat":"f","module":"m","ts_ns":9,"span_ns":8,"calls":7,"cells":[{"from_ns":1,"to_ns":2,"calls":1},...]}
//
// "calls" counts all calls, the cells only those whose duration is known.
func (p *Printer) appendHeat(dst []byte, s *sum.Summary) []byte {
	rows := s.HeatRows(p.plain)
	for i := range rows {
		dst = appendAbout(dst, "heat", &rows[i])
		dst = appendCount(dst, "ts_ns", s.To)
		dst = appendCount(dst, "span_ns", s.Span())
		dst = appendCount(dst, "calls", rows[i].Calls)
		dst = appendOctaves(append(dst, `,"cells":`...), &rows[i].Durations)
		dst = append(appendMissing(dst, &rows[i], s), "}\n"...)
	}
	return dst
}
