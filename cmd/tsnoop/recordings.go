package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/tracefs/replay"
)

// splitRecordings separates the arguments of replay: the first is a recording, or text, and so is
// each other one that names a recording. The rest are specs.
func splitRecordings(args []string) (files, specs []string, err error) {
	files = args[:1:1]
	for _, arg := range args[1:] {
		is, err := namesRecording(arg)
		if err != nil {
			return nil, nil, err
		}
		if is {
			files = append(files, arg)
		} else {
			specs = append(specs, arg)
		}
	}
	if len(files) > 1 && slices.Contains(files, "-") {
		return nil, nil, flags.Errorf("run tsnoop replay - SPEC...", "- is text from the standard input, which is shown alone: text does not show where its events are from")
	}
	return files, specs, nil
}

// namesRecording reports whether an argument names a recording, which may be missing, and not a
// spec. It is an error if it names another file.
func namesRecording(arg string) (bool, error) {
	if arg == "-" {
		return true, nil
	}
	if preset.Is(arg) {
		return false, nil
	}
	path := strings.HasSuffix(arg, ".dat") || strings.ContainsAny(arg, "./")
	path = path && !strings.ContainsAny(arg, "(<>=&|\"'") // as specs have
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		if path {
			return false, flags.Errorf("name its recordings: tsnoop replay "+strings.TrimRight(arg, "/")+"/*.dat", "%s is a directory", arg)
		}
		return false, nil
	case err == nil && info.Mode().IsRegular():
		f, err := os.Open(arg)
		if err != nil {
			return path || errors.Is(err, os.ErrPermission), nil // which is reported when it is read
		}
		defer f.Close()
		if replay.IsRecording(f) {
			return true, nil
		}
		if path && info.Size() > 0 {
			return false, flags.Errorf("replay it alone: tsnoop replay "+arg+" SPEC...", "%s is not a recording, and only recordings can be shown together", arg)
		}
		return path, nil
	}
	return path && (strings.HasSuffix(arg, ".dat") || strings.Contains(arg, "/")), nil
}
