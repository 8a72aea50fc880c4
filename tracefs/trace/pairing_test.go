package trace

import (
	"errors"
	"testing"
)

// TestApartRefused: where entries and returns cannot be paired, there is no tree.
func TestApartRefused(t *testing.T) {
	r := &Reading{apart: true}
	for _, chain := range []bool{false, true} {
		if _, err := r.newPairers(true, chain); !errors.Is(err, ErrApart) {
			t.Errorf("chain %v: %v", chain, err)
		}
	}
}
