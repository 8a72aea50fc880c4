package tracefs

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// ParseCmdlines parses saved_cmdlines, of which a trace.dat file has a copy. It returns
// the names of tasks by TID; each line is "TID COMM". A name with a newline is cut
// there.
//
// See Documentation/trace/ftrace.rst, "saved_cmdlines".
func ParseCmdlines(r io.Reader) (map[int]string, error) {
	names := map[int]string{}
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		tid, comm, ok := strings.Cut(strings.TrimRight(sc.Text(), "\x00"), " ")
		if n, err := strconv.ParseInt(tid, 10, 32); ok && err == nil && n >= 0 {
			names[int(n)] = comm
		}
	}
	return names, sc.Err()
}

// Cmdlines reads the task names that the kernel remembers, by TID.
func (fs *FS) Cmdlines() (map[int]string, error) { return read(fs, "saved_cmdlines", ParseCmdlines) }
