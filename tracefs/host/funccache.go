package host

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// Processes returns the processes of this host, sorted by ID.
func Processes() []proc.Process { return proc.Processes() }

// CachedFunctions returns a function that reports whether a function can be probed, nil if
// that is not known. The kernel takes long to list them, so the list is kept in the
// directory dir until the kernel boots again or its modules change. Only the owner of dir
// may write to it; if that is not so, or the list cannot be kept, it is read each time.
func (h *Host) CachedFunctions(dir string) func(module, name string) bool {
	return h.traceableOr(func() func(module, name string) bool { return h.cached(dir) })
}

func (h *Host) cached(dir string) func(module, name string) bool {
	path := filepath.Join(dir, "functions")
	key := append([]byte("tsnoop "+proc.BootID()+" "+proc.LoadedModules()), '\n')
	if kept, err := os.ReadFile(path); err == nil && ownDir(dir) {
		if text, ok := bytes.CutPrefix(kept, key); ok {
			return tracefs.ParseFunctions(text)
		}
	}
	text, err := h.FS.FunctionList()
	if err != nil {
		return nil
	}
	if os.MkdirAll(dir, 0o700) == nil && ownDir(dir) {
		keep(path, append(key, text...))
	}
	return tracefs.ParseFunctions(text)
}

// ownDir reports whether dir is a directory, not a symbolic link, that belongs to this
// user and that nobody else can write to.
func ownDir(dir string) bool {
	var st unix.Stat_t
	err := unix.Lstat(dir, &st)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Mode&0o022 == 0 && int(st.Uid) == os.Geteuid()
}

// keep writes the whole file or nothing. An error does not matter: the next run will
// write it.
func keep(path string, data []byte) {
	f, err := os.CreateTemp(filepath.Dir(path), "functions.*")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), path) != nil {
		os.Remove(f.Name())
	}
}
