// Parts lists everything that is linked into a program, for dist.sh:
//
//	parts PROGRAM DIR
//
// It reads the list of modules that Go has written into the program. DIR/NOTICE gets the
// licences of their packages, DIR/tsnoop.cdx.json the modules in the form of CycloneDX. The
// current directory is that of the program's sources, and GOARCH its architecture. Times
// are $SOURCE_DATE_EPOCH: the same program makes the same bytes.
package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: parts PROGRAM DIR"))
	}
	program, dir := os.Args[1], os.Args[2]
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		fail(err)
	}
	parts, err := find(info)
	if err != nil {
		fail(err)
	}
	bom, err := sbom(info, parts, program)
	if err != nil {
		fail(err)
	}
	for name, text := range map[string][]byte{"NOTICE": notice(parts), "tsnoop.cdx.json": bom} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "parts:", err)
	os.Exit(1)
}

// A part is a module that is linked into the program, or Go's standard library.
type part struct {
	debug.Module
	licences []licence
}

// notice returns the licences of all parts. A text that several have is there once for each
// part, as their licences demand.
func notice(parts []part) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "tsnoop is under the licence in the file LICENSE. The program also contains these parts:")
	for _, p := range parts {
		for _, l := range p.licences {
			fmt.Fprintf(&b, "\n%s\n%s %s, %s (%s)\n\n%s\n", bytes.Repeat([]byte("="), 80), p.Path, p.Version, l.file, l.id, bytes.TrimSpace(l.text))
		}
	}
	return b.Bytes()
}
