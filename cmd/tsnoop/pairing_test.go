package main

import "testing"

// TestApartRefused: where entries and returns cannot be paired, there is no tree.
func TestApartRefused(t *testing.T) {
	r := &reading{apart: true}
	for _, o := range []options{{tree: true}, {chain: true}} {
		if _, err := r.pairers(&o); err == nil {
			t.Errorf("tree %v, chain %v: no error", o.tree, o.chain)
		}
	}
}
