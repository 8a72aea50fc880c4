package proc

import (
	"os"
	"path/filepath"
	"strings"
)

// ModuleLoaded tells whether a module is in the kernel, by /sys/module, where a "-"
// in the name of its file is a "_".
func ModuleLoaded(name string) bool {
	_, err := os.Stat(filepath.Join("/sys/module", strings.ReplaceAll(name, "-", "_")))
	return err == nil
}
