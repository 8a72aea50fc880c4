package filter_test

import (
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/filter"
)

func TestCheckComm(t *testing.T) {
	for glob, ok := range map[string]bool{
		"sh": true, "*": true, "kworker/*": true, "[a-c]?*": true, "a b": true, `\*x`: true,
		"fifteen_letters": true, "fifteen_letters*": true, "*fifteen[!a-z]letter": true, "é*": true,
		"": false, `a"b`: false, "a'b": false, "a\nb": false, "a\x7f": false,
		"sixteen__letters": false, "????????????????": false, "*sixteen_[abc]_lett\\ers": false, "[ab": true,
	} {
		if err := filter.CheckComm(glob); (err == nil) != ok {
			t.Errorf("CheckComm(%q) = %v, want ok %v", glob, err, ok)
		}
	}
}
