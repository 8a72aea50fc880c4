package proc

import (
	"bufio"
	"io"
	"os"
	"strings"
)

// LoadBlacklist reads which functions kprobes refuse because they need them
// themselves. It is empty where debugfs is not mounted or not to be read.
func LoadBlacklist() map[string]bool {
	f, err := os.Open("/sys/kernel/debug/kprobes/blacklist")
	if err != nil {
		return nil
	}
	defer f.Close()
	return ParseBlacklist(f)
}

// ParseBlacklist parses /sys/kernel/debug/kprobes/blacklist: a range of addresses, a
// tab and a name in each line. See Documentation/trace/kprobes.rst.
func ParseBlacklist(r io.Reader) map[string]bool {
	names := map[string]bool{}
	for s := bufio.NewScanner(r); s.Scan(); {
		_, name, _ := strings.Cut(s.Text(), "\t")
		names[name] = true
	}
	return names
}
