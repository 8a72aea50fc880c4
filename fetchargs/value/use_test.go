package value

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// TestUsageOf finds the macros of a rule.
func TestUsageOf(t *testing.T) {
	for name, want := range map[string]string{"open.mode": "O_CREAT O_TMPFILE false", "mmap.fd": "MAP_ANONYMOUS true", "getcpu.unused": " false", "open.flags": "none"} {
		call, param, _ := strings.Cut(name, ".")
		got := "none"
		if u := UsageOf(call, param); u != nil {
			macros, not := u.All()
			got = fmt.Sprint(strings.Join(macros, " "), " ", not)
		}
		if got != want {
			t.Errorf("%s is used with %s, want %s", name, got, want)
		}
	}
}

// TestUsages requires that the macros of the table exist, and that no parameter decides
// about itself.
func TestUsages(t *testing.T) {
	amd64, arm64 := constants.For("amd64"), constants.For("arm64")
	for name, u := range usages {
		_, param, _ := strings.Cut(name, ".")
		if u.By == "" || u.By == param || u.Only != "" && u.But != "" {
			t.Errorf("%s: %+v is not a rule", name, u)
		}
		macros, _ := u.All()
		if u.Mask != "" && u.Mask != AllBits {
			macros = append(macros, u.Mask)
		}
		for _, macro := range macros {
			_, a := amd64.Value(macro)
			_, b := arm64.Value(macro)
			if !a && !b {
				t.Errorf("%s: there is no macro %s", name, macro)
			}
		}
	}
}
