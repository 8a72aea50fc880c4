package main

import (
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// runClean removes what dead runs left behind.
func runClean(o *flags.Options, ui *ui) error {
	fs, err := openTracefs(o)
	if err != nil {
		return err
	}
	removed, err := fs.Clean(ui.detail)
	for _, name := range removed {
		fmt.Fprintln(ui.stdout, name)
	}
	return err
}
