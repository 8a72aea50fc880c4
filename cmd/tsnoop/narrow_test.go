package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Standard        bool
}

// TestNarrow checks the types of the program for mips, whose int and stat(2) are narrow, in
// source: to compile Go's library for one more architecture takes a minute.
func TestNarrow(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,Standard", ".")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=mips", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	files, own := token.NewFileSet(), 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == "unsafe" {
			continue
		}
		config := types.Config{
			Importer: imported{p.ImportMap, checked}, Sizes: types.SizesFor("gc", "mips"),
			GoVersion: "", IgnoreFuncBodies: p.Standard, FakeImportC: true,
			Error: func(err error) { t.Error(err) },
		}
		checked[p.ImportPath], _ = config.Check(p.ImportPath, files, parsed(t, files, p), nil)
		if !p.Standard {
			own++
		}
	}
	if own < 50 {
		t.Errorf("only %d packages were checked", own)
	}
}

func parsed(t *testing.T, files *token.FileSet, p listed) (syntax []*ast.File) {
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		syntax = append(syntax, file)
	}
	return syntax
}

// imported is an importer of packages that were checked before.
type imported struct {
	renamed map[string]string
	checked map[string]*types.Package
}

func (i imported) Import(path string) (*types.Package, error) {
	if to := i.renamed[path]; to != "" {
		path = to
	}
	return i.checked[path], nil
}
