package main

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
)

// isPreset reports whether an argument, or the name of a file of specs, names a preset.
func isPreset(name string) bool { return strings.HasPrefix(name, "@") }

// takePresets moves the presets among the specs to the files, before those of --file.
func takePresets(o *flags.Options) error {
	var presets []string
	for i, arg := range o.Args {
		if !isPreset(arg) || i == 0 && o.Command == "replay" {
			continue
		}
		if _, err := presetNamed(arg); err != nil {
			return err
		}
		presets = append(presets, arg)
	}
	if len(presets) > 0 {
		o.Args = slices.DeleteFunc(o.Args, func(arg string) bool { return slices.Contains(presets, arg) })
		o.Files = append(presets, o.Files...)
	}
	return nil
}

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

// presetWords returns the presets that begin with word.
func presetWords(word string) (words []shell.Word) {
	for _, p := range preset.All() {
		if name := "@" + p.Name; strings.HasPrefix(name, word) {
			words = append(words, shell.Word{Text: name, Is: p.Brief})
		}
	}
	return words
}

// presetNamed returns the preset of a name that begins with @.
func presetNamed(arg string) (preset.Preset, error) {
	name := strings.TrimPrefix(arg, "@")
	p, err := preset.Named(name)
	if err == nil {
		return p, nil
	}
	var names []string
	for _, p := range preset.All() {
		names = append(names, p.Name)
	}
	if at := strings.IndexFunc(name, func(c rune) bool { return c < 'a' || c > 'z' }); at > 0 && slices.Contains(names, name[:at]) {
		return p, flags.Errorf("tsnoop info @"+name[:at]+" prints its specs, for a file of one's own", "nothing stands behind a preset's name: %q", name[at:])
	}
	hint := "presets: @" + strings.Join(names, " @")
	if near := btf.Near(name, slices.Values(names)); len(near) > 0 {
		hint = "did you mean @" + strings.Join(near, ", @") + "? " + hint
	}
	return p, flags.Errorf(hint, "there is no preset %s", arg)
}

// listPresets prints the presets whose names match a pattern, and what they answer.
func listPresets(pattern string, w io.Writer) error {
	all, err := presetsMatching(strings.TrimPrefix(pattern, "@"))
	if err != nil {
		return flags.Errorf("tsnoop list '@tcp*'", "%q is no glob", pattern)
	}
	if len(all) == 0 {
		return fmt.Errorf("no preset matches %q", pattern)
	}
	for _, p := range all {
		if _, err := fmt.Fprintf(w, "%-12s %s\n", "@"+p.Name, p.Brief); err != nil {
			return err
		}
	}
	return nil
}

// presetsMatching returns the presets whose names match a glob. "" matches all.
func presetsMatching(glob string) (found []preset.Preset, err error) {
	for _, p := range preset.All() {
		is, err := path.Match(glob, p.Name)
		if err != nil {
			return nil, err
		}
		if is || glob == "" {
			found = append(found, p)
		}
	}
	return found, nil
}
