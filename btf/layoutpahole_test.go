package btf_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
)

// The two write members differently: "u8 kind:3; /* 44: 1 1 */" of pahole is "u8
// kind:3; /* 44:1, bits: 3 */" here, "} u; /* 8 4 */" is "}; /* 8, size: 4 */".
var (
	paholeLine = regexp.MustCompile(`^\t+(.*?); +/\* +(\d+)(?:: *(\d+))? +(\d+) \*/$`)
	layoutLine = regexp.MustCompile(`^\t+(.*); +/\* (\d+)(?::(\d+))?(?:, (?:size|bits): (\d+))? \*/$`)
	attribute  = regexp.MustCompile(` +__attribute__\(\(.*\)\)`)
	memberName = regexp.MustCompile(`\(\*+(?:const )?(\w*)(?:\[\d*\])*\)\(|(\w+)?(?:\[\d*\])*(?::(\d+))?$`)
)

// placed spells where the member of a line is: "kind 353 bits:3", "len 192 size:4".
func placed(t *testing.T, line []string) string {
	decl, size := attribute.ReplaceAllString(line[1], ""), line[4]
	if strings.HasPrefix(decl, "} ") {
		decl = "struct " + decl[2:] // a member like others, its type was written before
	}
	m := memberName.FindStringSubmatch(decl)
	if m == nil {
		t.Fatalf("no name in %q", decl)
	}
	name := m[1] + m[2]
	at, _ := strconv.Atoi(line[2])
	at *= 8
	if m[3] != "" {
		bit, _ := strconv.Atoi(line[3])
		return fmt.Sprintf("%s %d bits:%s", name, at+bit, m[3])
	}
	return fmt.Sprintf("%s %d size:%s", name, at, size)
}

// TestLayoutLikePahole compares every offset and size of large structs of a real
// kernel, those of inner structs and unions too, with what pahole says.
func TestLayoutLikePahole(t *testing.T) {
	k := btf.Open("../testdata/btf/linux-6.12-amd64.btf")
	text, err := os.ReadFile("../testdata/btf/linux-6.12-amd64.pahole")
	if err != nil {
		t.Fatal(err)
	}
	structs, members, inner := 0, 0, 0
	for _, one := range regexp.MustCompile(`(?ms)^struct \w+ \{$.*?^\}[^\n]*;$`).FindAllString(string(text), -1) {
		name, _, _ := strings.Cut(one, " {")
		var want, got []string
		for _, line := range strings.Split(one, "\n") {
			if m := paholeLine.FindStringSubmatch(line); m != nil {
				want = append(want, placed(t, m))
			}
			if strings.HasPrefix(line, "\t\t") {
				inner++
			}
		}
		var layout strings.Builder
		if err := k.Layout(&layout, mustType(t, k, name)); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(layout.String(), "\n") {
			if m := layoutLine.FindStringSubmatch(line); m != nil {
				got = append(got, placed(t, m))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, -pahole +layout:\n%s", name, diff)
		}
		structs, members = structs+1, members+len(want)
	}
	if structs < 10 || members < 1000 || inner < 100 {
		t.Errorf("only %d structs with %d members, %d of inner ones", structs, members, inner)
	}
	t.Logf("%d structs with %d members, %d lines in inner ones", structs, members, inner)
}
