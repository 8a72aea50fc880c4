package main

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/manual"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

//go:embed usage.txt
var usageText string

// usage returns the text with all outputs and flags.
func usage() string {
	o := &options{}
	var kinds strings.Builder
	for _, k := range o.kinds() {
		for i, line := range program.Fold(k.text, 64) {
			head := k.name
			if i > 0 {
				head = ""
			}
			fmt.Fprintf(&kinds, "  %-12s  %s\n", head, line)
		}
	}
	return strings.NewReplacer("{outputs}\n", kinds.String(), "{flags}\n", program.Help(o.sections())).Replace(usageText)
}

// page returns the page of the manual.
func page() manual.Page {
	return manual.Page{Name: name, Section: 1, Brief: "write traced calls to where a team looks", Text: usage(), See: "tsnoop(8), tsnoop-json(7)"}
}

func runHelp(o *options, ui *terminal.UI) error {
	if len(o.files) > 0 {
		return program.Errorf("run "+name+" help", "help takes no topic")
	}
	_, err := fmt.Fprint(ui.Stdout, usage())
	return err
}

// runManual prints the page of the manual as roff, or its name. Packages are built with it.
func runManual(o *options, ui *terminal.UI) error {
	text := fmt.Sprintf("%s.%d\n", page().Name, page().Section)
	if len(o.files) > 0 {
		text = page().Roff()
	}
	_, err := fmt.Fprint(ui.Stdout, text)
	return err
}

// linked is the version of a build outside of git. Set it with -ldflags "-X
// main.linked=v1.2.3".
var linked string

func runVersion(ui *terminal.UI) error {
	_, err := fmt.Fprintf(ui.Stdout, "%s %s\n", name, program.Version(linked))
	return err
}
