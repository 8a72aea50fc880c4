//go:build vm

package suite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// TestVMGlob compares what globs match with what a regular expression says: in
// conditions that the kernel alone decides (on $comm), in those that user space
// decides after it, and of --comm. Each of many tasks' names meets each of many
// random globs.
func TestVMGlob(t *testing.T) {
	random := rand.New(rand.NewPCG(1, uint64(os.Getpid())))
	names := []string{"^", "!", "a", "]", "-", `\`, "^a", "!a", "1a", "[a]", "[^a]", "a*b", "abc", "a b", "aa", "ba", "-]a", "z9"}
	for len(names) < 35 {
		names = append(names, randomText(random, "ab^!]-[1*\\ ", 4))
	}
	globs := []string{"[^a]", "[!a]", "[^a]*", "*[^a]", "a[^b]*", "[^]a]*", "[]a]*", "[!^a]", "[^!a]", "[a^!]*", "1*", "!*", "!", `\*`, `a\*b`,
		"*a", "*a*", "a*", "*", "[a", "[^", "[^]", "[]", "[!", `[\]]`, "[a-]", "[^-a]*", "*a*b*", "?", "??", "[1-9]*", `\`, `a\`, `\1*`, "[^a-c]?"}
	for len(globs) < 42 {
		if g := randomText(random, "ab^!]-[[]*?\\1", 6); filter.CheckComm(g) == nil {
			globs = append(globs, g)
		}
	}
	t.Run("condition", func(t *testing.T) { globConditions(t, globs, names) })
	t.Run("comm", func(t *testing.T) {
		for _, g := range []string{"*[^a]"} {
			globComm(t, g, names)
		}
	})
}

func randomText(r *rand.Rand, letters string, most int) string {
	b := make([]byte, 1+r.IntN(most))
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// globConditions traces one function once for each glob and its opposite.
func globConditions(t *testing.T, globs, names []string) {
	var specs []string
	for i, g := range globs {
		lit := spec.Literal{Kind: spec.Quoted, Text: g}
		specs = append(specs, fmt.Sprintf(`generic_file_llseek(g%d=offset) if $comm ~ %s`, i, &lit))
		switch i % 3 {
		case 0:
			specs = append(specs, fmt.Sprintf(`generic_file_llseek(n%d=offset) if !($comm ~ %s)`, i, &lit))
		case 1: // the pointer lets user space look again
			specs = append(specs, fmt.Sprintf(`generic_file_llseek(u%d=offset) if $comm ~ %s && file->f_op`, i, &lit))
		}
	}
	out := traceNames(t, names, specs...)
	for i, g := range globs {
		re := globExpression(g)
		for j, name := range names {
			want := re.MatchString(name)
			for k, prefix := range []string{"n", "u", "g"} {
				if prefix != "g" && k != i%3 {
					continue
				}
				want := want != (prefix == "n")
				if got := out[fmt.Sprintf("%s%d=%d", prefix, i, j)]; got != want {
					t.Errorf("%s: %q ~ %q: %t, want %t", prefix, name, g, got, want)
				}
			}
		}
	}
	t.Logf("%d globs and %d names", len(globs), len(names))
}

func globComm(t *testing.T, glob string, names []string) {
	out := traceNames(t, names, "--comm", glob, "generic_file_llseek(g=offset)")
	re := globExpression(glob)
	for j, name := range names {
		if got, want := out[fmt.Sprintf("g=%d", j)], re.MatchString(name); got != want {
			t.Errorf("--comm %q with %q: %t, want %t", glob, name, got, want)
		}
	}
}

// traceNames lets a task seek to i under the i-th name, and returns which values
// tsnoop has shown: "g0=17".
func traceNames(t *testing.T, names []string, args ...string) map[string]bool {
	file := filepath.Join(t.TempDir(), "out")
	load := []string{"--", "load", "names"}
	for _, name := range names {
		load = append(load, strings.ReplaceAll(name, `\`, `\\`))
	}
	cmd := exec.Command("tsnoop", slices.Concat([]string{"-t", "none", "-o", file}, args, load)...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	lines, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile(`generic_file_llseek\((\w+=\d+)`).FindAllSubmatch(lines, -1) {
		shown[string(m[1])] = true
	}
	return shown
}

// globExpression is the regular expression of a glob.
func globExpression(glob string) *regexp.Regexp {
	re := ""
	for glob != "" {
		class := globClass(glob)
		n := 1
		switch {
		case glob[0] == '*':
			re += ".*"
		case glob[0] == '?':
			re += "."
		case class != "":
			n = len(class)
			body, not := class[1:n-1], ""
			if body[0] == '^' || body[0] == '!' {
				body, not = body[1:], "^"
			}
			re += "[" + not + classBody(body) + "]"
		case glob[0] == '\\' && len(glob) > 1:
			n = 2
			re += regexp.QuoteMeta(glob[1:2])
		default:
			re += regexp.QuoteMeta(glob[:1])
		}
		glob = glob[n:]
	}
	return regexp.MustCompile("^(?s:" + re + ")$")
}

// globClass is the class that a glob begins with, if it does.
func globClass(glob string) string {
	first := 1
	if len(glob) > 1 && (glob[1] == '^' || glob[1] == '!') {
		first = 2
	}
	if glob[0] != '[' || len(glob) <= first {
		return ""
	}
	end := strings.IndexByte(glob[first+1:], ']') // the first may be one itself
	if end < 0 {
		return ""
	}
	return glob[:first+1+end+1]
}

// classBody writes what is in a class, letter by letter.
func classBody(body string) string {
	re := ""
	for i := 0; i < len(body); i++ {
		low, high := body[i], body[i]
		if i+2 < len(body) && body[i+1] == '-' {
			high = body[i+2]
			i += 2
		}
		re += fmt.Sprintf(`\x%02x-\x%02x`, low, high)
	}
	return re
}
