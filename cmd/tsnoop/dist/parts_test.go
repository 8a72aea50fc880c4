package dist_test

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// listsParts checks that the licences and the SBOM beside a program are those of all that
// is linked into it, and of nothing else.
func listsParts(t *testing.T, program, notice, sbom string) {
	t.Helper()
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}
	licences := []string{"std " + info.GoVersion + ", LICENSE (BSD-3-Clause)"}
	for _, m := range info.Deps {
		want = append(want, "pkg:golang/"+m.Path+"@"+m.Version)
		licences = append(licences, m.Path+" "+m.Version+", LICENSE (")
	}
	if len(want) < 5 {
		t.Errorf("the program lists %q only", want)
	}

	text, err := os.ReadFile(notice)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range licences {
		if !strings.Contains(string(text), "\n"+l) {
			t.Errorf("%s has no %q", notice, l)
		}
	}

	binary, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sbom)
	if err != nil {
		t.Fatal(err)
	}
	type component struct {
		PURL     string
		Licenses []struct{ Expression string }
		Hashes   []struct{ Alg, Content string }
	}
	var bom struct {
		BOMFormat, SpecVersion string
		Metadata               struct{ Component component }
		Components             []component
	}
	if err := json.Unmarshal(b, &bom); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range bom.Components {
		got = append(got, c.PURL)
		if len(c.Licenses) != 1 || c.Licenses[0].Expression == "" {
			t.Errorf("%s has licences %v", c.PURL, c.Licenses)
		}
	}
	main := bom.Metadata.Component
	if !slices.Equal(got, want) || bom.BOMFormat != "CycloneDX" || main.PURL != "pkg:golang/"+info.Main.Path+"@v1.2.3" {
		t.Errorf("%s of %s has %q, want %q", bom.BOMFormat, main.PURL, got, want)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(binary)); len(main.Hashes) != 1 || main.Hashes[0].Content != sum {
		t.Errorf("hashes %v, want %s", main.Hashes, sum)
	}
}
