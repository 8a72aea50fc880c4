package btf

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTypeNamesUndecoded: names and layouts from undecoded BTF, also of a module, are those of
// the decoded types, and nothing but what is described is decoded.
func TestTypeNamesUndecoded(t *testing.T) {
	for _, files := range [][]string{{linuxFile}, {sampleTypes, moduleTypes}} {
		for _, glob := range []string{"struct *", "union *", "enum *", "struct mod_*", "*_t", "*", "nosuch*"} {
			cut := undecoded(t, files...)
			want, err := Open(files...).TypeNames(glob)
			if err != nil {
				t.Fatal(err)
			}
			got, err := cut.TypeNames(glob)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v: TypeNames(%q), -want +got (%v):\n%s", files, glob, err, diff)
			}
			if len(cut.modules) > 0 || cut.base.spec != nil {
				t.Errorf("%v: TypeNames(%q) decoded BTF", files, glob)
			}
		}
	}
	for _, glob := range []string{"struct ?*", "enum ?*", "union ?*", "sk_buf*"} {
		var got, want strings.Builder
		cut := undecoded(t, linuxFile)
		failed, err := Open(linuxFile).Describe(&want, glob, false), cut.Describe(&got, glob, false)
		if diff := cmp.Diff(want.String(), got.String()); failed != nil || err != nil || diff != "" {
			t.Errorf("Describe(%q), %v, %v, -want +got:\n%s", glob, failed, err, diff)
		}
		if cut.base.spec != nil {
			t.Errorf("Describe(%q) decoded all types", glob)
		}
	}
}

// TestManyTypes: to describe most types of a kernel, they are decoded together.
func TestManyTypes(t *testing.T) {
	cut := undecoded(t, linuxFile)
	if cut.expect(manyTypes); cut.base.spec != nil {
		t.Errorf("%d types: all were decoded", manyTypes)
	}
	if cut.expect(manyTypes + 1); cut.base.spec == nil {
		t.Errorf("%d types: none was decoded", manyTypes+1)
	}
}
