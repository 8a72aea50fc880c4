package main

import (
	"bufio"
	"os"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/tracefs"
)

// traceableFunctions tells which functions a probe can be put on: those that
// ftrace knows. It is nil where tracefs does not say.
//
// Lines are "ip_rcv" or "ext4_sync_fs [ext4]". See
// Documentation/trace/ftrace.rst, "available_filter_functions".
func traceableFunctions(fs *tracefs.FS) func(module, name string) bool {
	f, err := fs.Open("available_filter_functions")
	if err != nil {
		return nil
	}
	defer f.Close()
	lines := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		lines[s.Text()] = true
	}
	if len(lines) == 0 {
		return nil
	}
	return func(module, name string) bool {
		if module != "" {
			name += " [" + module + "]"
		}
		return lines[name]
	}
}

// blacklisted tells whether kprobes refuse a function because they need it
// themselves (/sys/kernel/debug/kprobes/blacklist, where debugfs is mounted).
func blacklisted(name string) bool { return kprobeBlacklist()[name] }

var kprobeBlacklist = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	f, err := os.Open("/sys/kernel/debug/kprobes/blacklist")
	if err != nil {
		return names
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		_, name, _ := strings.Cut(s.Text(), "\t")
		names[name] = true
	}
	return names
})
