package proc

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ModuleLoaded reports whether a module is loaded. It looks in /sys/module, where a "-"
// in the name of the module's file is a "_".
func ModuleLoaded(name string) bool {
	_, err := os.Stat(filepath.Join("/sys/module", strings.ReplaceAll(name, "-", "_")))
	return err == nil
}

// ModuleNames returns the names in /sys/module: the modules that are loaded, and those
// built in that have parameters.
func ModuleNames() []string {
	dirs, err := os.ReadDir("/sys/module")
	if err != nil {
		return nil
	}
	names := make([]string, len(dirs))
	for i, d := range dirs {
		names[i] = d.Name()
	}
	return names
}

// buildID is where both the kernel and a module's file keep the note with the build ID.
const buildID = ".note.gnu.build-id"

// ModuleBuild returns what identifies the build of a loaded module, "" if not known.
func ModuleBuild(name string) string {
	b, _ := os.ReadFile(filepath.Join("/sys/module", strings.ReplaceAll(name, "-", "_"), "notes", buildID))
	return string(b)
}

// A ModuleFile is the ELF file that a module is loaded from.
type ModuleFile struct {
	Path string
	Data []byte
}

// ReadModuleFile reads the file from which modprobe(8) would load a module: the one in
// the running kernel's modules.dep, below /lib/modules. It decompresses the file with
// xz, zstd or gzip. It returns nil if there is no such file.
func ReadModuleFile(name string) (*ModuleFile, error) {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join("/lib/modules", strings.TrimSpace(string(release)))
	list, err := os.ReadFile(filepath.Join(dir, "modules.dep"))
	if os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	path := moduleFile(string(list), name)
	if path == "" {
		return nil, nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err := unpacked(path)
	if err != nil {
		return nil, err
	}
	return &ModuleFile{path, data}, nil
}

// moduleFile finds a module in modules.dep, which has a line for each:
// "kernel/fs/ext4.ko.xz:" and the files that it needs.
func moduleFile(list, name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	for line := range strings.Lines(list) {
		path, _, _ := strings.Cut(line, ":")
		base, _, _ := strings.Cut(filepath.Base(path), ".")
		if strings.ReplaceAll(base, "-", "_") == name {
			return path
		}
	}
	return ""
}

// unpackers are the programs that decompress a file to stdout.
var unpackers = map[string]string{".xz": "xz", ".zst": "zstd", ".gz": "gzip"}

func unpacked(path string) ([]byte, error) {
	program, packed := unpackers[filepath.Ext(path)]
	if !packed {
		return os.ReadFile(path)
	}
	data, err := exec.Command(program, "-dc", path).Output()
	if err != nil {
		return nil, fmt.Errorf("%s, with %s: %w", path, program, err)
	}
	return data, nil
}

// Build returns what ModuleBuild would return if the module were loaded from the file.
func (f *ModuleFile) Build() string {
	e, err := elf.NewFile(bytes.NewReader(f.Data))
	if err != nil {
		return ""
	}
	defer e.Close()
	s := e.Section(buildID)
	if s == nil {
		return ""
	}
	b, _ := s.Data()
	return string(b)
}
