package proc

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"strings"
)

// LoadConfig reads the configuration of the kernel with this release, from
// /proc/config.gz or from where distributions keep it.
func LoadConfig(release string) (map[string]string, error) {
	if f, err := os.Open("/proc/config.gz"); err == nil {
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		return ParseConfig(z)
	}
	var f *os.File
	var err error
	for _, name := range []string{"/boot/config-" + release, "/lib/modules/" + release + "/config"} {
		if f, err = os.Open(name); err == nil {
			defer f.Close()
			return ParseConfig(f)
		}
	}
	return nil, err
}

// ParseConfig parses a kernel's .config, with lines such as CONFIG_KPROBES=y. It
// returns only options that are set, and their names without CONFIG_.
func ParseConfig(r io.Reader) (map[string]string, error) {
	set := map[string]string{}
	s := bufio.NewScanner(r)
	for s.Scan() {
		name, value, ok := strings.Cut(s.Text(), "=")
		if name, of := strings.CutPrefix(name, "CONFIG_"); ok && of {
			set[name] = value
		}
	}
	return set, s.Err()
}
