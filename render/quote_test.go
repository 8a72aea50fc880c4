package render

import (
	"strconv"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/testdata/badinput"
)

func TestQuoted(t *testing.T) {
	tests := []struct{ in, want string }{
		{``, `""`},
		{`lo`, `"lo"`},
		{`a"b\c'd`, `"a\"b\\c'd"`},
		{"\x00\a\b\t\n\v\f\r\x0e", `"\x00\a\b\t\n\v\f\r\x0e"`},
		{"\x1b[31mred\x7f", `"\x1b[31mred\x7f"`},
		{"grüße 日本 e\u0301", "\"grüße 日本 e\u0301\""},
		{"\xff\xc3(\xe2\x82", `"\xff\xc3(\xe2\x82"`},
		{"\u009b31m\u0085", `"\u009b31m\u0085"`},
		{"a\u202eb\u2066c\u200bd\ufeff", `"a\u202eb\u2066c\u200bd\ufeff"`},
		{"\u2028\u00a0", `"\u2028\u00a0"`},
		{"\U000e0041\U0001f600", "\"\\U000e0041\U0001f600\""},
		{"\ufffd", "\"\ufffd\""},
	}
	for _, tt := range tests {
		if got := string(appendQuoted(nil, []byte(tt.in))); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.in, got, tt.want)
		}
	}
}

// CheckSafe fails if text could act on a terminal or is not UTF-8.
func CheckSafe(t *testing.T, text []byte) {
	t.Helper()
	if !utf8.Valid(text) {
		t.Errorf("not UTF-8: %q", text)
	}
	for _, r := range string(text) {
		if !unicode.IsPrint(r) {
			t.Errorf("%U in %q", r, text)
		}
	}
}

func FuzzQuoted(f *testing.F) {
	for _, s := range []string{"", "lo", "\x1b[2J\n", "\xff\"\\", "\u202e\u0085", "日本\U000e0041", "\x00"} {
		f.Add([]byte(s))
	}
	badinput.Fuzz(f, func(t *testing.T, b []byte) {
		quoted := appendQuoted(nil, b)
		CheckSafe(t, quoted)
		back, err := strconv.Unquote(string(quoted))
		if err != nil || back != string(b) {
			t.Errorf("%q was quoted as %s and came back as %q, %v", b, quoted, back, err)
		}
		CheckSafe(t, AppendEscaped(nil, b, NoQuote))
	})
}
