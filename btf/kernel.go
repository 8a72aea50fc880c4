package btf

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/tsnoop/tsnoop/btf/thin"
)

// sysDir is where the running kernel shows its BTF: vmlinux, and since 5.11
// (CONFIG_DEBUG_INFO_BTF_MODULES) one file for every loaded module.
const sysDir = "/sys/kernel/btf"

// ErrNoBTF says that there is no BTF: the kernel was built without
// CONFIG_DEBUG_INFO_BTF, or a file holds none.
var ErrNoBTF = errors.New("no BTF")

// ErrSplit says that the first file is a module's, whose types are based on vmlinux's.
var ErrSplit = errors.New("this is the BTF of a module")

// A Kernel is the BTF of one kernel: of vmlinux and, on top of it, of its modules.
//
// Nothing is read before the first question, and the BTF of a module only when a question
// needs it. If vmlinux's cannot be read, the first error is kept and returned for every
// question. Types stay valid for ever and must not be changed.
//
// A Kernel is safe for concurrent use.
type Kernel struct {
	dir   string   // usually sysDir; "" if opened from files
	files []string // vmlinux, then split BTF of modules

	mu      sync.Mutex
	loaded  bool
	base    *blob
	err     error
	modules map[string]*blob // by moduleKey; nil for a file that could not be read
	added   []string         // modules added by AddModule
}

// Running returns the BTF of the running kernel, from /sys/kernel/btf.
//
// If that directory does not exist, it looks for a vmlinux ELF file of the running
// release where distributions keep them (/boot, /usr/lib/debug, ...).
func Running() *Kernel { return &Kernel{dir: sysDir} }

// Open returns the BTF of a kernel from files. The first file is vmlinux's, the others
// are split BTF of modules on top of it. A file is raw BTF, as in /sys/kernel/btf, or ELF
// with a section .BTF. A module is named after its file, without directory and
// extensions.
func Open(files ...string) *Kernel { return &Kernel{files: files} }

// vmlinux returns the base BTF. The first call loads it. k.mu is held.
//
// Errors wrap ErrNoBTF, or are errors of reading and decoding the file.
func (k *Kernel) vmlinux() (*blob, error) {
	if !k.loaded {
		k.loaded = true
		k.base, k.err = k.loadBase()
	}
	return k.base, k.err
}

func (k *Kernel) loadBase() (*blob, error) {
	file := filepath.Join(k.dir, "vmlinux")
	if k.dir == "" {
		if len(k.files) == 0 {
			return nil, fmt.Errorf("no file named: %w", ErrNoBTF)
		}
		file = k.files[0]
	}
	data, err := read(file, k.dir != "")
	if errors.Is(err, fs.ErrNotExist) && k.dir != "" {
		return nil, fmt.Errorf("%w: %w", err, ErrNoBTF)
	}
	if err != nil {
		return nil, err
	}
	if data, err = section(data); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if isSplit(data) {
		return nil, fmt.Errorf("%s: %w", file, ErrSplit)
	}
	if len(data) > worthCutting {
		if r, err := thin.Parse(data); err == nil {
			if k.dir == "" { // anybody may have made it
				if err := thin.Check(data, thin.Size{}); err != nil {
					return nil, fmt.Errorf("%s: %w: %w", file, err, ErrNoBTF)
				}
			}
			return &blob{raw: r, size: r.Size()}, nil
		}
	}
	b, err := parseBlob(data, "", nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}

// CheckModules checks the files of modules, if the BTF was opened from files. Questions
// ignore a file that cannot be read, but the user who named it should learn of it.
func (k *Kernel) CheckModules() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	if err != nil {
		return err
	}
	for _, file := range k.files[min(1, len(k.files)):] {
		data, err := read(file, false)
		if err != nil {
			return err
		}
		if data, err = section(data); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := thin.Check(data, base.size); err != nil {
			return fmt.Errorf("%s: %w: %w", file, err, ErrNoBTF)
		}
		if name := moduleName(file); strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return fmt.Errorf("%s: %q is not the name of a module", file, name)
		}
		r, err := thin.Parse(data)
		switch {
		case err != nil: // BTF of another kind, or damaged
			if _, err := k.module(moduleName(file)); err != nil {
				return err
			}
		case !r.IsSplit():
			return fmt.Errorf("%s is not BTF of a module: the first file is the kernel's, those after it are its modules'", file)
		}
	}
	return nil
}

