package main

import (
	_ "embed"
	"fmt"
	"runtime/debug"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/manual"
)

func runVersion(_ *options, ui *ui) error {
	fmt.Fprintf(ui.stdout, "tsnoop %s\n", version())
	return nil
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func runHelp(o *options, ui *ui) error {
	text := usage
	if len(o.args) > 0 {
		if text = helpTopics[o.args[0]]; text == "" {
			return usagef("tsnoop help, tsnoop help spec, tsnoop help examples, tsnoop help json", "there is no help on %q", o.args[0])
		}
	}
	_, err := fmt.Fprint(ui.stdout, text)
	return err
}

// What help prints is text in files of its own.
var (
	//go:embed help/usage.txt
	usage string
	//go:embed help/spec.txt
	specHelp string
	//go:embed help/examples.txt
	examples string
	//go:embed help/json.txt
	jsonHelp string
)

// helpTopics are what else there is help on.
var helpTopics = map[string]string{"spec": specHelp, "examples": examples, "json": jsonHelp}

// pages are the manual. The texts are those of help.
func pages() []manual.Page {
	return []manual.Page{
		{Name: "tsnoop", Section: 8, Brief: "show what kernel functions are given and what they give back", Text: usage + "\nExamples:\n\n" + examples, See: "tsnoop-spec(7), trace-cmd(1), perf-probe(1)"},
		{Name: "tsnoop-spec", Section: 7, Brief: "the language in which tsnoop is told what to show", Text: specHelp, See: "tsnoop(8)"},
	}
}

// runManual prints a page of the manual, as roff: for packages.
func runManual(o *options, ui *ui) error {
	for _, p := range pages() {
		if len(o.args) == 1 && o.args[0] == fmt.Sprintf("%s.%d", p.Name, p.Section) {
			_, err := fmt.Fprint(ui.stdout, p.Roff())
			return err
		}
	}
	return usagef("tsnoop __manual tsnoop.8", "which page?")
}
