// Gen writes the tables of package constants from golang.org/x/sys/unix, whose mkall.go
// takes the constants from the kernel's uapi headers.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "golang.org/x/sys"

var arches = []string{"amd64", "arm64"}

var (
	macro = regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)
	// Most of ztypes are enums in the kernel, which BTF has. Only these are macros.
	macroType = regexp.MustCompile(`^(AT|CLONE|FSMOUNT|FSOPEN|FSPICK|LOCK|MOVE_MOUNT|OPEN_TREE|RENAME|RESOLVE|SCM|SHUT|SOCK|STATX|AF|PROT|MAP)_|^POLL`)
	// The C library has other values for these.
	foreign = regexp.MustCompile(`^(O_LARGEFILE|MS_NOUSER|RTCF_NAT)$`)
)

func main() {
	log.SetFlags(0)
	dir := flag.String("o", ".", "the directory to write to")
	flag.Parse()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", module).Output()
	if err != nil {
		log.Fatalf("go list %s: %v", module, err)
	}
	version, source, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	all := map[string]map[string]string{}
	for _, arch := range arches {
		if all[arch], err = read(filepath.Join(source, "unix"), arch); err != nil {
			log.Fatal(err)
		}
	}
	same := map[string]string{}
	for name, value := range all[arches[0]] {
		if !slices.ContainsFunc(arches, func(arch string) bool { return all[arch][name] != value }) {
			same[name] = value
		}
	}
	files := map[string]map[string]string{"linux": same}
	for _, arch := range arches {
		maps.DeleteFunc(all[arch], func(name, _ string) bool { _, ok := same[name]; return ok })
		files["linux_"+arch] = all[arch]
	}
	for name, table := range files {
		text := print(table, fmt.Sprintf("# Made by gen from %s/unix %s. Do not edit.\n", module, version))
		if err := os.WriteFile(filepath.Join(*dir, name+".txt"), text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}

// read returns the macros of the package in dir on arch, with their values in Go's
// notation.
func read(dir, arch string) (map[string]string, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{"zerrors_linux.go", "zerrors_linux_" + arch + ".go", "ztypes_linux.go", "ztypes_linux_" + arch + ".go"} {
		f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	// These files need nothing constant from other files.
	config := types.Config{Error: func(error) {}, IgnoreFuncBodies: true, Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, _ := config.Check("unix", fset, files, nil)
	table := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		c, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !macro.MatchString(name) || foreign.MatchString(name) || isError(c) {
			continue
		}
		file := filepath.Base(fset.Position(c.Pos()).Filename)
		if strings.HasPrefix(file, "ztypes") && !macroType.MatchString(name) {
			continue
		}
		if v := constant.ToInt(c.Val()); v.Kind() == constant.Int {
			table[name] = hex(v)
		}
	}
	return table, nil
}

// isError reports whether c is an errno. Package value has a table of these.
func isError(c *types.Const) bool { return strings.HasSuffix(c.Type().String(), ".Errno") }

func hex(v constant.Value) string {
	if constant.Sign(v) < 0 {
		return "-" + hex(constant.UnaryOp(token.SUB, v, 0))
	}
	n, _ := constant.Uint64Val(v)
	return fmt.Sprintf("%#x", n)
}

func print(table map[string]string, head string) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(&b, "%s %s\n", name, table[name])
	}
	return b.Bytes()
}
