// Parts lists everything that is linked into programs, for dist.sh:
//
//	parts DIR PROGRAM...
//
// It reads the list of modules that Go has written into each program in DIR. DIR/NOTICE gets
// the licences of their packages, DIR/PROGRAM.cdx.json the modules of a program in the form of
// CycloneDX. The current directory is that of the programs' sources, and GOARCH their
// architecture. Times are $SOURCE_DATE_EPOCH: the same programs make the same bytes.
package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
)

func main() {
	if len(os.Args) < 3 {
		fail(fmt.Errorf("usage: parts DIR PROGRAM [PROGRAM]"))
	}
	dir, all := os.Args[1], []part(nil)
	for _, name := range os.Args[2:] {
		parts, bom, err := list(filepath.Join(dir, name))
		if err != nil {
			fail(err)
		}
		write(filepath.Join(dir, name+".cdx.json"), bom)
		all = merge(all, parts)
	}
	write(filepath.Join(dir, "NOTICE"), notice(all))
}

// list returns the parts of a program, and its SBOM.
func list(program string) ([]part, []byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, nil, err
	}
	parts, err := find(info)
	if err != nil {
		return nil, nil, err
	}
	bom, err := sbom(info, parts, program)
	return parts, bom, err
}

func write(name string, text []byte) {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		fail(err)
	}
}

// merge adds parts to those of other programs of the same repository.
func merge(all, parts []part) []part {
	for _, p := range parts {
		i := slices.IndexFunc(all, func(q part) bool { return q.Path == p.Path })
		if i < 0 {
			all = append(all, p)
			continue
		}
		for _, l := range p.licences {
			if !slices.ContainsFunc(all[i].licences, func(m licence) bool { return m.file == l.file }) {
				all[i].licences = append(all[i].licences, l)
			}
		}
	}
	return all
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "parts:", err)
	os.Exit(1)
}

// A part is a module that is linked into a program, or Go's standard library.
type part struct {
	debug.Module
	licences []licence
}

// notice returns the licences of all parts. A text that several have is there once for each
// part, as their licences demand.
func notice(parts []part) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "tsnoop is under the licence in the file LICENSE. Its programs also contain these parts:")
	for _, p := range parts {
		for _, l := range p.licences {
			fmt.Fprintf(&b, "\n%s\n%s %s, %s (%s)\n\n%s\n", bytes.Repeat([]byte("="), 80), p.Path, p.Version, l.file, l.id, bytes.TrimSpace(l.text))
		}
	}
	return b.Bytes()
}
