package specfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/specfile"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// files are what open opens.
type files map[string]string

func (f files) open(name string) ([]byte, error) {
	text, ok := f[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func Example() {
	dir := files{"opens.tsnoop": "# who opens what\ndo_sys_openat2(filename,  # its name\n   return)\n"}
	set, err := specfile.Read([]string{"opens.tsnoop"}, dir.open)
	if err != nil {
		panic(err)
	}
	s := set.Specs[0]
	fmt.Println(s.Text)
	fmt.Println(s.Place(strings.Index(s.Text, "return")))
	// Output:
	// do_sys_openat2(filename, return)
	// opens.tsnoop:3:4
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", spec.MaxText)
	many := strings.Repeat("f\n", specfile.MaxSpecs)
	tests := []struct {
		name  string
		text  string
		specs string // separated by |
		wrong string // the same, as they print themselves
	}{
		{"empty", "", "", ""},
		{"blank lines", "\n \t\n\r\n", "", ""},
		{"no end", "f", "f", ""},
		{"mark", "\xef\xbb\xbff\r\ng\r\n", "f|g", ""},
		{"strings with #", `f(a ~ "#", '#') # "` + "\n" + `g(a == "\"#") if b == '\'' # c`, `f(a ~ "#", '#')|g(a == "\"#") if b == '\''`, ""},
		{"string without end", "f(a ~ \"# b\nc", `f(a ~ "# b|c`, ""},
		{"going on after a comment", "f(a,\n# c\n\n  b)\n\tif c\ng", "f(a, b) if c|g", ""},
		{"nothing to go on with", " f\ng", "g", "a:1:2: a line that begins with a space continues the spec above it, and there is none"},
		{"nor after an include", "f\ninclude b\n (x)", "f|b", "a:3:2: a line that begins with a space continues the spec above it, and there is none"},
		{"a function named include", "include\ninclude()\nincluded(x)", "include|include()|included(x)", ""},
		{"include", "include  \"b\" # c\nf\ninclude dir/d\ninclude ./b", "b|f|d", ""},
		{"no such file", "include dir/none", "", "a:1:9: cannot include it: file does not exist"},
		{"itself", "include dir/up", "", "dir/up:1:9: cannot include it: it includes itself: a -> dir/up -> a"},
		{"deep", "include deep/0", "", "deep/18:1:9: cannot include it: files that include others go deeper than 20: does one include itself by another name?"},
		{"quote", `include "b`, "", "a:1:9: an include is a file's name, in quotes if it begins or ends with a space or contains #"},
		{"no text", "f\ng\x00", "", "a:2:2: byte 0x00: this is not text"},
		{"UTF-16", "\xff\xfef\x00", "", "a:1:1: this is UTF-16"},
		{"too long", long + "\ng", long + "|g", ""},
		{"by a byte", "f\n" + long + "x\n (x)\n (y)\ng", "f|g", "a:2:1: this spec is longer than 16384 bytes"},
		{"by its second line", long + "\n x\n y\ng", "g", "a:1:1: this spec is longer than 16384 bytes"},
		{"many", many, strings.Repeat("f|", specfile.MaxSpecs-1) + "f", ""},
		{"too many", many + long + long + "\ng\ninclude b\n", strings.Repeat("f|", specfile.MaxSpecs-1) + "f", "a:1001:1: there are more than 1000 specs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := files{"a": tt.text, "b": "b", "dir/d": "d", "dir/up": "include ../a"}
			for i := range 30 {
				dir[fmt.Sprintf("deep/%d", i)] = fmt.Sprintf("include %d", i+1)
			}
			set, err := specfile.Read([]string{"a"}, dir.open)
			if got := strings.Join(set.Texts(), "|"); got != tt.specs {
				t.Errorf("specs:\n%.300s\nwant:\n%.300s", got, tt.specs)
			}
			var got []string
			var wrong spec.Errors
			if errors.As(err, &wrong) {
				for _, e := range wrong {
					got = append(got, e.Error())
				}
			} else if err != nil {
				t.Error(err)
			}
			if got := strings.Join(got, "|"); got != tt.wrong {
				t.Errorf("wrong:\n%s\nwant:\n%s", got, tt.wrong)
			}
		})
	}
}

// TestLocate: of the same spec twice the second error is about the second one.
func TestLocate(t *testing.T) {
	set, err := specfile.Read([]string{"a"}, files{"a": "f(x)\nf(x)\n"}.open)
	if err != nil {
		t.Fatal(err)
	}
	wrong := spec.Errors{{Text: "f(x)", Span: spec.Span{Pos: 2, End: 3}}, {Text: "f(x)", Span: spec.Span{Pos: 2, End: 3}}, {Text: "g"}}
	set.Locate(fmt.Errorf("wrapped: %w", wrong))
	for i, want := range []string{"a:1:3", "a:2:3", ""} {
		if wrong[i].Where != want {
			t.Errorf("error %d is at %q, want %q", i, wrong[i].Where, want)
		}
	}
}

// FuzzRead: whatever a file has, each byte of a spec is where its place says, and each
// error has a place.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"f(a, # c\n  b) if x == \"#\"\r\n\ninclude b\n g\n", "\xef\xbb\xbff\n\t'\\''#\n#\ninclude \"a\"\n",
		" f\ng\x00", "include \"b\" # c\nf(a ~ \"# b\nc", "include none\ninclude \"b\ninclude()", "\xff\xfef\x00",
	} {
		f.Add([]byte(text))
	}
	badinput.Fuzz(f, func(t *testing.T, text []byte) {
		dir := files{"a": string(text), "b": "b"}
		lines := make(map[string][]string)
		for name, text := range dir {
			lines[name] = strings.Split(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\n")
		}
		set, err := specfile.Read([]string{"a"}, dir.open)
		for _, s := range set.Specs {
			for i := range len(s.Text) {
				p := s.Place(i)
				line := lines[p.File][p.Line-1]
				if at := p.Column - 1; s.Text[i] != ' ' && (at >= len(line) || line[at] != s.Text[i]) {
					t.Fatalf("byte %d of %q is not at %v", i, s.Text, p)
				}
			}
			if strings.ContainsAny(s.Text, "\n\x00") {
				t.Fatalf("%q has more than one line", s.Text)
			}
		}
		var wrong spec.Errors
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%T %v, want spec.Errors", err, err)
		}
		for _, e := range wrong {
			var line, column int
			if _, err := fmt.Sscanf(e.Where, "a:%d:%d", &line, &column); err != nil || line < 1 || line > len(lines["a"]) || column < 1 || column > len(lines["a"][line-1])+1 {
				t.Errorf("%q: %q is at %q, outside the text", text, e.Msg, e.Where)
			}
		}
	})
}

// TestCostlyFile: a file of 1 MiB costs no more than it weighs, whatever its lines are.
func TestCostlyFile(t *testing.T) {
	const size = 1 << 20
	for _, line := range []string{"\n a", " a\n", "f\n", "include a%d\n", "f(\n b\n", "\"\n", "include \"\n"} {
		var b strings.Builder
		for i := 0; b.Len() < size-100; i++ {
			if strings.Contains(line, "%d") {
				fmt.Fprintf(&b, line, i)
			} else {
				b.WriteString(line)
			}
		}
		text := b.String()
		if line == "\n a" {
			text = "f" + text
		}
		badinput.Check(t, len(text), func() {
			set, err := specfile.Read([]string{"a"}, files{"a": text}.open)
			var wrong spec.Errors
			if errors.As(err, &wrong) && len(wrong) > specfile.MaxErrors || len(set.Specs) > specfile.MaxSpecs || len(set.Files) > specfile.MaxFiles {
				t.Errorf("%q: %d errors, %d specs, %d files", line, len(wrong), len(set.Specs), len(set.Files))
			}
		})
	}
}
