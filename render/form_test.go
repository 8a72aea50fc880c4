package render

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// formatNames are the FORMATs that values can be shown in.
func formatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// TestFormatsAgree holds this package's FORMATs against those of fetchargs.
func TestFormatsAgree(t *testing.T) {
	want, got := value.FormatNames(), formatNames()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("FORMATs (-fetchargs +render):\n%s", diff)
	}
}
