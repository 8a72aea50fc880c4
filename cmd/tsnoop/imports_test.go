package main

import (
	"cmp"
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

const module = "github.com/tsnoop/tsnoop"

// mayImport is the house rule: what each package may import besides the
// standard library. A new package needs a line here.
var mayImport = map[string][]string{
	"btf":                  {"github.com/cilium/ebpf/btf", module + "/btf/thin"},
	"btf/thin":             {"github.com/cilium/ebpf/btf"},
	"fetchargs":            {module + "/btf", module + "/fetchargs/probes", module + "/fetchargs/cond", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/encode", module + "/fetchargs/find", module + "/fetchargs/measure", module + "/fetchargs/plan", module + "/fetchargs/route", module + "/fetchargs/source", module + "/fetchargs/spec", module + "/fetchargs/syscalls", module + "/fetchargs/target", module + "/fetchargs/value"},
	"fetchargs/probes":     {module + "/btf", module + "/fetchargs/cond", module + "/fetchargs/dynevent", module + "/fetchargs/encode", module + "/fetchargs/filter", module + "/fetchargs/find", module + "/fetchargs/line", module + "/fetchargs/plan", module + "/fetchargs/readcheck", module + "/fetchargs/pushdown", module + "/fetchargs/route", module + "/fetchargs/source", module + "/fetchargs/spec", module + "/fetchargs/value"},
	"fetchargs/cond":       {module + "/fetchargs/plural", module + "/btf", module + "/fetchargs/abi", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/filter", module + "/fetchargs/spec", module + "/fetchargs/value"},
	"fetchargs/filter":     {module + "/fetchargs/spec"},
	"fetchargs/pushdown":   {module + "/btf", module + "/fetchargs/abi", module + "/fetchargs/cond", module + "/fetchargs/dynevent", module + "/fetchargs/filter", module + "/fetchargs/find", module + "/fetchargs/line", module + "/fetchargs/spec", module + "/fetchargs/value"},
	"fetchargs/line":       {module + "/fetchargs/dynevent", module + "/fetchargs/encode", module + "/fetchargs/source", module + "/fetchargs/spec"},
	"fetchargs/readcheck":  {module + "/btf", module + "/fetchargs/dynevent", module + "/fetchargs/encode", module + "/fetchargs/find", module + "/fetchargs/line", module + "/fetchargs/route", module + "/fetchargs/spec", module + "/fetchargs/target", module + "/fetchargs/value"},
	"fetchargs/measure":    {module + "/btf", module + "/fetchargs/cond", module + "/fetchargs/dynevent", module + "/fetchargs/spec", module + "/fetchargs/value"},
	"fetchargs/emit":       {module + "/fetchargs/dynevent", module + "/fetchargs/spec", module + "/fetchargs/value", module + "/fetchargs/plan"},
	"fetchargs/explain":    {module + "/fetchargs/plural", module + "/btf", module + "/fetchargs/dynevent", module + "/fetchargs/spec", module + "/fetchargs/value", module + "/fetchargs/plan"},
	"fetchargs/query":      {module + "/btf", module + "/fetchargs/cond", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/measure", module + "/fetchargs/spec", module + "/fetchargs/syscalls", module + "/fetchargs/value", module + "/fetchargs/find", module + "/fetchargs/plan"},
	"fetchargs/store":      {module + "/btf", module + "/fetchargs/abi", module + "/fetchargs/cond", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/spec", module + "/fetchargs/syscalls", module + "/fetchargs/value", module + "/fetchargs/plan"},
	"fetchargs/syscalls":   {},
	"fetchargs/encode":     {module + "/btf", module + "/fetchargs/cond", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/find", module + "/fetchargs/plural", module + "/fetchargs/route", module + "/fetchargs/spec", module + "/fetchargs/value"},
	"fetchargs/source":     {module + "/fetchargs/dynevent"},
	"fetchargs/find":       {module + "/fetchargs/plural", module + "/fetchargs/dynevent", module + "/fetchargs/tracepoint", module + "/btf", module + "/fetchargs/source", module + "/fetchargs/abi", module + "/fetchargs/spec", module + "/fetchargs/syscalls", module + "/fetchargs/target"},
	"fetchargs/route":      {module + "/fetchargs/plural", module + "/fetchargs/tracepoint", module + "/btf", module + "/fetchargs/source", module + "/fetchargs/abi", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/find", module + "/fetchargs/spec", module + "/fetchargs/target", module + "/fetchargs/value"},
	"fetchargs/tracepoint": {},
	"fetchargs/target":     {module + "/fetchargs/tracepoint", module + "/btf", module + "/fetchargs/abi", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/measure", module + "/fetchargs/syscalls"},
	"fetchargs/plan":       {module + "/btf", module + "/fetchargs/abi", module + "/fetchargs/cond", module + "/fetchargs/constants", module + "/fetchargs/dynevent", module + "/fetchargs/filter", module + "/fetchargs/find", module + "/fetchargs/measure", module + "/fetchargs/spec", module + "/fetchargs/syscalls", module + "/fetchargs/value"},
	"fetchargs/complete":   {module + "/fetchargs/find", module + "/fetchargs/target", module + "/fetchargs/spec", module + "/fetchargs", module + "/btf"},
	"fetchargs/plural":     {},
	"fetchargs/spec":       {},
	"fetchargs/specfile":   {module + "/fetchargs/spec"},
	"fetchargs/abi":        {module + "/btf"},
	"fetchargs/constants":  {},
	"fetchargs/value":      {module + "/fetchargs/abi", module + "/fetchargs/constants", module + "/btf"},
	"tracefs":              {"golang.org/x/sys/unix", module + "/tracefs/ringbuf"},
	"fetchargs/dynevent":   {module + "/fetchargs/spec"},
	"tracefs/proc":         {"golang.org/x/sys/unix"},
	"tracefs/proc/symbols": {module + "/tracefs/proc"},
	"tracefs/ringbuf":      {},
	"tracefs/users":        {},
	"tracefs/outfile":      {"golang.org/x/sys/unix", module + "/tracefs/users"},
	"tracefs/tracedat":     {"github.com/klauspost/compress/zstd", module + "/tracefs"},
	"tracefs/read":         {"golang.org/x/sys/unix", module + "/tracefs", module + "/tracefs/ringbuf"},
	"tracefs/text":         {"golang.org/x/sys/unix", module + "/tracefs"},
	"tracefs/calls":        {module + "/tracefs"},
	"tracefs/define":       {"golang.org/x/sys/unix", module + "/fetchargs/dynevent", module + "/fetchargs/spec", module + "/fetchargs/plan", module + "/tracefs", module + "/tracefs/proc", module + "/tracefs/proc/symbols"},
	"tracefs/nocalls":      {module + "/fetchargs/plural", module + "/fetchargs/dynevent", module + "/fetchargs/plan", module + "/tracefs", module + "/tracefs/define", module + "/tracefs/losses", module + "/tracefs/host"},
	"tracefs/balance":      {module + "/tracefs"},
	"tracefs/guard":        {module + "/tracefs/balance", module + "/fetchargs/plural", module + "/fetchargs/dynevent", module + "/fetchargs/plan", module + "/tracefs", module + "/tracefs/define", module + "/tracefs/proc"},
	"tracefs/tasks":        {"golang.org/x/sys/unix", module + "/tracefs", module + "/tracefs/proc"},
	"tracefs/amend":        {module + "/fetchargs/value", module + "/fetchargs/plan", module + "/tracefs", module + "/tracefs/proc", "golang.org/x/sys/unix"},
	"tracefs/names":        {"golang.org/x/sys/unix", module + "/fetchargs/plan", module + "/tracefs", module + "/tracefs/proc", module + "/tracefs/read"},
	"tracefs/hitcost":      {"golang.org/x/sys/unix", module + "/fetchargs/abi", module + "/fetchargs/dynevent", module + "/fetchargs/plan", module + "/fetchargs/plural", module + "/tracefs", module + "/tracefs/define"},
	"tracefs/losses":       {module + "/fetchargs/plural", module + "/fetchargs/dynevent", module + "/fetchargs/plan", module + "/fetchargs/value", module + "/tracefs", module + "/tracefs/calls", module + "/tracefs/proc"},
	"cmd/tsnoop/dist":      {},
	"tracefs/stream":       {module + "/fetchargs/plural", module + "/fetchargs/dynevent", module + "/fetchargs/plan", module + "/fetchargs/store", module + "/fetchargs/value", module + "/tracefs", module + "/tracefs/amend", module + "/tracefs/calls", module + "/tracefs/losses", module + "/tracefs/proc", module + "/tracefs/proc/symbols", module + "/tracefs/read", module + "/tracefs/tasks"},
	"tracefs/replay":       {module + "/fetchargs/plural", module + "/fetchargs/tracepoint", module + "/fetchargs/abi", module + "/fetchargs/dynevent", module + "/fetchargs/filter", module + "/fetchargs/measure", module + "/fetchargs/plan", module + "/fetchargs/query", module + "/fetchargs/store", module + "/fetchargs/value", module + "/tracefs", module + "/tracefs/amend", module + "/tracefs/calls", module + "/tracefs/losses", module + "/tracefs/proc/symbols", module + "/tracefs/read", module + "/tracefs/ringbuf", module + "/tracefs/stream", module + "/tracefs/tasks", module + "/tracefs/text", module + "/tracefs/tracedat"},
	"tracefs/merge":        {module + "/tracefs", module + "/tracefs/calls", module + "/tracefs/replay", module + "/tracefs/stream"},
	"tracefs/arm":          {"golang.org/x/sys/unix", module + "/btf", module + "/fetchargs/dynevent", module + "/fetchargs/plan", module + "/fetchargs/spec", module + "/tracefs", module + "/tracefs/amend", module + "/tracefs/define", module + "/tracefs/host", module + "/tracefs/proc", module + "/tracefs/stream", module + "/tracefs/witness"},
	"tracefs/host":         {module + "/tracefs/names", module + "/fetchargs/plural", module + "/fetchargs/tracepoint", "golang.org/x/sys/unix", module + "/btf", module + "/tracefs", module + "/fetchargs/abi", module + "/tracefs/define", module + "/fetchargs", module + "/fetchargs/dynevent", module + "/fetchargs/spec", module + "/tracefs/proc", module + "/tracefs/proc/symbols", module + "/fetchargs/measure", module + "/fetchargs/syscalls", module + "/fetchargs/find", module + "/fetchargs/target", module + "/fetchargs/plan"},
	"tracefs/witness":      {"golang.org/x/sys/unix", module + "/fetchargs/abi", module + "/fetchargs/plan", module + "/fetchargs/target", module + "/tracefs"},
	"tracefs/record":       {module + "/fetchargs/plural", "golang.org/x/sys/unix", module + "/tracefs", module + "/tracefs/outfile", module + "/tracefs/proc/symbols", module + "/tracefs/read", module + "/tracefs/ringbuf", module + "/tracefs/tracedat"},
	"tracefs/trace":        {"golang.org/x/sys/unix", module + "/fetchargs/plan", module + "/tracefs", module + "/tracefs/amend", module + "/tracefs/arm", module + "/tracefs/calls", module + "/tracefs/define", module + "/tracefs/guard", module + "/tracefs/losses", module + "/tracefs/host", module + "/tracefs/names", module + "/tracefs/nocalls", module + "/tracefs/proc", module + "/tracefs/read", module + "/tracefs/record", module + "/tracefs/stream", module + "/tracefs/tasks", module + "/tracefs/text", module + "/tracefs/tracedat"},
	"cmd/program":          {"github.com/spf13/pflag", module + "/btf"},
	"cmd/tsnoop/complete": {module + "/cmd/program", module + "/fetchargs/target", module + "/fetchargs/spec", module + "/fetchargs/complete", module + "/cmd/tsnoop/flags", module + "/cmd/tsnoop/help", module + "/cmd/tsnoop/preset", module + "/cmd/tsnoop/shell", module + "/cmd/tsnoop/target",
		module + "/render", module + "/tracefs/host", module + "/tracefs/users"},
	"cmd/tsnoop/dist/parts": {},
	"cmd/tsnoop/flags": {"github.com/spf13/pflag", module + "/cmd/program", module + "/cmd/tsnoop/notation",
		module + "/btf", module + "/fetchargs/measure", module + "/fetchargs/filter", module + "/fetchargs/dynevent", module + "/fetchargs/abi", module + "/fetchargs/spec", module + "/fetchargs/specfile", module + "/render", module + "/render/sum", module + "/tracefs", module + "/tracefs/host", module + "/tracefs/trace"},
	"cmd/tsnoop/help": {module + "/fetchargs/constants", module + "/cmd/tsnoop/flags", module + "/cmd/tsnoop/manual"},
	"cmd/tsnoop/live": {module + "/fetchargs/plan", module + "/fetchargs/spec", "golang.org/x/sys/unix", module + "/tracefs/users", module + "/cmd/tsnoop/flags", module + "/cmd/tsnoop/output", module + "/cmd/tsnoop/target", module + "/cmd/tsnoop/terminal", module + "/cmd/tsnoop/tracee",
		module + "/btf", module + "/render", module + "/render/sum", module + "/tracefs", module + "/tracefs/proc", module + "/tracefs/hitcost", module + "/tracefs/host", module + "/tracefs/trace"},
	"cmd/tsnoop/manual":        {},
	"cmd/tsnoop/notation":      {module + "/render", module + "/render/json", module + "/render/sum", module + "/render/text"},
	"cmd/tsnoop/output":        {"golang.org/x/term", module + "/cmd/tsnoop/flags", module + "/cmd/tsnoop/terminal", module + "/render", module + "/render/sum", module + "/tracefs", module + "/tracefs/calls", module + "/tracefs/losses", module + "/tracefs/merge", module + "/tracefs/outfile", module + "/tracefs/stream", module + "/fetchargs/plan"},
	"cmd/tsnoop-export":        {"github.com/spf13/pflag", "golang.org/x/term", module + "/btf", module + "/cmd/program", module + "/cmd/tsnoop-export/folded", module + "/cmd/tsnoop-export/input", module + "/cmd/tsnoop-export/otlp", module + "/cmd/tsnoop-export/output", module + "/cmd/tsnoop-export/parquet", module + "/cmd/tsnoop-export/perfetto", module + "/cmd/tsnoop-export/report", module + "/cmd/tsnoop/manual", module + "/cmd/tsnoop/shell", module + "/cmd/tsnoop/terminal", module + "/tracefs/outfile", module + "/tracefs/replay"},
	"cmd/tsnoop-export/call":   {module + "/render/json", module + "/tracefs"},
	"cmd/tsnoop-export/folded": {module + "/cmd/program", module + "/cmd/tsnoop-export/call", module + "/cmd/tsnoop-export/output", module + "/render"},
	"cmd/tsnoop-export/input":  {module + "/cmd/tsnoop-export/call", module + "/cmd/tsnoop-export/output", module + "/render", module + "/render/json", module + "/tracefs", module + "/tracefs/calls", module + "/tracefs/losses", module + "/tracefs/replay", module + "/tracefs/stream"},
	"cmd/tsnoop-export/otlp": {"google.golang.org/protobuf/encoding/protowire", module + "/cmd/program", module + "/cmd/tsnoop-export/call",
		module + "/cmd/tsnoop-export/otlp/env", module + "/cmd/tsnoop-export/otlp/otlpjson", module + "/cmd/tsnoop-export/otlp/send", module + "/cmd/tsnoop-export/output", module + "/render/json"},
	"cmd/tsnoop-export/otlp/env": {
		module + "/cmd/program"},
	"cmd/tsnoop-export/otlp/otlpjson": {"google.golang.org/protobuf/encoding/protowire",
		module + "/cmd/tsnoop-export/otlp/env"},
	"cmd/tsnoop-export/otlp/send": {"google.golang.org/protobuf/encoding/protowire", module + "/cmd/program",
		module + "/cmd/tsnoop-export/otlp/env", module + "/cmd/tsnoop-export/otlp/otlpjson", module + "/render"},
	"cmd/tsnoop-export/perfetto": {"golang.org/x/term", "google.golang.org/protobuf/encoding/protowire", module + "/cmd/program", module + "/cmd/tsnoop-export/call", module + "/cmd/tsnoop-export/output", module + "/fetchargs/plural", module + "/render", module + "/render/json"},
	"cmd/tsnoop-export/report":   {module + "/cmd/program", module + "/cmd/tsnoop-export/call", module + "/cmd/tsnoop-export/output", module + "/fetchargs/plural", module + "/render", module + "/render/json", module + "/render/sum", module + "/tracefs"},
	"cmd/tsnoop-export/output":   {module + "/cmd/tsnoop-export/call"},
	"cmd/tsnoop-export/parquet": {"github.com/parquet-go/parquet-go", "github.com/parquet-go/parquet-go/encoding",
		module + "/cmd/program", module + "/cmd/tsnoop-export/call", module + "/cmd/tsnoop-export/output", module + "/render", module + "/render/json", module + "/tracefs"},
	"cmd/tsnoop/preset": {},
	"cmd/tsnoop/shell":  {},
	"cmd/tsnoop/specs": {module + "/fetchargs/plan", module + "/fetchargs/plural", "github.com/fsnotify/fsnotify", module + "/cmd/tsnoop/flags", module + "/cmd/tsnoop/preset", module + "/cmd/tsnoop/target", module + "/cmd/tsnoop/terminal",
		module + "/btf", module + "/fetchargs/spec", module + "/fetchargs/specfile", module + "/tracefs", module + "/tracefs/trace"},
	"cmd/tsnoop/target": {module + "/fetchargs/plan", module + "/fetchargs/spec", module + "/cmd/tsnoop/flags",
		module + "/btf", module + "/tracefs", module + "/tracefs/host"},
	"cmd/tsnoop/terminal": {module + "/fetchargs/plural", "golang.org/x/term", module + "/btf", module + "/cmd/program", module + "/fetchargs/plan", module + "/fetchargs/spec", module + "/render", module + "/tracefs"},
	"render":              {"github.com/mattn/go-runewidth", "github.com/clipperhouse/uax29/v2/graphemes", module + "/fetchargs/constants", module + "/fetchargs/spec", module + "/fetchargs/value", module + "/fetchargs/dynevent", module + "/fetchargs/plan", module + "/btf", module + "/tracefs", module + "/tracefs/calls"},
	"render/sum":          {module + "/fetchargs/value", module + "/fetchargs/measure", module + "/fetchargs/plan", module + "/render", module + "/tracefs", module + "/tracefs/calls"},
	"render/text":         {module + "/fetchargs/plural", module + "/render", module + "/render/sum", module + "/fetchargs/value", module + "/tracefs", module + "/tracefs/calls"},
	"render/json":         {module + "/render", module + "/render/sum", module + "/fetchargs/value", module + "/tracefs", module + "/tracefs/calls"},
	"cmd/tsnoop/tracee":   {"golang.org/x/sys/unix"},
	// Not the packages that read kernel files or bytes: only tracefs/trace imports them.
	"cmd/tsnoop": {module + "/fetchargs/plural", "golang.org/x/term", module + "/cmd/program", module + "/btf", module + "/cmd/tsnoop/complete", module + "/cmd/tsnoop/flags", module + "/cmd/tsnoop/help", module + "/cmd/tsnoop/live", module + "/cmd/tsnoop/output", module + "/cmd/tsnoop/preset", module + "/cmd/tsnoop/shell", module + "/cmd/tsnoop/specs", module + "/cmd/tsnoop/target", module + "/cmd/tsnoop/terminal", module + "/fetchargs/abi", module + "/fetchargs/emit", module + "/fetchargs/explain", module + "/fetchargs/plan", module + "/render", module + "/render/sum", module + "/tracefs", module + "/tracefs/calls", module + "/tracefs/hitcost", module + "/tracefs/host", module + "/tracefs/losses", module + "/tracefs/merge", module + "/tracefs/proc", module + "/tracefs/record", module + "/fetchargs/spec", module + "/tracefs/replay", module + "/tracefs/stream", module + "/tracefs/trace", module + "/tracefs/users"},
}

// pure are the packages that must not touch the machine, with those below them.
var pure = []string{"fetchargs", "render", "tracefs/calls", "tracefs/ringbuf", "tracefs/tracedat"}

func isPure(pkg string) bool {
	return slices.ContainsFunc(pure, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") })
}

func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	used := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(rel))
		used[pkg] = append(used[pkg], checkImports(t, path, pkg)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, allowed := range mayImport {
		for _, name := range allowed {
			if !slices.Contains(used[pkg], name) {
				t.Errorf("%s need not be allowed to import %s", pkg, name)
			}
		}
	}
}

// checkImports checks a file of pkg and returns what it imports.
func checkImports(t *testing.T, path, pkg string) (used []string) {
	allowed, known := mayImport[pkg]
	if !known {
		t.Errorf("%s: the house has no package %s", path, pkg)
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return nil
	}
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		used = append(used, name)
		std := !strings.Contains(strings.Split(name, "/")[0], ".")
		switch {
		case name == "C" || name == "os/user" || name == "unsafe" && pkg != "tracefs": // tracefs/users needs no cgo
			t.Errorf("%s imports %s", path, name)
		case std && isPure(pkg) && (name == "os" || strings.HasPrefix(name, "os/") || name == "net/http"):
			t.Errorf("%s is pure, but imports %s", path, name)
		case !std && !slices.Contains(allowed, name):
			t.Errorf("%s: %s may not import %s", path, pkg, name)
		}
	}
	return used
}

// Files are opened by their names, so each is to be about one thing.
func TestFileLength(t *testing.T) {
	const most = 400
	root := filepath.Join("..", "..")
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		if n := strings.Count(string(b), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", path, n, most)
		}
		return nil
	})
}

// A package is to be read in one go: the largest has half of what is allowed, and the two that
// had grown into everything keep the size that they were cut to.
func TestPackageSize(t *testing.T) {
	const mostLines, mostFiles = 8000, 45
	limits := map[string]int{"tracefs/guard": 1000, "tracefs/trace": 800}
	root, all := filepath.Join("..", ".."), 0
	for dir := range mayImport {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		lines, most := 0, cmp.Or(limits[dir], mostLines)
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines += strings.Count(string(b), "\n")
		}
		if all += lines; lines > most || len(files) > mostFiles {
			t.Errorf("%s has %d lines in %d files, the limits are %d and %d", dir, lines, len(files), most, mostFiles)
		}
	}
	if all == 0 {
		t.Error("no code was found")
	}
}
