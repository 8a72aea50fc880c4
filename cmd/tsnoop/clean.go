package main

import "fmt"

// runClean removes what dead runs left behind.
func runClean(o *options, ui *ui) error {
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
