package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kernelFiles are words that a path of a kernel's file has.
var kernelFiles = []string{"/sys", "/proc", "/debug", "available_filter_functions", "blacklist", "kallsyms", "kcore", "saved_cmdlines",
	"kprobe_events", "trace_pipe", "per_cpu", "events/", "tracing_on", "header_page", "error_log"}

// The command opens no file of the kernel's: no text of it is the path of one. Text with
// white space in it is written for people.
func TestNoKernelFiles(t *testing.T) {
	eachFile(t, ".", func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if _, ok := n.(*ast.ImportSpec); ok {
				return false
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			for _, word := range kernelFiles {
				if !strings.ContainsAny(text, " \n") && strings.Contains(text, word) {
					t.Errorf("%s: %s", path, lit.Value)
				}
			}
			return true
		})
	})
}

// own are what only the command may use: nothing else writes where nobody has asked to.
// Among the command's packages only main knows the program's arguments and ends it,
// except at a second signal.
var own = map[string][]string{
	"os":  {"Exit", "Args", "Stdin", "Stdout", "Stderr"},
	"fmt": {"Print", "Printf", "Println"},
	"log": {"Print", "Printf", "Println", "Fatal", "Fatalf"},
}

func TestOnlyTheCommandPrints(t *testing.T) {
	for _, dir := range []string{"btf", "fetchargs", "tracefs", "render"} {
		eachFile(t, filepath.Join("..", "..", dir), func(path string, file *ast.File) {
			for _, used := range usesOwn(file) {
				t.Errorf("%s: %s", path, used)
			}
		})
	}
	eachFile(t, ".", func(path string, file *ast.File) {
		for _, used := range usesOwn(file) {
			signal := path == filepath.Join("live", "signals.go") && used == "os.Exit"
			if file.Name.Name != "main" && !strings.HasPrefix(used, "os.Std") && !signal {
				t.Errorf("%s: %s", path, used)
			}
		}
	})
}

// usesOwn returns what a file uses of own.
func usesOwn(file *ast.File) (used []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if from, ok := sel.X.(*ast.Ident); ok && slices.Contains(own[from.Name], sel.Sel.Name) {
				used = append(used, from.Name+"."+sel.Sel.Name)
			}
		}
		return true
	})
	return used
}

// eachFile parses the files below a directory, except tests and their data.
func eachFile(t *testing.T, dir string, visit func(path string, file *ast.File)) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			return err
		}
		n++
		visit(path, file)
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%s: %d files, %v", dir, n, err)
	}
}
