package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// A licence is a file of a module.
type licence struct {
	file string // its path in the module
	id   string // of SPDX
	text []byte
}

// find finds the licences of the modules that a program has: those beside its packages and
// in the directories above them.
func find(info *debug.BuildInfo) ([]part, error) {
	parts := []part{{Module: debug.Module{Path: "std", Version: info.GoVersion}}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s is replaced by %s: its licence is not known", m.Path, m.Replace.Path)
		}
		parts = append(parts, part{Module: *m})
	}
	packages, err := linked(info.Path)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		root, module := p.Root, "std"
		if !p.Standard {
			root, module = p.Module.Dir, p.Module.Path
		}
		if module == info.Main.Path {
			continue
		}
		i := slices.IndexFunc(parts, func(p part) bool { return p.Path == module })
		if i < 0 {
			return nil, fmt.Errorf("%s is of %s, which the program does not list", p.ImportPath, module)
		}
		if err := parts[i].add(root, p.Dir); err != nil {
			return nil, err
		}
	}
	for _, p := range parts {
		if len(p.licences) == 0 {
			return nil, fmt.Errorf("%s has no licence", p.Path)
		}
	}
	return parts, nil
}

// A goPackage is what go list prints of a package.
type goPackage struct {
	ImportPath, Dir, Root string
	Standard              bool
	Module                *struct{ Path, Dir string }
}

// linked returns the packages of a program, sorted.
func linked(path string) (packages []goPackage, err error) {
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Root,Standard,Module", path).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p goPackage
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
	slices.SortFunc(packages, func(a, b goPackage) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	return packages, nil
}

var names = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// boring is the licence of object files that are linked only with cgo and GOEXPERIMENT.
const boring = "src/crypto/internal/boring/LICENSE"

// add adds the licences in dir and in the directories above it, up to root.
func (p *part) add(root, dir string) error {
	for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			file, _ := filepath.Rel(root, name)
			if !e.Type().IsRegular() || !names.MatchString(e.Name()) || strings.HasSuffix(file, ".go") || file == boring ||
				slices.ContainsFunc(p.licences, func(l licence) bool { return l.file == file }) {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			id := identify(text)
			if id == "" {
				return fmt.Errorf("%s: %s: this licence is not known: read it and add it to identify", p.Path, file)
			}
			p.licences = append(p.licences, licence{file, id, text})
		}
	}
	return nil
}

// identify returns the names that SPDX has for the licences in a text, as an expression.
func identify(text []byte) string {
	words := strings.Join(strings.Fields(string(text)), " ")
	var ids []string
	const bsd, third = "Redistribution and use in source and binary forms", "nor the names of"
	for _, l := range []struct{ id, says, and, not string }{
		{"Apache-2.0", "Apache License Version 2.0, January 2004", "", ""},
		{"BSD-2-Clause", bsd, "", third},
		{"BSD-3-Clause", bsd, third, ""},
		{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software", "", ""},
		{"LicenseRef-Go-patents", "Additional IP Rights Grant (Patents)", "", ""},
	} {
		if strings.Contains(words, l.says) && strings.Contains(words, l.and) && (l.not == "" || !strings.Contains(words, l.not)) {
			ids = append(ids, l.id)
		}
	}
	return strings.Join(ids, " AND ")
}
