package spec

import (
	"errors"
	"strings"
	"testing"
)

// TestBounds: what is just small enough is accepted, and one more is refused, with what helps.
func TestBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		most int
		text func(n int) string
		want string
	}{
		"bytes":        {MaxText, func(n int) string { return "f(" + strings.Repeat(" ", n-3) + ")" }, "this spec has 16385 bytes, and at most 16384 are possible"},
		"members":      {MaxRow, func(n int) string { return "f(a" + strings.Repeat("->b", n) + ")" }, "more than 50 members and elements in a row"},
		"elements":     {MaxRow, func(n int) string { return "f(a" + strings.Repeat("[1]", n) + ")" }, "more than 50 members and elements in a row"},
		"container":    {MaxRow, func(n int) string { return "f(container_of(a, struct b, c" + strings.Repeat(".c", n-1) + "))" }, "more than 50 members and elements in a row"},
		"choice":       {MaxRow, func(n int) string { return "f(a->(b" + strings.Repeat("|c", n-1) + "))" }, "more than 50 alternatives in a row"},
		"one choice":   {MaxRow, func(n int) string { return "f(a->(b" + strings.Repeat(".c", n-1) + "|d))" }, "more than 50 members and elements in a row"},
		"indexes":      {MaxRow, func(n int) string { return "f(a->(b" + strings.Repeat("[1]", n-1) + "|d))" }, "more than 50 members and elements in a row"},
		"steps":        {MaxRow, func(n int) string { return "f(x8 a" + strings.Repeat("+1", n) + ")" }, "more than 50 steps in a row"},
		"alternatives": {MaxRow, func(n int) string { return "f" + strings.Repeat("|f()", n) }, "more than 50 alternatives in a row"},
		"items":        {MaxItems, func(n int) string { return "f(a" + strings.Repeat(",a", n-1) + ")" }, "more than 500 items in a row"},
	} {
		if _, err := Parse(tt.text(tt.most)); err != nil {
			t.Errorf("%d %s: %v", tt.most, name, err)
		}
		_, err := Parse(tt.text(tt.most + 1))
		var wrong Errors
		if !errors.As(err, &wrong) || wrong[0].Msg != tt.want || wrong[0].Hint == "" {
			t.Errorf("%d %s: %v, want %s and a hint", tt.most+1, name, err, tt.want)
		}
	}
}

// TestParseAll: the sum of specs has a bound, and so have the errors in them.
func TestParseAll(t *testing.T) {
	large := "f(" + strings.Repeat(" ", MaxText-3) + ")"
	texts := make([]string, MaxAll/MaxText)
	for i := range texts {
		texts[i] = large
	}
	if specs, wrong := ParseAll(texts); len(specs) != len(texts) || len(wrong) > 0 {
		t.Errorf("%d specs, %v", len(specs), wrong)
	}
	if specs, wrong := ParseAll(append(texts, "f")); len(specs) != len(texts) || len(wrong) != 1 ||
		wrong[0].Msg != "the specs up to this one have 131073 bytes, and at most 131072 are possible" || wrong[0].Hint == "" {
		t.Errorf("%d specs, %v", len(specs), wrong)
	}
	if specs, wrong := ParseAll([]string{"f", "f(" + strings.Repeat("+,", 100) + ")", "f"}); len(specs) != 1 || len(wrong) != MaxErrors {
		t.Errorf("%d specs, %d errors", len(specs), len(wrong))
	}
}
