package fetchargs_test

import (
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestHints does what the hints of all golden errors say: a spec that follows one
// must not be wrong in the same way, nor in a new one.
func TestHints(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	syntax, _ := filepath.Glob("spec/testdata/*.txtar")
	files = append(files, syntax...)
	followed := 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h := hints{t, newGolden(t, section(archive, "target")).target}
		for _, text := range strings.Split(strings.TrimRight(section(archive, "specs"), "\n"), "\n") {
			errs, syntax := h.wrong(text)
			for _, e := range errs {
				followed += h.follow(e, errs, syntax)
			}
		}
	}
	t.Logf("%d hints followed", followed)
	if followed < 500 {
		t.Errorf("only %d hints of the golden files say what to write", followed)
	}
}

type hints struct {
	t      *testing.T
	target *target.Target
}

// wrong is what is wrong with a spec, and whether its syntax is.
func (h hints) wrong(text string) (errs spec.Errors, syntax bool) {
	parsed, err := spec.Parse(text)
	if errors.As(err, &errs) {
		return errs, true
	}
	_, err = fetchargs.Resolve([]*spec.Spec{parsed}, h.target)
	errors.As(err, &errs)
	return errs, false
}

// lists are hints that offer several names, any of which can replace the error, or follow
// it.
var lists = []struct{ lead, join, sep string }{
	{"did you mean ", "", ", "}, {"choose a parameter: ", "", ", "}, {"choose a field: ", "", ", "}, {"choose a member: ", "", ", "},
	{"choose a FORMAT: ", "", " "}, {"use one of %", "", " "}, {"name a member: ", ".", ", "},
}

// choices are hints that offer several pieces of specs, any of which can replace the
// error.
var choices = []*regexp.Regexp{
	regexp.MustCompile(`^cast it, (.+), or give a FORMAT, (.+), or for text (.+)$`),
	regexp.MustCompile(`^cast its address: (.+)->\.\.\., or if it is a pointer: (.+)->\.\.\.$`),
	regexp.MustCompile(`^cast its address: (.+)$`),
	regexp.MustCompile(`^give a value from (.+) to (.+)$`),
	regexp.MustCompile(`^write (\$stack0), the top, to (\$stack\d+)$`),
	regexp.MustCompile(`^use (\$arg1) to (\$arg\d+), or \$stackN`),
}

// leaveOut is a hint about the FORMAT after the value that the error is at, or before it.
var leaveOut = regexp.MustCompile(`^leave out the format ([^,]+), which `)

// prose are hints that show the form of something, not what to write.
var prose = regexp.MustCompile(`\b(FUNC|VALUE|VARIABLE|EXPR|KEY|CONDITION|NAME|MODULE|FILE|LIST)\b|` +
	`^(add the missing |begin with a function|choose from its prototype: |fetch less deep: |give the number of elements|leave it out: |` +
	`load it first: |name a function|name the register |remove this |put the value on the right: |separate alternative members |` +
	`trace what its callers call |use (the escapes|==|\$comm)|write (a glob|a number|a MAC|an IPv6|an address of|an entry|one index|@))`)

// maxim begins a hint that is not an imperative.
var maxim = regexp.MustCompile(`^(it|its|there|the|they|this|that|these|a|an) `)

var command = regexp.MustCompile(`tsnoop (info|list) '([^']*)'`)

// follow tries what e's hint says, and returns how many things that was.
func (h hints) follow(e *spec.Error, all spec.Errors, syntax bool) int {
	hint := e.Hint
	if maxim.MatchString(hint) {
		h.t.Errorf("%s: the hint %q does not begin with what to do", e.Text, hint)
	}
	for _, m := range command.FindAllStringSubmatch(hint, -1) {
		h.try(m[1], m[2])
	}
	if e.Fix.Text != "" {
		if !strings.HasSuffix(hint, e.Fix.Text) {
			h.t.Errorf("%s: the hint %q does not show %q", e.Text, hint, e.Fix.Text)
		}
		h.mended(e, e.Text[:e.Fix.Pos]+withType(e.Fix.Text)+e.Text[e.Fix.End:], all, syntax)
		return 1
	}
	if m := leaveOut.FindStringSubmatch(hint); m != nil {
		value := strings.TrimPrefix(e.Text[e.Pos:e.End], m[1]+" ")
		h.same(e, e.Text[:e.Pos]+value+strings.TrimPrefix(e.Text[e.End:], ":"+m[1]))
		return 1
	}
	n := 0
	for _, choice := range choices {
		if m := choice.FindStringSubmatch(hint); m != nil {
			for _, text := range m[1:] {
				h.same(e, e.Text[:e.Pos]+withType(text)+e.Text[e.End:])
			}
			return len(m) - 1
		}
	}
	for _, list := range lists {
		_, names, ok := strings.Cut(hint, list.lead)
		if !ok {
			continue
		}
		names, _, _ = strings.Cut(names, "?")
		names, _, _ = strings.Cut(names, " and ")
		for _, name := range strings.Split(strings.TrimSuffix(names, ", ..."), list.sep) {
			place := ""
			if list.join != "" {
				place = e.Text[e.Pos:e.End] + list.join
			}
			h.same(e, e.Text[:e.Pos]+place+name+e.Text[e.End:])
			n++
		}
	}
	if n == 0 && !prose.MatchString(hint) && regexp.MustCompile(`->|[(\[*]|==|\w:\w`).MatchString(command.ReplaceAllString(hint, "")) {
		h.t.Errorf("%s: the hint %q shows what to write, but not where", e.Text, hint)
	}
	return n
}

// withType fills in the type that the user has to know.
func withType(text string) string {
	return strings.NewReplacer("struct TYPE", "struct dev", "TYPE", "struct dev").Replace(text)
}

// mended checks that a spec has no errors but the others that it had before.
func (h hints) mended(e *spec.Error, text string, all spec.Errors, syntax bool) {
	after, still := h.wrong(text)
	if syntax && !still {
		return
	}
	for _, a := range after {
		known := slices.ContainsFunc(all, func(b *spec.Error) bool { return b != e && b.Msg == a.Msg })
		if syntax && a.Pos >= e.Fix.Pos+len(e.Fix.Text) {
			known = true // it was hidden by the other
		}
		if strings.Contains(e.Fix.Text, "TYPE") && a.Msg != e.Msg {
			known = true // whether that type has such a member is the user's affair
		}
		if !known {
			h.t.Errorf("%s\nhint: %s\n%s\n%s", e.Text, e.Hint, text, a.Msg)
		}
	}
}

// same checks that a spec is not wrong as before.
func (h hints) same(e *spec.Error, text string) {
	after, _ := h.wrong(text)
	for _, a := range after {
		if a.Msg == e.Msg && a.Span == e.Span {
			h.t.Errorf("%s\nhint: %s\n%s\n%s", e.Text, e.Hint, text, a.Msg)
		}
	}
}

// try looks for what a command in a hint is to show.
func (h hints) try(command, name string) {
	switch command {
	case "info":
		if _, err := h.target.Kernel.Type(name); err != nil {
			h.t.Errorf("tsnoop info '%s': %v", name, err)
		}
	case "list":
		if _, err := btf.Glob(name); err != nil {
			h.t.Errorf("tsnoop list '%s': %v", name, err)
		}
	}
}

// The language has words for the formats that there are, in their order.
func TestFormatWords(t *testing.T) {
	_, err := spec.Parse("f(a:)")
	var wrong spec.Errors
	if want := spec.FormatsHint(value.FormatNames()); !errors.As(err, &wrong) || wrong[0].Hint != want {
		t.Errorf("got %+v, want the hint %q", err, want)
	}
}
