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

// linked is the version of a build outside of git. Set it with -ldflags "-X
// main.linked=v1.2.3".
var linked string

// version returns the version of the tag, or the pseudo-version that Go derives from
// the commit.
func version() string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func runHelp(o *options, ui *ui) error {
	text := usage
	if len(o.args) > 0 {
		if text = helpTopics[o.args[0]]; text == "" {
			return usagef("tsnoop help, tsnoop help spec, tsnoop help examples, tsnoop help json, tsnoop help limits", "there is no help on %q", o.args[0])
		}
	}
	_, err := fmt.Fprint(ui.stdout, text)
	return err
}

// The texts that help prints, each in a file of its own.
var (
	//go:embed help/usage.txt
	usage string
	//go:embed help/spec.txt
	specHelp string
	//go:embed help/examples.txt
	examples string
	//go:embed help/json.txt
	jsonHelp string
	//go:embed help/limits.txt
	limits string
)

// helpTopics holds the help texts besides usage.
var helpTopics = map[string]string{"spec": specHelp, "examples": examples, "json": jsonHelp, "limits": limits}

// pages returns the pages of the manual, made from the help texts.
func pages() []manual.Page {
	return []manual.Page{
		{Name: "tsnoop", Section: 8, Brief: "show what kernel functions are given and what they give back", Text: usage + "\nExamples:\n\n" + examples + "\nLimits:\n\n" + limits, See: "tsnoop-spec(7), tsnoop-json(7), trace-cmd(1), perf-probe(1)"},
		{Name: "tsnoop-spec", Section: 7, Brief: "the language in which tsnoop is told what to show", Text: specHelp, See: "tsnoop(8), tsnoop-json(7)"},
		{Name: "tsnoop-json", Section: 7, Brief: "what is in a line of tsnoop --json", Text: jsonHelp, See: "tsnoop(8), tsnoop-spec(7)"},
	}
}

// runManual prints a page of the manual as roff, or the names of all pages. Packages
// are built with it.
func runManual(o *options, ui *ui) error {
	for _, p := range pages() {
		name := fmt.Sprintf("%s.%d", p.Name, p.Section)
		text := name + "\n"
		if len(o.args) > 0 {
			if o.args[0] != name {
				continue
			}
			text = p.Roff()
		}
		if _, err := fmt.Fprint(ui.stdout, text); err != nil || len(o.args) > 0 {
			return err
		}
	}
	if len(o.args) > 0 {
		return usagef("tsnoop __manual", "there is no page %q", o.args[0])
	}
	return nil
}
