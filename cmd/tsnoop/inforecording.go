package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/replay"
)

// describeRecordings prints where and when the recordings among names were made. It
// returns the others, which are names of functions and types.
func describeRecordings(w io.Writer, names []string) (others []string, err error) {
	between := ""
	for _, name := range names {
		is, err := describeRecording(w, name, between)
		if !is {
			others = append(others, name)
			continue
		}
		if err != nil {
			return nil, err
		}
		between = "\n"
	}
	return others, nil
}

// isPath reports whether a name can be that of a file only, not of a function or type.
func isPath(name string) bool {
	return strings.Contains(name, "/") && !preset.Is(name) || strings.HasSuffix(name, ".dat") && !strings.Contains(name, " ")
}

// describeRecording prints about one name, after what is between it and the one before. If
// it is not that of a recording, nor can be, err says nothing.
func describeRecording(w io.Writer, name, between string) (is bool, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		err = notWhole(name, err)
		return isPath(name), cmp.Or(err, fmt.Errorf("%s is not a regular file, and no recording", name))
	}
	f, err := os.Open(name)
	if err != nil {
		return isPath(name), err
	}
	defer f.Close()
	if !replay.IsRecording(f) {
		return isPath(name), fmt.Errorf("%s is not a recording", name)
	}
	limitMemory(info.Size())
	o, err := replay.OriginOf(f, info.Size(), name)
	if err != nil {
		return true, err
	}
	_, err = io.WriteString(w, between+render.OriginText(o))
	return true, err
}
