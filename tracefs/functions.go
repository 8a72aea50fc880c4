package tracefs

import (
	"bufio"
	"io"
	"strings"
)

// functionsFile has the functions that ftrace knows, one a line: "ip_rcv" or
// "ext4_sync_fs [ext4]". See Documentation/trace/ftrace.rst.
const functionsFile = "available_filter_functions"

// TraceableFunctions returns what tells which functions a probe can be put on:
// those that ftrace knows. module is "" for the kernel's own. It is nil where
// tracefs does not say.
func (fs *FS) TraceableFunctions() func(module, name string) bool {
	f, err := fs.Open(functionsFile)
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

// Untraceable tells that ftrace knows no function of that name in any module. It
// is false where tracefs does not say.
func (fs *FS) Untraceable(name string) bool {
	f, err := fs.Open(functionsFile)
	if err != nil {
		return false
	}
	defer f.Close()
	return !hasFunction(f, name)
}

func hasFunction(r io.Reader, name string) bool {
	for s := bufio.NewScanner(r); s.Scan(); {
		if fn, _, _ := strings.Cut(s.Text(), " "); fn == name {
			return true
		}
	}
	return false
}
