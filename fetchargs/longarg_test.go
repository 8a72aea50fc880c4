package fetchargs_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// The kernel is asked for its limit when a fetcharg needs it, and not before.
func TestLongestArg(t *testing.T) {
	long := "wake_up_new_task(p->" + strings.Repeat("real_parent->", 7) + "comm)"
	for _, tt := range []struct {
		spec        string
		says        int // 0: there is no kernel to ask
		asked, okay bool
	}{
		{"wake_up_new_task(p->real_parent->comm)", 63, false, true},
		{long, 0, false, false},
		{long, 63, true, false},
		{long, 255, true, true},
	} {
		asked := false
		target := &target.Target{
			Arch:   abi.Named("amd64"),
			Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf")),
		}
		target.Features, _ = dynevent.FeaturesOf("6.12")
		if tt.says > 0 {
			target.LongestArg = func() int { asked = true; return tt.says }
		}
		parsed, err := spec.Parse(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fetchargs.Resolve([]*spec.Spec{parsed}, target)
		var wrong spec.Errors
		if asked != tt.asked || (err == nil) != tt.okay || err != nil && !errors.As(err, &wrong) {
			t.Errorf("%s, limit %d: asked %t, want %t; %v", tt.spec, tt.says, asked, tt.asked, err)
		}
	}
}
