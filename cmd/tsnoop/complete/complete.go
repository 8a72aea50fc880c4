// Package complete finds what a command line that is being typed may go on with.
package complete

import (
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/help"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
)

// Words returns what may replace the last of the words.
func Words(words []string) shell.Answer {
	before, word := words[:len(words)-1], words[len(words)-1]
	if i := slices.Index(before, "--"); i >= 0 {
		if i == len(before)-1 {
			return shell.Answer{Kind: shell.Commands}
		}
		return shell.Answer{Kind: shell.Files}
	}
	rows := flags.Rows()
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "--") {
		return completeValue(flagNamed(rows, name), value).Prefixed(name + "=")
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
	case preset.Is(word) && (o.Command == "" || takesPresets(o)):
		a.Words = presetWords(word)
	case o.Command == "" || o.Command == "trace" && len(o.Args) == 0:
		for _, c := range flags.Commands {
			if strings.HasPrefix(c.Name, word) && c.Text != "" {
				a.Words = append(a.Words, shell.Word{Text: c.Name, Is: c.Text})
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
		a.Words = among(word, slices.Sorted(maps.Keys(help.Topics())))
	case o.Command == "completion":
		a.Words = among(word, slices.Sorted(maps.Keys(shell.Scripts)))
	case o.Command == "replay" && isPath(word) && !slices.ContainsFunc(o.Args, func(arg string) bool { return strings.Contains(arg, "(") }):
		a.Kind = shell.Files
	case slices.Contains([]string{"trace", "record", "replay", "list"}, o.Command):
		a.Kind, a.Words = shell.Open, specWords(o, word)
	}
	return a
}

// isPath reports whether a word of replay is more likely to become the name of a further recording
// than a spec.
func isPath(word string) bool { return strings.ContainsAny(word, "./") && !strings.Contains(word, "(") }

// takesPresets reports whether the next argument may be a preset.
func takesPresets(o *flags.Options) bool {
	switch o.Command {
	case "replay":
		return len(o.Args) > 0
	case "list":
		return len(o.Args) == 0
	}
	return o.TakesSpecs() || o.Command == "info"
}
