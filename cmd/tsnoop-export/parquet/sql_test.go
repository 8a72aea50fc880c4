package parquet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/parquet"
)

var update = flag.Bool("update", false, "write the golden file again")

// A database is a program that reads the files: a script for node, and the package that it
// needs, which testdata/vm/setup.sh gets.
type database struct{ name, script string }

// modules returns the directory with the packages of node, and skips the test without it. Only
// make test-fleet asks chdb.
func (d database) modules(t *testing.T) string {
	t.Helper()
	if d.name == "chdb" && os.Getenv("TSNOOP_FLEET") == "" {
		t.Skip("run make test-fleet")
	}
	cache := os.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(os.Getenv("HOME"), ".cache")
	}
	dir := filepath.Join(cache, "tsnoop", "npm", d.name, "node_modules")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("there is no %s here: run testdata/vm/setup.sh %s", d.name, d.name)
	}
	return dir
}

// A row is one of a result. 64 bits are text.
type row map[string]any

// ask runs statements one after the other in dir, and returns their rows.
func (d database) ask(t *testing.T, dir string, statements ...string) (results [][]row) {
	t.Helper()
	script, err := filepath.Abs("testdata/" + d.script)
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	for _, s := range statements {
		line, _ := json.Marshal(s)
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command("node", script, d.modules(t))
	cmd.Dir, cmd.Stdin = dir, &in
	var failed strings.Builder
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", d.name, err, failed.String())
	}
	for scan := bufio.NewScanner(bytes.NewReader(out)); scan.Scan(); {
		var rows []row
		if err := json.Unmarshal(scan.Bytes(), &rows); err != nil {
			t.Fatalf("%v: %s", err, scan.Text())
		}
		results = append(results, rows)
	}
	if len(results) != len(statements) {
		t.Fatalf("%d results of %d statements: %s", len(results), len(statements), out)
	}
	return results
}

// write exports lines of JSON to dir/calls.
func write(t *testing.T, dir, lines string) {
	t.Helper()
	out, err := parquet.New(output.To{}, parquet.Options{Out: filepath.Join(dir, "calls")})
	if err != nil {
		t.Fatal(err)
	}
	if err := input.Lines(context.Background(), strings.NewReader(lines), "stdin", out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(nil); err != nil {
		t.Fatal(err)
	}
}

// sample is what two hosts did: reads, each third of which is short, and opens, each fourth of
// which fails.
func sample() string {
	var b strings.Builder
	for h, host := range []string{"web1", "web2"} {
		fmt.Fprintf(&b, `{"origin":{"host":%q,"boot_id":"b%d","kernel":"6.12.1","specs":["vfs_read(count, return)"],"clock":"mono","began":{"wall_ns":1795558606000000000,"ts_ns":1000,"max_error_ns":null}},"v":1}`+"\n", host, h)
		for i := range 40 {
			at, tid := 1000+i*50_000_000, 100+i%3
			ret := 4096
			if i%3 == 0 {
				ret = 100 * i
			}
			fmt.Fprintf(&b, `{"ts_ns":%d,"cpu":%d,"pid":100,"tid":%d,"comm":"sh","func":"vfs_read","args":[{"name":"count","type":"size_t","value":4096}],"ret":{"type":"ssize_t","value":%d},"end_ns":%d,"duration_ns":%d,"stack":["vfs_read","ksys_read"]}`+"\n",
				at, i%2, tid, ret, at+1000*i, 1000*i*(h+1))
			if i%4 != 0 {
				fmt.Fprintf(&b, `{"ts_ns":%d,"cpu":%d,"pid":null,"tid":%d,"comm":"sh","func":"__x64_sys_openat","args":[{"name":"filename","type":"const char *","value":"/etc/%d"}],"ret":{"type":"long","value":3},"end_ns":%d,"duration_ns":77}`+"\n", at-500, i%2, tid, i, at)
			} else if i%8 != 0 {
				fmt.Fprintf(&b, `{"ts_ns":%d,"cpu":%d,"pid":100,"tid":%d,"comm":"ls","func":"__x64_sys_openat","args":[{"name":"filename","type":"const char *","value":"/none"}],"ret":{"type":"long","value":-2,"errno":"ENOENT"},"end_ns":%d,"duration_ns":78}`+"\n", at-600, i%2, tid, at)
			} else {
				fmt.Fprintf(&b, `{"ts_ns":%d,"cpu":%d,"pid":100,"tid":%d,"comm":"ls","func":"__x64_sys_openat","args":[{"name":"filename","type":"const char *","value":null}],"errors":[{"name":"filename","fault":"not in memory"}],"unfinished":true}`+"\n", at-600, i%2, tid)
			}
		}
		fmt.Fprintf(&b, `{"ts_ns":3000000000,"cpu":1,"lost":%d}`+"\n"+`{"func":"vfs_read","missed_calls":4}`+"\n", 7*h)
	}
	return b.String()
}

// The ten questions of README.md, as they are there, have the right answers in DuckDB.
func TestQuestions(t *testing.T) {
	duckdb := database{"duckdb", "duckdb.js"}
	duckdb.modules(t)
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sql\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("README.md has no block of SQL")
	}
	statements := strings.Split(strings.TrimSuffix(strings.TrimSpace(string(block[1])), ";"), ";\n")
	if len(statements) != 11 {
		t.Fatalf("%d statements, want a view and ten questions", len(statements))
	}
	dir := t.TempDir()
	write(t, dir, sample())
	var got strings.Builder
	for i, rows := range duckdb.ask(t, dir, statements...) {
		if i == 0 {
			continue
		}
		question, _, _ := strings.Cut(strings.TrimSpace(statements[i]), "\n")
		fmt.Fprintln(&got, question)
		if len(rows) == 0 {
			t.Errorf("%s: no rows", question)
		}
		for _, r := range rows {
			line, _ := json.Marshal(r)
			fmt.Fprintf(&got, "%s\n", line)
		}
	}
	const golden = "testdata/questions.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Error(diff)
	}
}
