package proc

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// LoadBlacklist reads which functions cannot be probed because kprobes need them
// themselves. It returns nil if debugfs is not mounted or may not be read.
func LoadBlacklist() map[string]bool {
	f, err := os.Open("/sys/kernel/debug/kprobes/blacklist")
	if err != nil {
		return nil
	}
	defer f.Close()
	return ParseBlacklist(f)
}

// ParseBlacklist parses /sys/kernel/debug/kprobes/blacklist. Each line has a range of
// addresses, a tab and a name. See Documentation/trace/kprobes.rst.
func ParseBlacklist(r io.Reader) map[string]bool {
	names := map[string]bool{}
	for s := bufio.NewScanner(r); s.Scan(); {
		_, name, _ := strings.Cut(s.Text(), "\t")
		names[name] = true
	}
	return names
}
