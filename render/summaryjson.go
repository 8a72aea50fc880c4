package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// appendJSONSummary appends one line of what AppendSummary describes.
func (p *Printer) appendJSONSummary(dst []byte, r summaryRow, when *Period) []byte {
	dst = append(dst, '{')
	dst = append(dst, appendJSONMember(nil, "summary", r.source.name)[1:]...)
	if module := moduleName(r.source.plan); module != "" {
		dst = appendJSONMember(dst, "module", module)
	}
	if r.spec != "" {
		dst = appendJSONMember(dst, "spec", r.spec)
	}
	dst = appendJSONCount(dst, "ts_ns", when.To)
	dst = appendJSONCount(dst, "span_ns", when.span())
	if when.Interval {
		dst = append(dst, `,"interval":true`...)
	}
	dst = appendJSONCount(dst, "calls", r.Calls)
	if r.source.verdict != nil {
		dst = appendJSONErrors(dst, r.Errors())
	}
	if r.Orphans > 0 {
		dst = appendJSONCount(dst, "orphans", r.Orphans)
	}
	if r.Unfinished > 0 {
		dst = appendJSONCount(dst, "unfinished", r.Unfinished)
	}
	if r.Durations.Count > 0 {
		dst = appendJSONDurations(dst, &r.Durations)
	}
	return append(dst, "}\n"...)
}

// appendJSONErrors appends how many calls failed how.
func appendJSONErrors(dst []byte, errors []calls.ErrorCount) []byte {
	dst = append(dst, `,"errors":{`...)
	for i, e := range errors {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendErrnoName(append(dst, '"'), e.Errno), `":`...)
		dst = strconv.AppendUint(dst, e.Calls, 10)
	}
	return append(dst, '}')
}

func appendJSONDurations(dst []byte, h *calls.Histogram) []byte {
	dst = appendJSONCount(dst, "total_ns", h.Total)
	dst = appendJSONCount(dst, "mean_ns", h.Mean())
	dst = appendJSONCount(dst, "min_ns", h.Min)
	dst = appendJSONCount(dst, "max_ns", h.Max)
	dst = appendJSONCount(dst, "p50_ns", h.Percentile(50))
	dst = appendJSONCount(dst, "p99_ns", h.Percentile(99))
	dst = append(dst, `,"histogram":[`...)
	start := len(dst)
	for o := range h.Octaves {
		if o.Count == 0 {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = strconv.AppendUint(append(dst, `{"from_ns":`...), o.From, 10)
		dst = appendJSONCount(dst, "to_ns", o.To)
		dst = append(appendJSONCount(dst, "calls", o.Count), '}')
	}
	return append(dst, ']')
}

// appendJSONCount appends a further member of an object.
func appendJSONCount(dst []byte, name string, n uint64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return strconv.AppendUint(dst, n, 10)
}
