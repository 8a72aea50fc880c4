package trace

import (
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/host"
)

// TestArmRefused: a plan that cannot be armed is refused before anything is touched.
func TestArmRefused(t *testing.T) {
	for _, o := range []Options{{}, {Clock: "global"}, {Stacks: true, Text: true}} {
		if tr, err := Arm(t.Context(), host.New(nil), nil, o); err == nil || tr != nil {
			t.Errorf("%+v: %v, %v", o, tr, err)
		}
	}
}
