package otlp

import (
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of Span.
const (
	spanTrace, spanID, spanParent, spanName  protowire.Number = 1, 2, 4, 5
	spanKind, spanStart, spanEnd             protowire.Number = 6, 7, 8
	spanAttributes, spanLinks, spanStatus    protowire.Number = 9, 13, 15
	statusMessage, statusCode                protowire.Number = 2, 3
	kindInternal, codeError                  uint64           = 1, 2
	recordTime, recordSeverity, severityText protowire.Number = 1, 2, 3
	recordBody, recordAttributes             protowire.Number = 5, 6
	recordTrace, recordSpan                  protowire.Number = 9, 10
	recordObserved, recordName               protowire.Number = 11, 12
)

// Severities of log records.
const (
	severityInfo  = 9
	severityWarn  = 13
	severityError = 17
)

// isSpan reports whether a call is a span: its beginning and its end were seen. All else is a
// log record: events, calls whose return was not asked for or not seen, and returns of calls
// whose entry was not seen.
func isSpan(c *call.Call) bool { return c.Timed }

// appendSpan appends a span without its ids.
func appendSpan(dst []byte, c *call.Call) []byte {
	dst = appendText(dst, spanName, c.Func.Name)
	dst = appendNumber(dst, spanKind, kindInternal)
	start := wall(c)
	dst = appendFixed(dst, spanStart, start)
	dst = appendFixed(dst, spanEnd, start+c.Duration)
	dst = appendAttributes(dst, spanAttributes, c)
	if name := c.Errno(); name != "" {
		d, at := begin(dst, spanStatus)
		dst = end(appendNumber(appendText(d, statusMessage, name), statusCode, codeError), at)
	}
	return dst
}

// wall returns the time of day of a call in ns since 1970. If it is not known, that is the
// time on the trace clock.
func wall(c *call.Call) uint64 {
	if c.Wall > 0 {
		return uint64(c.Wall)
	}
	return c.Time
}

// appendRecord appends a log record without its ids.
func appendRecord(dst []byte, c *call.Call) []byte {
	severity := uint64(severityInfo)
	if c.Errno() != "" {
		severity = severityError
	}
	dst = appendHead(dst, wall(c), severity, c.Func.Name)
	dst = appendAttributes(dst, recordAttributes, c)
	if c.Orphan {
		dst = appendBoolAttr(dst, recordAttributes, "tsnoop.orphan")
	}
	if c.Unfinished {
		dst = appendBoolAttr(dst, recordAttributes, "tsnoop.unfinished")
	}
	return dst
}

// appendHead appends the fields that all log records have.
func appendHead(dst []byte, time, severity uint64, text string) []byte {
	dst = appendFixed(dst, recordTime, time)
	dst = appendNumber(dst, recordSeverity, severity)
	word := map[uint64]string{severityInfo: "INFO", severityWarn: "WARN", severityError: "ERROR"}[severity]
	dst = appendText(dst, severityText, word)
	dst, at := begin(dst, recordBody)
	dst = end(appendText(dst, anyText, text), at)
	return appendFixed(dst, recordObserved, time)
}

// appendAttributes appends what is known of a call in the field n.
func appendAttributes(dst []byte, n protowire.Number, c *call.Call) []byte {
	dst = appendTextAttr(dst, n, "code.function.name", c.Func.Name)
	if c.Func.Module != "" {
		dst = appendTextAttr(dst, n, "tsnoop.module", c.Func.Module)
	}
	if c.Caller != "" {
		dst = appendTextAttr(dst, n, "tsnoop.caller", c.Caller)
	}
	if c.CallerModule != "" {
		dst = appendTextAttr(dst, n, "tsnoop.caller.module", c.CallerModule)
	}
	if c.PID >= 0 {
		dst = appendIntAttr(dst, n, "process.pid", int64(c.PID))
	}
	dst = appendIntAttr(dst, n, "thread.id", int64(c.TID))
	if len(c.Comm) > 0 {
		dst = appendTextAttr(dst, n, "thread.name", c.Comm)
	}
	dst = appendIntAttr(dst, n, "cpu.logical_number", int64(c.CPU))
	if name := c.Errno(); name != "" {
		dst = appendTextAttr(dst, n, "error.type", name)
	}
	dst = appendValues(dst, n, nil, c.Args)
	if c.Return.Item != nil {
		dst = appendValue(dst, n, &c.Return, 1)
	}
	dst = appendValues(dst, n, c.Args, c.Results)
	return appendStack(appendFaults(dst, n, c.Faults), n, c.Stack)
}

// appendFaults appends why values could not be read. There is one for each name.
func appendFaults(dst []byte, n protowire.Number, all []call.Fault) []byte {
	for i := range all {
		same := 1
		for j := range i {
			if string(all[j].Name) == string(all[i].Name) {
				same++
			}
		}
		d, attr := begin(dst, n)
		d, value := begin(appendName(d, faultPrefix, all[i].Name, same), attrValue)
		dst = end(end(appendText(d, anyText, all[i].Text), value), attr)
	}
	return dst
}

// appendStack appends a stack, a line for each frame, the innermost first.
func appendStack(dst []byte, n protowire.Number, frames []string) []byte {
	if len(frames) == 0 {
		return dst
	}
	dst, attr := begin(dst, n)
	dst, value := begin(appendText(dst, attrKey, "code.stacktrace"), attrValue)
	dst, text := begin(dst, anyText)
	for i, f := range frames {
		if i > 0 {
			dst = append(dst, '\n')
		}
		if !valid(f) {
			f = string(appendText(nil, 1, f)[2:]) // symbols of a hostile recording
		}
		dst = append(dst, f...)
	}
	return end(end(end(dst, text), value), attr)
}
