package fetchargs_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/target"
)

func init() {
	targetLines["names-known"] = func(_ testing.TB, to *target.Target, _ []string) { to.NamesKnown = true } // without a fetch
	targetLines["no-callers"] = func(_ testing.TB, to *target.Target, _ []string) { to.NoCallers = true }
}
