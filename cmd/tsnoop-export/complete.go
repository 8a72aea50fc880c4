package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runCompletion prints a shell's completion script.
func runCompletion(o *options, ui *terminal.UI) error {
	shells := slices.Sorted(maps.Keys(shell.Scripts))
	if len(o.files) != 1 || !slices.Contains(shells, o.files[0]) {
		return program.Errorf("run source <("+name+" completion bash)", "completion is for one of %s", strings.Join(shells, ", "))
	}
	_, err := fmt.Fprint(ui.Stdout, shell.For(name, o.files[0]))
	return err
}

// runComplete answers such a script: SHELL LINE [BREAKS].
func runComplete(o *options, ui *terminal.UI) error {
	if len(o.files) < 2 {
		return program.Errorf("run "+name+" completion bash", "__complete is for the scripts of shells")
	}
	line, breaks := shell.Parse(o.files[1], name), ""
	if len(o.files) > 2 {
		breaks = o.files[2]
	}
	return line.Write(ui.Stdout, o.files[0], breaks, words(line.Words))
}

// words returns what may replace the last of some words.
func words(all []string) shell.Answer {
	before, word := all[:len(all)-1], all[len(all)-1]
	o, _ := parse(before) // errors in the line so far do not matter here
	var rows []program.Row
	for _, s := range o.sections() {
		rows = append(rows, s.Rows...)
	}
	if flag, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "--") {
		return values(rows, flag, value).Prefixed(flag + "=")
	}
	if n := len(before); n > 0 && needsValue(rows, before[n-1]) {
		return values(rows, before[n-1], word)
	}
	a := shell.Answer{Kind: shell.Words}
	switch {
	case strings.HasPrefix(word, "-"):
		for _, f := range rows {
			if strings.HasPrefix("--"+f.Name, word) {
				a.Words = append(a.Words, shell.Word{Text: "--" + f.Name, Is: f.Brief()})
			}
		}
	case o.word == "" && len(o.files) == 0:
		a.Words = o.outputs(word)
	case o.word == "completion":
		a.Words = among(word, slices.Sorted(maps.Keys(shell.Scripts)))
	case o.kind != nil:
		a.Kind = shell.Files
	}
	return a
}

// outputs returns the outputs and commands that begin with word.
func (o *options) outputs(word string) (all []shell.Word) {
	all = among(word, o.words())
	for i := range all {
		for _, k := range o.kinds() {
			if k.name == all[i].Text {
				all[i].Is = k.text
			}
		}
	}
	return all
}

// named returns the flag of that name, as it is written; nil if there is none.
func named(rows []program.Row, written string) *program.Row {
	i := slices.IndexFunc(rows, func(f program.Row) bool {
		return written == "--"+f.Name || f.Short != "" && written == "-"+f.Short
	})
	if i < 0 {
		return nil
	}
	return &rows[i]
}

func needsValue(rows []program.Row, written string) bool {
	f := named(rows, written)
	return f != nil && f.NeedsValue()
}

// values completes the value of a flag.
func values(rows []program.Row, written, value string) shell.Answer {
	f := named(rows, written)
	switch {
	case f == nil:
		return shell.Answer{Kind: shell.Words}
	case f.Name == "output", f.Name == "out":
		return shell.Answer{Kind: shell.Files}
	}
	return shell.Answer{Kind: shell.Words, Words: among(value, f.Words())}
}

// among returns those of some words that begin with a prefix.
func among(prefix string, words []string) (all []shell.Word) {
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			all = append(all, shell.Word{Text: w})
		}
	}
	return all
}
