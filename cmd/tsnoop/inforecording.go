package main

import (
	"io"
	"os"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// describeRecordings prints where and when the recordings among names were made. It
// returns the others, which are names of functions and types.
func describeRecordings(w io.Writer, names []string) (others []string, err error) {
	between := ""
	for _, name := range names {
		is, err := describeRecording(w, name, between)
		if err != nil {
			return nil, err
		}
		if !is {
			others = append(others, name)
			continue
		}
		between = "\n"
	}
	return others, nil
}

// describeRecording prints about one name, after what is between it and the one before.
func describeRecording(w io.Writer, name, between string) (is bool, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	if !trace.IsRecording(f) {
		return false, nil
	}
	limitMemory(info.Size())
	o, err := trace.OriginOf(f, info.Size(), name)
	if err != nil {
		return true, err
	}
	_, err = io.WriteString(w, between+render.OriginText(o))
	return true, err
}
