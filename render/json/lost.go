package json

import (
	"strconv"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Lost appends how many events were lost on e's CPU before e:
//
//	{"ts_ns":...,"cpu":0,"lost":1234}
//
// "lost" is null if the kernel did not count them. This and the other lines below have "host" if
// there are several recordings.
func (p *Printer) Lost(dst []byte, e *tracefs.Event) []byte {
	dst = strconv.AppendUint(append(dst, `{"ts_ns":`...), e.Time, 10)
	if r := p.about(); r != nil {
		dst = p.appendWall(p.appendHost(dst), r, e.Time)
	}
	dst = strconv.AppendInt(append(dst, `,"cpu":`...), int64(e.CPU), 10)
	dst = append(dst, `,"lost":`...)
	if e.Lost == tracefs.LostUnknown {
		return append(dst, "null}\n"...)
	}
	return append(strconv.AppendUint(dst, e.Lost, 10), "}\n"...)
}

// LostTotal appends what was lost on each CPU over the whole run:
//
//	{"lost_total":1300,"cpus":[{"cpu":0,"overrun":1234,"dropped":66,"skipped":0}]}
func (p *Printer) LostTotal(dst []byte, stats []tracefs.CPUStats) []byte {
	var total uint64
	for i := range stats {
		total += stats[i].Lost()
	}
	dst = strconv.AppendUint(append(dst, `{"lost_total":`...), total, 10)
	dst = append(p.appendHost(dst), `,"cpus":[`...)
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

// Missed appends how often the probe of a function could not run:
//
//	{"func":"vfs_read","missed_returns":17}
//
// With "at_most":true the number is an upper bound.
func (p *Printer) Missed(dst []byte, name string, returns bool, n uint64, atMost bool) []byte {
	dst, _ = appendString(append(dst, `{"func":`...), []byte(name))
	dst = p.appendHost(dst)
	if returns {
		dst = append(dst, `,"missed_returns":`...)
	} else {
		dst = append(dst, `,"missed_calls":`...)
	}
	dst = strconv.AppendUint(dst, n, 10)
	if atMost {
		dst = append(dst, `,"at_most":true`...)
	}
	return append(dst, "}\n"...)
}

// Unfinished appends how many calls of a function, of which only returns are recorded,
// began and did not end:
//
//	{"func":"hrtimer_nanosleep","unfinished_calls":3}
//
// with "earlier":true if they began before the trace.
func (p *Printer) Unfinished(dst []byte, name string, n uint64, earlier bool) []byte {
	dst, _ = appendString(append(dst, `{"func":`...), []byte(name))
	dst = strconv.AppendUint(append(p.appendHost(dst), `,"unfinished_calls":`...), n, 10)
	if earlier {
		dst = append(dst, `,"earlier":true`...)
	}
	return append(dst, "}\n"...)
}

// SwitchedOff appends since when calls of a function are missing because its probes were
// switched off:
//
//	{"switched_off":"vfs_read","module":"m","spec":"vfs_read(count)","ts_ns":9,"rate":16102,"max_rate":10000}
//
// "rate" and "max_rate" are left out if they are not known.
func (p *Printer) SwitchedOff(dst []byte, o *tracefs.SwitchOff) []byte {
	dst = append(append(dst, '{'), appendMember(nil, "switched_off", o.Func)[1:]...)
	if o.Module != "" {
		dst = appendMember(dst, "module", o.Module)
	}
	dst = appendCount(appendMember(dst, "spec", o.Spec), "ts_ns", o.Time)
	dst = p.appendHost(dst)
	if o.Rate > 0 {
		dst = appendCount(appendCount(dst, "rate", o.Rate), "max_rate", uint64(o.Limit))
	}
	return append(dst, "}\n"...)
}

// Interfered appends what another program has done to the trace. "file", "func", "was"
// and "is" are left out if they are empty. "missing_events" is left out until the
// interference is over, and null if the number is not known exactly; "missing_at_most" is
// then there if there is an upper bound:
//
//	{"interference":"another program has ...","file":"...","func":"vfs_read","was":"none","is":"count > 9","missing_events":3,"rearmed":true}
func (p *Printer) Interfered(dst []byte, i *tracefs.Interference) []byte {
	dst, _ = appendString(append(dst, `{"interference":`...), []byte(i.Text))
	dst = p.appendHost(dst)
	for _, m := range [...]struct{ name, text string }{
		{`,"file":`, i.File}, {`,"func":`, i.Func}, {`,"was":`, i.Before}, {`,"is":`, i.After},
	} {
		if m.text != "" {
			dst, _ = appendString(append(dst, m.name...), []byte(m.text))
		}
	}
	switch {
	case i.Cost.Exact:
		dst = strconv.AppendUint(append(dst, `,"missing_events":`...), i.Cost.Events, 10)
	case i.Cost.Reported && i.Cost.AtMost:
		dst = strconv.AppendUint(append(dst, `,"missing_events":null,"missing_at_most":`...), i.Cost.Events, 10)
	case i.Cost.Reported:
		dst = append(dst, `,"missing_events":null`...)
	}
	if i.Restored {
		dst = append(dst, `,"rearmed":true`...)
	}
	return append(dst, "}\n"...)
}
