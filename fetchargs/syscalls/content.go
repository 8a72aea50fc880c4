package syscalls

import "strings"

// A Content is what is shown of the memory that a parameter points to.
type Content struct {
	Out   bool   // the call stores it there, so it is read at the return, if there is no error
	List  bool   // pointers to text, up to a NULL
	Count string // how many elements there are: a parameter, "return" or a number; "" for one
}

// parseContent parses "in", "out", "in[COUNT]", "out[COUNT]" and "list". It returns nil for
// anything else.
func parseContent(text string) *Content {
	word, count, _ := strings.Cut(strings.TrimSuffix(text, "]"), "[")
	switch word {
	case "in", "out":
		return &Content{Out: word == "out", Count: count}
	case "list":
		return &Content{List: true}
	}
	return nil
}
