package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Holder is a process that has a file open.
type Holder struct {
	PID  int
	Comm string // the process's own name
	File string // relative to the directory
}

// String returns the process as "COMM-PID".
func (h Holder) String() string { return fmt.Sprintf("%s-%d", h.Comm, h.PID) }

// Holders returns the processes, except this one, that have files below a directory
// open, as far as their files can be listed. dir is the end of the directory's path,
// since the start depends on where a process has it mounted.
func Holders(dir string) (found []Holder) {
	fds, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	own := os.Getpid()
	for _, fd := range fds {
		file, err := os.Readlink(fd)
		if err != nil {
			continue
		}
		_, name, below := strings.Cut(file, "/"+dir+"/")
		pid, err := strconv.Atoi(strings.Split(fd, "/")[2])
		if !below || err != nil || pid == own {
			continue
		}
		comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		h := Holder{PID: pid, Comm: strings.TrimSpace(string(comm)), File: name}
		if !slices.Contains(found, h) {
			found = append(found, h)
		}
	}
	return found
}
