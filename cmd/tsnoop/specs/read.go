// Package specs reads the specs that a command line names: its own, those of presets and
// those of files, which it can watch.
package specs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/specfile"
)

// maxFile is the maximum size of a file of specs, in bytes.
const maxFile = 1 << 20

// Read adds the specs of presets and of --file to those of the command line.
func Read(o *flags.Options) error {
	if o.TakesSpecs() {
		if err := takePresets(o); err != nil {
			return err
		}
	}
	if len(o.Files) == 0 {
		return nil
	}
	read := readFile
	if o.Trace.Reload {
		read = readWatched
	}
	set, err := specfile.Read(o.Files, read)
	o.Specs, o.Typed = set, slices.Clip(o.Args)
	var wrong spec.Errors
	var refused *flags.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &wrong):
		// Also show errors in the specs that could be read.
		_, more := spec.ParseAll(set.Texts())
		return append(wrong, more...)
	case err != nil:
		return flags.Errorf("", "cannot read specs: %v", err)
	case len(set.Specs) == 0:
		return noSpecs(o.Files)
	}
	o.Args = append(o.Args, set.Texts()...)
	return nil
}

func noSpecs(files []string) error {
	return flags.Errorf("write one spec a line; tsnoop help spec shows what a spec is", "there are no specs in %s", strings.Join(files, ", "))
}

// readWatched is readFile for --reload. It refuses a FIFO, or another file that can be read
// only once, and does not wait for somebody to write to it.
func readWatched(name string) ([]byte, error) {
	if preset.Is(name) {
		return readFile(name)
	}
	const cure = "write the specs to a file, or omit --reload"
	if name == "-" {
		return nil, flags.Errorf(cure, "--reload: - is not a regular file, so tsnoop cannot read it again")
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, flags.Errorf(cure, "--reload: %s is not a regular file, so tsnoop cannot read it again", name))
	}
	return readAll(f)
}

// readFile reads a file of specs; "-" is the standard input, "@NAME" a preset.
func readFile(name string) ([]byte, error) {
	if preset.Is(name) {
		p, err := Preset(name)
		return []byte(p.Text), err
	}
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	return readAll(f)
}

func readAll(f *os.File) ([]byte, error) {
	var text bytes.Buffer
	switch n, err := io.Copy(&text, io.LimitReader(f, maxFile+1)); {
	case err != nil:
		return nil, err
	case n > maxFile:
		return nil, fmt.Errorf("%s is longer than 1 MiB: it cannot be a file of specs", f.Name())
	}
	return text.Bytes(), nil
}
