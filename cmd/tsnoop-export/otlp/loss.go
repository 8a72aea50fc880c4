package otlp

import (
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// lossNames are the words of a loss, in "tsnoop.loss" of its log record.
var lossNames = map[call.LossKind]string{
	call.LostHere: "events", call.LostTotal: "events.total", call.MissedCalls: "calls", call.MissedReturns: "returns",
	call.UnfinishedCalls: "unfinished", call.EarlierCalls: "earlier", call.SwitchedOff: "switched_off", call.Interfered: "interference",
}

// appendLoss appends the log record of a loss. Its time is that of the trace clock plus add.
func appendLoss(dst []byte, l *call.Loss, time uint64) []byte {
	dst = appendHead(dst, time, severityWarn, describe(l))
	dst = appendText(dst, recordName, "tsnoop.loss")
	dst = appendTextAttr(dst, recordAttributes, "tsnoop.loss", lossNames[l.Kind])
	if l.Func != "" {
		dst = appendTextAttr(dst, recordAttributes, "code.function.name", l.Func)
	}
	if l.Known {
		dst = appendIntAttr(dst, recordAttributes, "tsnoop.loss.count", int64(l.Count))
	}
	if l.AtMost {
		dst = appendBoolAttr(dst, recordAttributes, "tsnoop.loss.at_most")
	}
	if l.Kind == call.LostHere {
		dst = appendIntAttr(dst, recordAttributes, "cpu.logical_number", int64(l.CPU))
	}
	return dst
}

// describe returns a loss in words.
func describe(l *call.Loss) string {
	count := fmt.Sprint(l.Count)
	switch {
	case !l.Known:
		count = "an unknown number of"
	case l.AtMost:
		count = "at most " + count
	}
	switch l.Kind {
	case call.LostHere:
		return fmt.Sprintf("%s events were lost on CPU %d", count, l.CPU)
	case call.LostTotal:
		return fmt.Sprintf("%s events were lost in the whole trace", count)
	case call.MissedCalls:
		return fmt.Sprintf("%s calls of %s were missed", count, l.Func)
	case call.MissedReturns:
		return fmt.Sprintf("%s returns of %s were missed", count, l.Func)
	case call.UnfinishedCalls:
		return fmt.Sprintf("%s calls of %s did not return", count, l.Func)
	case call.EarlierCalls:
		return fmt.Sprintf("%s calls of %s that began before the trace did not return", count, l.Func)
	case call.SwitchedOff:
		return fmt.Sprintf("later calls of %s are missing: it was called too often and switched off", l.Func)
	}
	if l.Interference != nil {
		return "another program changed the trace: " + l.Interference.Text
	}
	return "another program changed the trace"
}
