package trace

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// Processes are those of this machine, sorted by id.
func Processes() []proc.Process { return proc.Processes() }

// KeptFunctions is what tells which functions a probe can be put on, as
// fetchargs.Target wants it. The kernel takes long to list them, so until it boots
// again, or has other modules, the list is kept in the directory dir, which only its
// owner may be. Where that is not so, or cannot be, it is read each time.
func (m *Machine) KeptFunctions(dir string) func() func(module, name string) bool {
	return func() func(module, name string) bool {
		path := filepath.Join(dir, "functions")
		key := append([]byte("tsnoop "+proc.BootID()+" "+proc.LoadedModules()), '\n')
		if kept, err := os.ReadFile(path); err == nil && ownDir(dir) {
			if text, ok := bytes.CutPrefix(kept, key); ok {
				return tracefs.ParseFunctions(text)
			}
		}
		text, err := m.fs.FunctionList()
		if err != nil {
			return nil
		}
		if os.MkdirAll(dir, 0o700) == nil && ownDir(dir) {
			keep(path, append(key, text...))
		}
		return tracefs.ParseFunctions(text)
	}
}

// ownDir tells whether a directory, no link to one, is of the user who runs this and
// of nobody else to write to.
func ownDir(dir string) bool {
	var st unix.Stat_t
	err := unix.Lstat(dir, &st)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && st.Mode&0o022 == 0 && int(st.Uid) == os.Geteuid()
}

// keep writes all of a file or nothing. That it cannot is no matter: the next one will.
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
