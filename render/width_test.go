package render

import "testing"

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "日本": 4, "e\u0301": 1, "한글": 4, "\u1112\u1161\u11ab": 2, "ｱ": 1, "α…─": 3, "😀": 2, "\u0300": 0,
	} {
		if got := TextWidth([]byte(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abcdef", 6, "abcdef"},
		{"abcdefg", 6, "abc..."},
		{"日本日本", 8, "日本日本"},
		{"日本日本", 7, "日本..."},
		{"日本日本", 6, "日..."},
		{"abcdefg", 2, "..."},
	} {
		if got := string(Shorten([]byte(tt.text), tt.columns)); got != tt.want {
			t.Errorf("%q in %d columns: got %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}
