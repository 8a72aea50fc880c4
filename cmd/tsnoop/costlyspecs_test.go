package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/testdata/badinput"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// list returns prefix, as many of unit as there is room for in a spec, separated by sep,
// and suffix. %d in unit is its number.
func list(prefix, unit, sep, suffix string) string {
	b := []byte(prefix)
	for i := 0; ; i++ {
		next := unit
		if strings.Contains(unit, "%d") {
			next = strings.ReplaceAll(unit, "%d", fmt.Sprint(i))
		}
		if i > 0 {
			next = sep + next
		}
		if len(b)+len(next)+len(suffix) > spec.MaxText {
			return string(append(b, suffix...))
		}
		b = append(b, next...)
	}
}

// namesOfNames returns 400 items that name each other.
func namesOfNames(item string) string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, ","+item, i+1, i)
	}
	return b.String()
}

// lines returns n lines. %d in line is its number.
func lines(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "%d", fmt.Sprint(i)) + "\n")
	}
	return b.String()
}

// costlySpecs are files that are small and have much of one thing. Some took gigabytes, or
// minutes.
var costlySpecs = []struct {
	name, text string
	want       string // the place and the message; "" if the file is just small enough
}{
	{"members", list("dput(dentry", "->d_parent", "", ")"), "1:512: more than 50 members and elements in a row"},
	{"steps", list("dput(x8 a", "[0]", "", ")"), "1:160: more than 50 steps in a row"},
	{"items", list("dput(", "dentry", ",", ")"), "1:3506: more than 500 items in a row"},
	{"names of names", "dput(a0=dentry" + namesOfNames("a%[1]d=a%[2]d->d_parent") + ")", "1:199: the chain is too long"},
	{"only names", "dput(a0=dentry" + namesOfNames("a%[1]d=a%[2]d") + ")", ": more than 100 steps lead to this value"},
	{"unknown items", "dput(" + list("", "dentry->zz%d", ",", "")[:6000] + ")", `1:14: struct dentry has no member "zz0"`},
	{"alternatives", list("", "*(x)", "|", "|dput(dentry)"), "1:255: more than 50 alternatives in a row"},
	{"alternatives that fail", lines(1000, "zz%d|dput()"), "501:7: the specs up to this one have 501 alternatives, and at most 500 are possible"},
	{"paths", list("dput(", "dentry:path", ",", ")")[:5000] + "path)", "the spec has 416 paths, and at most 20 are possible"},
	{"regular text", list("dput() if dentry->d_name.name ~ \"", "*[x", "", "\""), ""},
	{"conditions", list("dput() if ", "dentry->d_parent != %d", " || ", ""), ""},
	{"a long spec", "dput(" + strings.Repeat(" ", spec.MaxText) + ")", "1:1: this spec is longer than 16384 bytes"},
	{"globs for everything", lines(1000, "*"), "1:1: the globs up to * stand for"},
	{"globs for nothing", lines(1000, "zz%d*"), "1:1: no function of this kernel matches zz0*"},
	{"globs", lines(1000, "[a-z%d]put"), "201:1: the specs up to this one have 201 globs, and at most 200 are possible"},
	{"long globs", strings.Repeat("*"+strings.Repeat("[a-z]*", 330)+"\n", 60), "1:1: no function of this kernel matches"},
	{"unknown functions", lines(1000, "zz%d"), "1:1: there is no function zz0 in this kernel"},
	{"unknown types", lines(1000, "dput((struct zz%d *)dentry)"), "1:7: there is no struct zz0 in this kernel"},
	{"one function", lines(1000, "ip_rcv(skb->len, return)"), ""},
	{"much", strings.Repeat(list("dput(", "dentry", " ,", ")")[:4000]+")\n", 40), "33:1: the specs up to this one have more than 131072 bytes"},
}

