package main

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// TestFollowsNames has the options with which the names of tasks are fetched, and others.
func TestFollowsNames(t *testing.T) {
	for line, want := range map[string]bool{
		"f": true, "--tree f": true, "--chain f g": true, "-p 1 f": true, "--json f": true, "--explain f": true, "--by comm f": true,
		"--reader=text f": false, "--cpu 0 f": false, "--comm a f": false, "--reload -F f": false, "--wait-module f": false, "--emit f": false, "f -- true": false,
	} {
		o, err := flags.Parse(strings.Fields(line))
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if got := followsNames(o); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
