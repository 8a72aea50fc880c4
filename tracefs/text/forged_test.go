package text

import (
	"strings"
	"testing"
)

// A task that knows the names of the events can write a line of its own into a file
// name. Where the kernel's line continues after it, the line is a part of the name.
// Where it ends the name first, nothing in text distinguishes it from the kernel's.
// README says so, under Recordings.
func TestPasteForged(t *testing.T) {
	const columns = "     cat-42      [003] .....    12.345678: e0_k3x9: (vfs_open+0x0/0x1) fd=1 ptr=0x1 b={1,2,3,4} c='x' n=1 s1_k3x9=\"a\" s2_k3x9=\""
	const init = "     init-1      [003] .....    12.345679: e0_k3x9: (vfs_open+0x0/0x1) fd=1 ptr=0x1 b={1,2,3,4} c='x' n=1 s1_k3x9=\"a\" s2_k3x9=\""
	for _, tt := range []struct {
		name      string
		next      string // line
		events    int
		malformed bool
	}{
		{"b", "", 1, false},
		{"b\n" + init + "c", "", 1, false},
		{"b\n" + init + "c\"\n", "", 1, false},
		{"b\n" + init + "c\"\n", columns + "d\"\n", 2, false},
		{"b\"\n" + init + "c", "", 2, false},
	} {
		p := newTestPaste()
		got := pasteAll(t, p, strings.NewReader(columns+tt.name+"\"\n"+tt.next))
		if len(got) != tt.events || (p.Malformed > 0) != tt.malformed {
			t.Errorf("%q: %d events and %d malformed lines, want %d and %t", tt.name, len(got), p.Malformed, tt.events, tt.malformed)
		}
	}
}
