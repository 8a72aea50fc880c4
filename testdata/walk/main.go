// Command walk lists the functions that a reader goes through who follows one spec to its
// emitted lines, and one page of a recording to its printed lines:
//
//	go run ./testdata/walk [-spec SPEC] [-file FILE]
//
// It runs tsnoop with coverage. For the spec it lists each function of fetchargs and
// tracefs/dynevent that is entered. For the recording it lists each function that is
// entered at least as often as there are lines, so FILE should have many. Helpers are
// included, and closures count as part of the function that contains them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const module = "github.com/tsnoop/tsnoop/"

func main() {
	log.SetFlags(0)
	wanted := flag.String("spec", "ip_rcv(skb->len, dev->name) if skb->len > 100", "to emit")
	file := flag.String("file", "tracefs/tracedat/testdata/v7-zstd.trace.dat", "to replay")
	flag.Parse()
	dir, err := os.MkdirTemp("", "walk")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	run(dir, "go", "build", "-cover", "-covermode=count", "-coverpkg="+module+"...", "-o", dir+"/tsnoop", "./cmd/tsnoop")

	run(dir, dir+"/tsnoop", "--btf", "testdata/btf/linux-6.12-amd64.btf", "--kernel", "6.12", "--arch", "amd64", "--emit", *wanted)
	list("spec to emitted line", entered(dir, 1), "fetchargs", "tracefs/dynevent")
	lines := bytes.Count(run(dir, dir+"/tsnoop", "replay", *file), []byte("\n"))
	list("page to printed line", entered(dir, lines))
}

// run runs a command with its coverage in dir/cover, which is emptied first.
func run(dir, name string, args ...string) []byte {
	cover := filepath.Join(dir, "cover")
	os.RemoveAll(cover)
	os.Mkdir(cover, 0o700)
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+cover)
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("%s: %v", cmd, err)
	}
	return out
}

// entered returns the functions with a statement that has run at least times times, by
// file.
func entered(dir string, times int) map[string][]string {
	profile := filepath.Join(dir, "profile")
	if out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir+"/cover", "-o="+profile).CombinedOutput(); err != nil {
		log.Fatalf("covdata: %v\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		log.Fatal(err)
	}
	funcs, parsed := map[string][]string{}, map[string]*ast.File{}
	set := token.NewFileSet()
	for line := range strings.Lines(string(text)) {
		name, block, _ := strings.Cut(strings.TrimSpace(line), ":")
		var from, column, to, end, statements, n int
		if c, _ := fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &from, &column, &to, &end, &statements, &n); c != 6 || n < times {
			continue
		}
		name = strings.TrimPrefix(name, module)
		if parsed[name] == nil {
			if parsed[name], err = parser.ParseFile(set, name, nil, 0); err != nil {
				log.Fatal(err)
			}
		}
		if f := function(set, parsed[name], from); f != "" && !slices.Contains(funcs[name], f) {
			funcs[name] = append(funcs[name], f)
		}
	}
	return funcs
}

// function returns the function that contains a line, "" if there is none: the line is
// part of the value of a variable.
func function(set *token.FileSet, file *ast.File, line int) string {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || line < set.Position(f.Pos()).Line || line > set.Position(f.End()).Line {
			continue
		}
		if f.Recv == nil {
			return f.Name.Name
		}
		typ := f.Recv.List[0].Type
		if star, ok := typ.(*ast.StarExpr); ok {
			typ = star.X
		}
		return fmt.Sprintf("%s.%s", typ, f.Name.Name)
	}
	return ""
}

// list prints the functions of the files below the directories, or of all files.
func list(title string, funcs map[string][]string, dirs ...string) {
	var rows []string
	n := 0
	for file, names := range funcs {
		below := func(dir string) bool { return strings.HasPrefix(file, dir+"/") }
		if len(dirs) > 0 && !slices.ContainsFunc(dirs, below) {
			continue
		}
		n += len(names)
		rows = append(rows, fmt.Sprintf("  %-28s %s", file, strings.Join(names, " ")))
	}
	slices.Sort(rows)
	fmt.Printf("%s: %d functions\n%s\n", title, n, strings.Join(rows, "\n"))
}