// TestCostlySpecs: no specs take more than their size justifies. If a bound is the reason,
// the error says where, what there is, the bound, and what helps.
func TestCostlySpecs(t *testing.T) {
	types := filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")
	info, err := os.Stat(types)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range costlySpecs {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "specs")
			if err := os.WriteFile(name, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, way := range []string{"--emit", "--explain"} {
				said := checkCost(t, len(tt.text)+int(info.Size()), way, "--kernel=6.12", "--btf", types, "-F", name)
				if bad := strings.Contains(said, name); bad != (tt.want != "") || !strings.Contains(said, tt.want) {
					t.Errorf("got %.300s\nwant %s", said, tt.want)
				}
			}
			badinput.Check(t, len(tt.text)+int(info.Size()), func() { resolveLive(t, types, tt.text) })
		})
	}
}

// resolveLive makes plans of specs, one a line, for a trace.
func resolveLive(t *testing.T, types, specs string) {
	t.Helper()
	target := &target.Target{Arch: abi.Named("amd64"), Live: true, Calls: true, Pair: true, Kernel: btf.Open(types)}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	before := badinput.Allocated()
	plans, err := host.Resolve(strings.Split(strings.TrimSpace(specs), "\n"), target, nil)
	t.Logf("live: %d plans, %d KiB allocated: %.100v", len(plans), (badinput.Allocated()-before)>>10, err)
}

// costlyGlobs are specs that make plans for each of many functions, and what is reported about
// them; "" if that is just small enough.
var costlyGlobs = []struct{ name, spec, want string }{
	{"hits", "*()", ""},
	{"values", "*(" + inRow(100, "a%d=$arg1", ",") + ")", "values and conditions, and at most 600000 are possible"},
	{"values that are too many", "*(" + inRow(500, "a%d=$arg1", ",") + ")", "values and conditions, and at most 600000 are possible"},
	{"conditions", "*() if " + inRow(300, "$arg1 != %d", " && "), "values and conditions, and at most 600000 are possible"},
}

// inRow returns n of unit, separated by sep. %d in unit is its number.
func inRow(n int, unit, sep string) string {
	return strings.ReplaceAll(strings.TrimSuffix(lines(n, unit), "\n"), "\n", sep)
}

// TestCostlyGlobs: a glob for all functions of a kernel is bounded by what it asks of each.
func TestCostlyGlobs(t *testing.T) {
	f := newTypesFile()
	costlyTypes["functions"](f)
	types := filepath.Join(t.TempDir(), "many.btf")
	if err := os.WriteFile(types, f.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	const most = 512 << 20 // of memory, whatever the functions are
	for _, tt := range costlyGlobs {
		for _, way := range []string{"--emit", "--explain"} {
			said := checkCost(t, most/4, way, "-o", "/dev/null", "--kernel=6.12", "--btf", types, tt.spec)
			if refused := strings.Contains(said, "tsnoop: "); refused != (tt.want != "") || !strings.Contains(said, tt.want) {
				t.Errorf("%s: got %.300s\nwant %s", tt.name, said, tt.want)
			}
		}
	}
}

// TestCostlyGlobsOfFiles: in a file a glob may not ask for more than the file may take.
func TestCostlyGlobsOfFiles(t *testing.T) {
	f := newTypesFile()
	costlyTypes["functions"](f)
	b := f.bytes()
	types, specs := filepath.Join(t.TempDir(), "many.btf"), filepath.Join(t.TempDir(), "specs")
	if err := os.WriteFile(types, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"*()":    "* stands for 60000 functions, 5000 are possible in a file",
		"f1*()":  "f1* stands for 11111 functions, 5000 are possible in a file",
		"f12*()": "",
		"f12*(" + inRow(30, "a%d=$arg1", ",") + ")": "values and conditions, and at most 30000 are possible",
	} {
		if err := os.WriteFile(specs, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		said := checkCost(t, len(b)+len(text), "--emit", "-o", "/dev/null", "--kernel=6.12", "--btf", types, "-F", specs)
		if refused := strings.Contains(said, "tsnoop: "); refused != (want != "") || !strings.Contains(said, want) {
			t.Errorf("%s: got %.400s\nwant %s", text, said, want)
		}
	}
}
