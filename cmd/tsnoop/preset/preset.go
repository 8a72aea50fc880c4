// Package preset holds files of specs that answer common questions, such as who opens
// what and who kills whom. They are named after the tools of bcc.
//
// To add one, add a file to presets. The first line, a comment, says what it answers, in
// sentences that fit beside the name.
package preset

import (
	"embed"
	"io/fs"
	"path"
	"sort"
	"strings"
)

//go:embed presets
var files embed.FS

const (
	dir = "presets"
	ext = ".tsnoop"
)

// A Preset is a file of specs.
type Preset struct {
	Name  string // "opens", without @
	Brief string // what it answers: the first line of the file, which is a comment
	Text  string
}

// Is reports whether a word, where specs and files of specs are expected, names a preset.
func Is(word string) bool { return strings.HasPrefix(word, "@") }

// All returns the presets, sorted by name.
func All() []Preset {
	entries, err := files.ReadDir(dir)
	if err != nil {
		panic(err) // the directory is embedded
	}
	var all []Preset
	for _, e := range entries {
		p, _ := Named(strings.TrimSuffix(e.Name(), ext))
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// Named returns the preset of that name. If there is none, the error is an
// *fs.PathError.
func Named(name string) (Preset, error) {
	if strings.ContainsAny(name, "/.") {
		return Preset{}, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	text, err := files.ReadFile(path.Join(dir, name+ext))
	if err != nil {
		return Preset{}, err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return Preset{Name: name, Brief: strings.TrimLeft(first, "# "), Text: string(text)}, nil
}

// Matching returns the presets whose names match a glob. "" matches all.
func Matching(glob string) (found []Preset, err error) {
	for _, p := range All() {
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
