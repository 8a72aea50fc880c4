package tracefs

import (
	"io"
	"strings"
	"testing"
)

// An unsteady file has another text at each read(2), as the kernel's files of values.
type unsteady struct {
	texts []string
	at    int
}

func (c *unsteady) Read(b []byte) (int, error) {
	text := c.texts[0]
	if len(c.texts) > 1 {
		c.texts = c.texts[1:]
	}
	if c.at >= len(text) {
		return 0, io.EOF
	}
	n := copy(b, text[c.at:])
	c.at += n
	return n, nil
}

// TestReadOnce: a value is read as it was at one time, and a list is not taken for a
// value.
func TestReadOnce(t *testing.T) {
	for _, tt := range []struct {
		texts []string
		want  string
		err   error
	}{
		{[]string{"0\n", "100\n"}, "0\n", nil},
		{[]string{"none\n", "offset == 99999\n"}, "none\n", nil},
		{[]string{"", "1\n"}, "", nil},
		{[]string{strings.Repeat("x", 4095), "1\n"}, strings.Repeat("x", 4095), nil},
		{[]string{strings.Repeat("x", 4096)}, strings.Repeat("x", 4096), errLong},
	} {
		if b, err := readOnce(&unsteady{texts: tt.texts}); string(b) != tt.want || err != tt.err {
			t.Errorf("%.20q: %.20q, %v, want %.20q, %v", tt.texts, b, err, tt.want, tt.err)
		}
	}
}
