package json

import (
	"strconv"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
)

// Summary appends a summary of the calls, with a line for each function, or for each
// value of its key:
//
//	{"summary":"f","module":"m","spec":"f(x)","by":{"name":"x","value":3},"ts_ns":9,"span_ns":8,
//	 "interval":true,"calls":7,"errors":{"ENOENT":2},"orphans":1,"unfinished":1,"total_ns":900,
//	 "mean_ns":180,"min_ns":1,"max_ns":600,"p50_ns":90,"p99_ns":600,
//	 "histogram":[{"from_ns":1,"to_ns":2,"calls":1},...],"numbers":[...],"lost":5}
//
// "ts_ns" is the end of the period and "span_ns" its length. "spec" is there if several
// specs trace one function, "errors" if it is known whether calls failed, and "total_ns"
// and what follows if durations are known. "lost" is there if events were lost in that
// time; it is null if they were not counted. "switched_off_ns" is there if calls of the
// function are not counted that began after that time.
func (p *Printer) Summary(dst []byte, s *sum.Summary) []byte {
	if s.Heat {
		return p.appendHeat(dst, s)
	}
	rows := s.Rows(p.plain, 0)
	for i := range rows {
		dst = p.appendSummary(dst, &rows[i], s)
	}
	return dst
}

func (p *Printer) appendSummary(dst []byte, r *sum.Row, s *sum.Summary) []byte {
	dst = appendAbout(dst, "summary", r)
	if r.Keys != nil {
		dst = p.appendKeys(append(dst, `,"by":`...), r.Keys)
	}
	dst = appendCount(dst, "ts_ns", s.To)
	dst = appendCount(dst, "span_ns", s.Span())
	if s.Interval {
		dst = append(dst, `,"interval":true`...)
	}
	dst = appendCount(dst, "calls", r.Calls)
	if r.MayFail {
		dst = appendErrors(dst, r.Errors())
	}
	if r.Orphans > 0 {
		dst = appendCount(dst, "orphans", r.Orphans)
	}
	if r.Unfinished > 0 {
		dst = appendCount(dst, "unfinished", r.Unfinished)
	}
	if r.Durations.Count > 0 {
		dst = appendDurations(dst, &r.Durations)
	}
	if len(s.Numbers) > 0 {
		dst = appendNumbers(append(dst, `,"numbers":`...), s.Numbers, r.Numbers)
	}
	return append(appendMissing(dst, r, s), "}\n"...)
}

// appendAbout begins the object of a row, with its kind and its function.
func appendAbout(dst []byte, what string, r *sum.Row) []byte {
	dst = append(append(dst, '{'), appendMember(nil, what, r.Function.Name)[1:]...)
	if module := r.Function.Module; module != "" {
		dst = appendMember(dst, "module", module)
	}
	if r.Spec != "" {
		dst = appendMember(dst, "spec", r.Spec)
	}
	return dst
}

// appendMissing appends how many events were lost in the period of s, if any were, and since
// when calls of the function are not counted.
func appendMissing(dst []byte, r *sum.Row, s *sum.Summary) []byte {
	switch {
	case s.LostMore:
		dst = append(dst, `,"lost":null`...)
	case s.Lost > 0:
		dst = appendCount(dst, "lost", s.Lost)
	}
	if r.SwitchedOff != nil {
		dst = appendCount(dst, "switched_off_ns", r.SwitchedOff.Time)
	}
	return dst
}

// appendErrors appends how many calls failed with which error.
func appendErrors(dst []byte, errors []sum.ErrorCount) []byte {
	dst = append(dst, `,"errors":{`...)
	for i, e := range errors {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(render.AppendErrnoName(append(dst, '"'), e.Errno), `":`...)
		dst = strconv.AppendUint(dst, e.Calls, 10)
	}
	return append(dst, '}')
}

func appendDurations(dst []byte, h *sum.Histogram) []byte {
	dst = appendCount(dst, "total_ns", h.Total)
	dst = appendCount(dst, "mean_ns", h.Mean())
	dst = appendCount(dst, "min_ns", h.Min)
	dst = appendCount(dst, "max_ns", h.Max)
	dst = appendCount(dst, "p50_ns", h.Percentile(50))
	dst = appendCount(dst, "p99_ns", h.Percentile(99))
	return appendOctaves(append(dst, `,"histogram":`...), h)
}

// appendOctaves appends the number of durations in each octave that has any.
func appendOctaves(dst []byte, h *sum.Histogram) []byte {
	dst = append(dst, '[')
	start := len(dst)
	for o := range h.Octaves {
		if o.Count == 0 {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(append(dst, `{"from_ns":`...), o.From, 10)
		dst = appendCount(dst, "to_ns", o.To)
		dst = append(appendCount(dst, "calls", o.Count), '}')
	}
	return append(dst, ']')
}
