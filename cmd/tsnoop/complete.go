package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/help"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runCompletion prints a shell's completion script.
func runCompletion(o *flags.Options, ui *terminal.UI) error {
	shells := slices.Sorted(maps.Keys(shell.Scripts))
	if len(o.Args) != 1 || shell.Scripts[o.Args[0]] == "" {
		return flags.Errorf("source <(tsnoop completion bash)", "completion is for one of %s", strings.Join(shells, ", "))
	}
	_, err := fmt.Fprint(ui.Stdout, shell.Scripts[o.Args[0]])
	return err
}

// runComplete answers such a script: SHELL LINE [BREAKS]. A line that it does not
// understand is no error: it has no completions.
func runComplete(o *flags.Options, ui *terminal.UI) error {
	if len(o.Args) < 2 {
		return flags.Errorf("tsnoop completion bash", "__complete is for the scripts of shells")
	}
	line, breaks := shell.Parse(o.Args[1], "tsnoop"), ""
	if len(o.Args) > 2 {
		breaks = o.Args[2]
	}
	return line.Write(ui.Stdout, o.Args[0], breaks, complete(line.Words))
}

// complete returns what may replace the last of the words.
func complete(words []string) shell.Answer {
	before, word := words[:len(words)-1], words[len(words)-1]
	if i := slices.Index(before, "--"); i >= 0 {
		if i == len(before)-1 {
			return shell.Answer{Kind: shell.Commands}
		}
		return shell.Answer{Kind: shell.Files}
	}
	rows := flags.Rows()
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "--") {
		return completeValue(flagNamed(rows, name), value).Behind(name + "=")
	}
	if len(before) > 0 {
		if f := flagNamed(rows, before[len(before)-1]); f != nil && f.NeedsValue() {
			return completeValue(f, word)
		}
	}
	if strings.HasPrefix(word, "-") {
		return flagNames(rows, word)
	}
	// Errors in the line so far do not matter here.
	o, _ := flags.Parse(before)
	return completeArg(o, word)
}

// completeArg completes an argument that is not a flag.
func completeArg(o *flags.Options, word string) shell.Answer {
	a := shell.Answer{Kind: shell.Words}
	switch {
	case isPreset(word) && (o.Command == "" || takesPresets(o)):
		a.Words = presetWords(word)
	case o.Command == "" || o.Command == "trace" && len(o.Args) == 0:
		for _, c := range flags.Commands {
			if strings.HasPrefix(c.Name, word) && c.Says != "" {
				a.Words = append(a.Words, shell.Word{Text: c.Name, Is: c.Says})
			}
		}
		if specs := specWords(o, word); len(specs) > 0 {
			a.Kind, a.Words = shell.Open, append(a.Words, specs...)
		}
	case o.Command == "replay" && len(o.Args) == 0:
		a.Kind = shell.Files
	case o.Command == "info":
		a.Words = append(specWords(o, word), typeWords(o, word)...)
	case o.Command == "help":
		a.Words = among(word, slices.Sorted(maps.Keys(help.Topics)))
	case o.Command == "completion":
		a.Words = among(word, slices.Sorted(maps.Keys(shell.Scripts)))
	case slices.Contains([]string{"trace", "record", "replay", "list"}, o.Command):
		a.Kind, a.Words = shell.Open, specWords(o, word)
	}
	return a
}
