package text

import (
	"strconv"

	"github.com/tsnoop/tsnoop/render"
)

// commWidth is the width of the COMM-TID column.
const commWidth = 18

// appendTask appends the column COMM-TID.
func appendTask(dst, comm []byte, tid int) []byte {
	start := len(dst)
	return append(padRight(appendTaskName(dst, comm, tid), start, commWidth), ' ')
}

// appendTaskName appends COMM-TID.
func appendTaskName(dst, comm []byte, tid int) []byte {
	return strconv.AppendInt(append(render.AppendEscaped(dst, comm, render.NoQuote), '-'), int64(tid), 10)
}

// appendNoTask appends no column: the task is in the heading.
func appendNoTask(dst, _ []byte, _ int) []byte { return dst }
