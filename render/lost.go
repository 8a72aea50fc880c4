package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/tracefs"
)

// What was lost is part of JSON data, in records of its own. In text it is for
// stderr and these append nothing.

// AppendLost appends that events were lost on e's CPU before e:
//
//	{"ts_ns":...,"cpu":0,"lost":1234}
//
// lost is null if the kernel did not count.
func (p *Printer) AppendLost(dst []byte, e *tracefs.Event) []byte {
	if !p.opts.JSON {
		return dst
	}
	dst = strconv.AppendUint(append(dst, `{"ts_ns":`...), e.Time, 10)
	dst = strconv.AppendInt(append(dst, `,"cpu":`...), int64(e.CPU), 10)
	dst = append(dst, `,"lost":`...)
	if e.Lost == tracefs.LostUnknown {
		return append(dst, "null}\n"...)
	}
	return append(strconv.AppendUint(dst, e.Lost, 10), "}\n"...)
}

// AppendLostTotal appends what was lost on each CPU over the whole run:
//
//	{"lost_total":1300,"cpus":[{"cpu":0,"overrun":1234,"dropped":66,"skipped":0}]}
func (p *Printer) AppendLostTotal(dst []byte, stats []tracefs.CPUStats) []byte {
	if !p.opts.JSON {
		return dst
	}
	var total uint64
	for i := range stats {
		total += stats[i].Lost()
	}
	dst = strconv.AppendUint(append(dst, `{"lost_total":`...), total, 10)
	dst = append(dst, `,"cpus":[`...)
	first := true
	for i := range stats {
		st := &stats[i]
		if st.Lost() == 0 {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = strconv.AppendInt(append(dst, `{"cpu":`...), int64(st.CPU), 10)
		dst = strconv.AppendUint(append(dst, `,"overrun":`...), st.Overrun, 10)
		dst = strconv.AppendUint(append(dst, `,"dropped":`...), st.Dropped+st.CommitOverrun, 10)
		dst = strconv.AppendUint(append(dst, `,"skipped":`...), st.Skipped, 10)
		dst = append(dst, '}')
	}
	return append(dst, "]}\n"...)
}

// AppendMissed appends how often a function's probe could not run:
//
//	{"func":"vfs_read","missed_returns":17}
func (p *Printer) AppendMissed(dst []byte, name string, returns bool, n uint64) []byte {
	if !p.opts.JSON {
		return dst
	}
	dst, _ = appendJSONString(append(dst, `{"func":`...), []byte(name))
	if returns {
		dst = append(dst, `,"missed_returns":`...)
	} else {
		dst = append(dst, `,"missed_calls":`...)
	}
	return append(strconv.AppendUint(dst, n, 10), "}\n"...)
}
