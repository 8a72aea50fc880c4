package fetchargs_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/fetchargs"
)

// TestSavedVersion1 loads what programs have saved that knew only version 1. The
// file is theirs, and so are the words that the plans must become.
func TestSavedVersion1(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/saved/version1.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".json")
		if !ok {
			continue
		}
		plans, err := fetchargs.Load(f.Data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(section(archive, name+".want"), words(plans)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// words are all that is told of plans.
func words(plans []*fetchargs.Plan) string {
	var b bytes.Buffer
	fetchargs.EmitTracefs(&b, plans, "tsnoop", fetchargs.Scope{})
	for _, p := range plans {
		p.Explain(&b)
	}
	return b.String()
}

// savedVersion1 are plans as they were saved then.
func savedVersion1(t testing.TB) (files [][]byte) {
	archive, err := txtar.ParseFile("testdata/saved/version1.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".json") {
			files = append(files, f.Data)
		}
	}
	return files
}
