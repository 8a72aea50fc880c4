package tracefs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A KernelError says that the kernel refused something written to tracefs.
type KernelError struct {
	File    string // relative to the mount
	Command string // what was refused
	Text    string // the kernel's message, or that of Errno if there is none
	Column  int    // byte of Command that the kernel points at, -1 if none
	Errno   error
}

func (e *KernelError) Error() string {
	if e.Column >= 0 {
		return fmt.Sprintf("%s: %s (at column %d of %q)", e.File, e.Text, e.Column+1, e.Command)
	}
	return fmt.Sprintf("%s: %s (%q)", e.File, e.Text, e.Command)
}

func (e *KernelError) Unwrap() error { return e.Errno }

// A LogEntry is one entry of error_log.
type LogEntry struct {
	System  string // "trace_kprobe", "event filter parse error"
	Text    string
	Command string
	Column  int // byte of Command below which the caret is, -1 if there is none
}

// logCommand precedes the command of an error_log entry. The caret is on the next line.
const logCommand = "  Command: "

// ParseErrorLog parses error_log, oldest entry first:
//
//	[   25.172154] trace_kprobe: error: Invalid probed address or symbol
//	  Command: p:g/e nosuch
//	               ^
//
// The kernel keeps eight entries. See Documentation/trace/ftrace.rst, "error_log"
// (5.2).
func ParseErrorLog(r io.Reader) ([]LogEntry, error) {
	var log []LogEntry
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		if e, ok := parseLogHead(line); ok {
			log = append(log, e)
			continue
		}
		if len(log) == 0 {
			continue
		}
		last := &log[len(log)-1]
		if cmd, ok := strings.CutPrefix(line, logCommand); ok && last.Command == "" {
			last.Command = cmd
			continue
		}
		blank := strings.TrimSuffix(line, "^")
		if blank != line && strings.Trim(blank, " ") == "" && len(blank) >= len(logCommand) {
			if col := len(blank) - len(logCommand); col <= len(last.Command) {
				last.Column = col
			}
		}
	}
	return log, sc.Err()
}

// parseLogHead parses "[   25.172154] SYSTEM: error: TEXT".
func parseLogHead(line string) (LogEntry, bool) {
	if !strings.HasPrefix(line, "[") {
		return LogEntry{}, false
	}
	stamp, rest, ok := strings.Cut(line[1:], "] ")
	if !ok || strings.Trim(stamp, " .0123456789") != "" {
		return LogEntry{}, false
	}
	system, text, ok := strings.Cut(rest, ": error: ")
	if !ok {
		return LogEntry{}, false
	}
	return LogEntry{System: system, Text: text, Column: -1}, true
}

// refused turns a failed write of command to file into a *KernelError with the message
// from the error log. It returns errors that are not from write(2) as they are, or
// explains them.
func (fsys *FS) refused(err error, log, file, command string) error {
	var pe *fs.PathError
	var errno syscall.Errno
	if !errors.As(err, &pe) || pe.Op != "write" || !errors.As(err, &errno) {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) {
			return explainOpen(fsys.dir, err)
		}
		return err
	}
	ke := &KernelError{File: file, Command: command, Text: errno.Error(), Column: -1, Errno: errno}
	entries, lerr := read(fsys, log, ParseErrorLog)
	if lerr != nil {
		return ke // no error_log before 5.2
	}
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Command == command {
			ke.Text, ke.Column = entries[i].Text, entries[i].Column
			break
		}
	}
	return ke
}
