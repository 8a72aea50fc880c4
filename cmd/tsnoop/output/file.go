package output

import (
	"errors"
	"os"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/outfile"
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
		created, err := outfile.Write(o.Output)
		var refused *outfile.Refusal
		if errors.As(err, &refused) {
			return nil, flags.Errorf(refused.Hint, "cannot write the output: %v", refused)
		} else if err != nil {
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
