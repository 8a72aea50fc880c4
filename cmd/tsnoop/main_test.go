package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be every program that scripts call: tsnoop,
// and load, which makes known calls for it to see.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tsnoop": main,
		"load":   func() { os.Exit(load(os.Args[1:])) },
	})
}

// TestScript runs the command line where nothing is traced: no root, no
// tracefs, no particular kernel.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			wd, err := os.Getwd()
			env.Setenv("BTF", wd+"/../../testdata/btf")
			return err
		},
	})
}