// worthCutting is the size in bytes from which BTF is cut and not decoded as a whole. It
// is less than any kernel's BTF; decoding less takes only a few ms.
const worthCutting = 1 << 20

// module returns the BTF of a module; nil if it has none here. k.mu is held.
//
// Errors are those of reading and decoding its file.
func (k *Kernel) module(name string) (*blob, error) {
	key := moduleKey(name)
	if b := k.modules[key]; b != nil {
		return b, nil
	}
	base, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	files := k.moduleFiles()
	i := slices.IndexFunc(files, func(f string) bool { return moduleName(f) == key })
	if i < 0 {
		return nil, nil
	}
	b, err := readBlob(files[i], key, base)
	if k.modules == nil {
		k.modules = make(map[string]*blob)
	}
	k.modules[key] = b
	return b, err
}

// CheckRunning returns an error if the types were opened from files and the running
// kernel shows other types.
func (k *Kernel) CheckRunning() error {
	own, err := os.ReadFile(filepath.Join(sysDir, "vmlinux"))
	if k.dir != "" || len(k.files) == 0 || err != nil {
		return nil
	}
	data, err := read(k.files[0], false)
	if err != nil {
		return err
	}
	if data, err = section(data); err != nil {
		return fmt.Errorf("%s: %w", k.files[0], err)
	}
	if !bytes.Equal(data, own) {
		return fmt.Errorf("%s is another kernel's: the running one shows its types as %s/vmlinux", k.files[0], sysDir)
	}
	return nil
}

// AddModule adds the BTF of a module that the kernel has not loaded. data is the content
// of the module's file.
//
// Errors wrap ErrNoBTF, or are errors of reading vmlinux's BTF.
func (k *Kernel) AddModule(name string, data []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	base, err := k.vmlinux()
	if err != nil {
		return err
	}
	key := moduleKey(name)
	b, err := parseBlob(data, key, base)
	if err != nil {
		return err
	}
	if k.modules == nil {
		k.modules = make(map[string]*blob)
	}
	k.modules[key] = b
	k.added = append(k.added, key)
	return nil
}

// Modules returns the names of the modules that have BTF here, sorted.
func (k *Kernel) Modules() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.moduleNames()
}

// moduleNames is Modules without locking. k.mu is held.
func (k *Kernel) moduleNames() []string {
	names := slices.Clone(k.added)
	for _, f := range k.moduleFiles() {
		names = append(names, moduleName(f))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (k *Kernel) moduleFiles() []string {
	if k.dir == "" {
		return k.files[min(1, len(k.files)):]
	}
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return nil
	}
	var files []string
	for _, e := range entries {
		if e.Name() != "vmlinux" {
			files = append(files, filepath.Join(k.dir, e.Name()))
		}
	}
	return files
}

// blobs yields vmlinux's BTF, then that of every module. A module whose BTF cannot be
// read is left out, because it must not stop the search. k.mu is held.
func (k *Kernel) blobs(yield func(*blob) bool) {
	if k.base == nil || !yield(k.base) {
		return
	}
	for _, name := range k.moduleNames() {
		if b, _ := k.module(name); b != nil && !yield(b) {
			return
		}
	}
}

// moduleKey returns a module's name as the kernel spells it, with underscores where file
// names have dashes. The key of vmlinux is "".
func moduleKey(name string) string {
	if name == "vmlinux" {
		return ""
	}
	return strings.ReplaceAll(name, "-", "_")
}

// moduleName returns the name of the module in a file.
func moduleName(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), ".")
	return moduleKey(name)
}
