package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// TestMain lets the test binary be the program that scripts call.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tsnoop": main, "tsnoop-cost": cost, "made": made})
}

// TestScript runs the command line where nothing is traced: no root, no
// tracefs, no particular kernel.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			wd, err := os.Getwd()
			env.Setenv("BTF", wd+"/../../testdata/btf")
			env.Setenv("RECORDINGS", wd+"/../../testdata/recordings")
			return err
		},
	})
}

// TestCommands: every command that the command line may name does something.
func TestCommands(t *testing.T) {
	for _, c := range flags.Commands {
		if commands[c.Name] == nil {
			t.Errorf("%s does nothing", c.Name)
		}
	}
	if len(commands) != len(flags.Commands) {
		t.Errorf("%d do something, %d can be named", len(commands), len(flags.Commands))
	}
}
