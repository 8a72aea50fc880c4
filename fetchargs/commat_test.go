package fetchargs_test

import (
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/target"
)

func init() {
	targetLines["comm-at"] = func(_ testing.TB, to *target.Target, words []string) { // BYTES: where a task has its name
		to.CommAt, _ = strconv.ParseInt(words[0], 10, 64)
	}
}
