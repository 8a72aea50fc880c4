package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
)

// runCompletion prints a shell's completion script.
func runCompletion(o *options, ui *ui) error {
	shells := slices.Sorted(maps.Keys(shell.Scripts))
	if len(o.args) != 1 || shell.Scripts[o.args[0]] == "" {
		return usagef("source <(tsnoop completion bash)", "completion is for one of %s", strings.Join(shells, ", "))
	}
	_, err := fmt.Fprint(ui.stdout, shell.Scripts[o.args[0]])
	return err
}

// runComplete answers such a script: SHELL LINE [BREAKS]. A line that it does not
// understand is no error: it has no completions.
func runComplete(o *options, ui *ui) error {
	if len(o.args) < 2 {
		return usagef("tsnoop completion bash", "__complete is for the scripts of shells")
	}
	line, breaks := shell.Parse(o.args[1], "tsnoop"), ""
	if len(o.args) > 2 {
		breaks = o.args[2]
	}
	return line.Write(ui.stdout, o.args[0], breaks, complete(line.Words))
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
	given := &options{}
	rows := given.flags()
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "--") {
		return flagNamed(rows, name).complete(value).Behind(name + "=")
	}
	if len(before) > 0 {
		if f := flagNamed(rows, before[len(before)-1]); f != nil && f.takes != "" && f.value.bare == "" {
			return f.complete(word)
		}
	}
	if strings.HasPrefix(word, "-") {
		return flagNames(rows, word)
	}
	// Errors in the line so far do not matter here.
	o, _ := parseArgs(before)
	return o.completeArg(word)
}

// completeArg completes an argument that is not a flag.
func (o *options) completeArg(word string) shell.Answer {
	a := shell.Answer{Kind: shell.Words}
	switch {
	case isPreset(word) && (o.command == nil || o.takesPresets()):
		a.Words = presetWords(word)
	case o.command == nil || o.command.name == "trace" && len(o.args) == 0:
		for _, c := range commands {
			if strings.HasPrefix(c.name, word) && c.says != "" {
				a.Words = append(a.Words, shell.Word{Text: c.name, Is: c.says})
			}
		}
		if specs := o.specWords(word); len(specs) > 0 {
			a.Kind, a.Words = shell.Open, append(a.Words, specs...)
		}
	case o.command.name == "replay" && len(o.args) == 0:
		a.Kind = shell.Files
	case o.command.name == "info":
		a.Words = append(o.specWords(word), o.typeWords(word)...)
	case o.command.name == "help":
		a.Words = among(word, slices.Sorted(maps.Keys(helpTopics)))
	case o.command.name == "completion":
		a.Words = among(word, slices.Sorted(maps.Keys(shell.Scripts)))
	case slices.Contains([]string{"trace", "record", "replay", "list"}, o.command.name):
		a.Kind, a.Words = shell.Open, o.specWords(word)
	}
	return a
}
