//go:build vm

package tracefs

import "os"

// The tests on real kernels need these parts of the package. They are outside it because
// they read events as package text does.

const (
	DefaultMount = defaultMount
	HintMount    = hintMount
)

func (fs *FS) Root() *os.Root { return fs.root.Root }

func (fs *FS) Write(name, value string) error { return fs.write(name, value) }

func (fs *FS) Change(line string) error {
	w := probeWriter{file: "kprobe_events"}
	defer w.close()
	return w.change(fs, line)
}

func (fs *FS) Adopt(name string) (*Session, error) {
	s, _, err := fs.adopt(name, nil)
	return s, err
}

func (s *Session) EventPath(event, name string) string { return s.eventPath(event, name) }

// TakesEprobes is for tests.
func (fs *FS) TakesEprobes() bool { return fs.takesEprobes() }
