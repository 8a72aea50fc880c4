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

// TestComm makes the kernel use its glob matcher for names that end in a text.
func TestComm(t *testing.T) {
	for glob, want := range map[string]string{"sh": `COMM ~ "sh"`, "*sh": `COMM ~ "**sh"`, "s*": `COMM ~ "s*"`, "*": `COMM ~ "*"`, "[!a]": `COMM ~ "[!a]"`} {
		if got := filter.Comm(glob, true); got != want {
			t.Errorf("%s becomes %s, want %s", glob, got, want)
		}
	}
}
