package proc

import (
	"bytes"
	"os"
	"strconv"
)

// Started returns how many tasks, threads too, have started since boot, and 0 if that is
// not known. It is the line "processes" of /proc/stat, see proc(5).
func Started() uint64 {
	text, _ := os.ReadFile("/proc/stat")
	return parseStarted(text)
}

func parseStarted(text []byte) uint64 {
	_, rest, _ := bytes.Cut(text, []byte("\nprocesses "))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseUint(string(line), 10, 64)
	return n
}
