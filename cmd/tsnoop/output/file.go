package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// A File is where data goes: the file of --output, or stdout.
type File struct {
	*os.File
	own      bool // it was opened here
	terminal bool
	color    bool
}

// Create opens the file of --output, or uses stdout.
func Create(o *flags.Options) (*File, error) {
	f := &File{File: os.Stdout}
	if o.Output != "" && o.Output != "-" {
		created, err := createFile(o.Output)
		if err != nil {
			return nil, flags.Errorf("", "cannot write the output: %v", err)
		}
		f.File, f.own = created, true
	}
	f.terminal = term.IsTerminal(int(f.Fd()))
	f.color = terminal.UseColor(o.Color, f.File)
	return f, nil
}

// Close closes the file, unless it is stdout.
func (f *File) Close() error {
	if !f.own {
		return nil
	}
	return f.File.Close()
}

// createFile creates a file for data, or truncates an existing one. The data has kernel
// addresses and shows what all users do, so only the user may read a new file. A
// symbolic link that another user has created is not followed; the user's own links
// are, and so are those of root, such as /dev/stdout.
func createFile(name string) (*os.File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	f, err := os.OpenFile(name, flags|unix.O_NOFOLLOW, 0o600)
	if !errors.Is(err, unix.ELOOP) {
		return f, err
	}
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); info.Mode().Type() == fs.ModeSymlink && ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("%s is a link that user %d has put there: it is not followed", name, owner.Uid)
	}
	return os.OpenFile(name, flags, 0o600)
}
