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

// TestReadAtOnce: what is read of a short file is what it had at one time, and a long one
// is read to its end.
func TestReadAtOnce(t *testing.T) {
	long := strings.Repeat("p:group/event symbol\n", 1000)
	for _, tt := range []struct {
		texts []string
		want  string
	}{
		{[]string{"0\n", "100\n"}, "0\n"},
		{[]string{"none\n", "offset == 99999\n"}, "none\n"},
		{[]string{"", "1\n"}, ""},
		{[]string{long}, long},
	} {
		if b, err := readAtOnce(&unsteady{texts: tt.texts}); string(b) != tt.want || err != nil {
			t.Errorf("%.20q: %.20q, %v, want %.20q", tt.texts, b, err, tt.want)
		}
	}
}
