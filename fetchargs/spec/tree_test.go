package spec_test

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// TestWhere compares the place of an item's tree, of the type of a cast and of a name with
// the text that was parsed.
func TestWhere(t *testing.T) {
	for _, text := range []string{
		"a", "a->b", "a[1]", "a[1..2]", "*a", "&a", "(u8)a", "container_of(a, struct b, c.d)", "@j", "$comm", "%di", "this_cpu(x)",
		"per_cpu(x, 1)", "a->(b|c)", "sizeof(struct a)", "sizeof(a)", "since(a, b == 1)", "who(a)", "int n=0xf0", "int 0xf0", "x8[6] a->b",
		"a == 1", "a == b->c", "!a", "a && b", "a == 1 || b == 2", "a == 10.0.0.0/8", `a == "x"`, "a == -1", "a == 2us",
	} {
		item, err := spec.ParseItem(" " + text + " ")
		if err != nil {
			t.Errorf("ParseItem(%q): %v", text, err)
			continue
		}
		at := item.Span
		if item.Expr != nil {
			at = item.Expr.Where()
		} else if item.Cond != nil {
			at = item.Cond.Where()
		}
		if want := (spec.Span{Pos: 1, End: 1 + len(text)}); at != want || item.Span != want {
			t.Errorf("%q is at %v in an item at %v, want %v", text, at, item.Span, want)
		}
	}
	text := "f( name = ( struct a * )b->c : x[2] ) if d"
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	cast := s.Items[0].Expr.(*spec.Cast)
	for _, c := range []struct {
		spec.Name
		want string
	}{
		{cast.Type, "struct a *"}, {s.Items[0].Name, "name"}, {cast.X.(*spec.Member).Name, "c"}, {s.Func, "f"},
		{spec.Name{Text: "x[2]", Span: s.Items[0].Format.Span}, "x[2]"}, {spec.Name{Text: text, Span: s.Span}, text},
	} {
		if got := text[c.Pos:c.End]; got != c.want || c.Text != c.want {
			t.Errorf("got %q at %q, want %q", c.Text, got, c.want)
		}
	}
}

func TestParseItem(t *testing.T) {
	for _, c := range []struct{ text, want, at string }{
		{"n=skb->len:x", "n=skb->len:x", ""},
		{"skb->len > 5", "skb->len > 5", ""},
		{"", "an expression is missing: the spec ends here", ""},
		{"NULL)", "this is not a value", "NULL)"},
		{"a, b", `unexpected ","`, ","},
		{"a->", "a member's name is missing after ->: the spec ends here", ""},
	} {
		item, err := spec.ParseItem(c.text)
		var errs spec.Errors
		if !errors.As(err, &errs) {
			if got := item.String(); got != c.want {
				t.Errorf("ParseItem(%q) = %q, want %q", c.text, got, c.want)
			}
			continue
		}
		if e := errs[0]; item != nil || len(errs) != 1 || e.Msg != c.want || c.text[e.Pos:e.End] != c.at {
			t.Errorf("ParseItem(%q) = %v, %v at %v, want only %q at %q", c.text, item, errs, e.Span, c.want, c.at)
		}
	}
}

func TestAlternatives(t *testing.T) {
	first, err := spec.Parse("f(a) | m:g | h")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for s := first; s != nil; s = s.Else {
		if s.Nth != n || !s.HasAlternatives() || s.Alone().Else != nil {
			t.Errorf("alternative %d: %s is number %d", n, s.Alone(), s.Nth)
		}
		n++
	}
	g := first.Else
	if n != 3 || first.Alone().HasAlternatives() || g.Else == nil {
		t.Errorf("%s has %d alternatives", first, n)
	}
	for got, want := range map[string]string{
		g.For("", "x").Alone().String():      "m:x",
		g.For("n", "x").Alone().String():     "n:x",
		first.For("n", "x").Alone().String(): "n:x(a)",
		g.ForSyscall("x").Alone().String():   "x",
		g.Alone().String():                   "m:g",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestChoiceOf(t *testing.T) {
	item, err := spec.ParseItem("p->(a.b|c[3]->d)")
	if err != nil {
		t.Fatal(err)
	}
	choice := item.Expr.(*spec.Choice)
	for i, want := range []string{"p->a.b, a.b", "p->c[3]->d, c[3]->d"} {
		if got := fmt.Sprintf("%s, %s", choice.Alt(i), choice.Chosen(i)); got != want {
			t.Errorf("alternative %d is %s, want %s", i, got, want)
		}
	}
}

// TestProperties asks the values of specs what they are: typed entries that are read in
// place, names by which they are called, variables, times of a call.
func TestProperties(t *testing.T) {
	for text, want := range map[string]string{
		"skb->len":                      "skb->len",
		"duration":                      "duration, duration",
		"$duration":                     "$duration, duration",
		"$comm":                         "$comm",
		"int a":                         "a: int",
		"string a":                      "a: string, place",
		"u8[6] a":                       "a: u8[6], place",
		"u8[1] a":                       "a: u8[1], place",
		"int 0xf0":                      "0xf0: int",
		"int a->b":                      "a->b: int",
		"int n=@j":                      "n: int",
		"@j":                            "@j, symbol",
		"this_cpu(a)->b":                "this_cpu(a)->b, symbol",
		"(u8)*&@j[1..2]":                "(u8)*&@j[1..2], symbol",
		"@j[1]":                         "@j[1], symbol",
		"sizeof(@j)":                    "sizeof(@j)",
		"container_of(@j, struct a, b)": "container_of(@j, struct a, b)",
	} {
		item, err := spec.ParseItem(text)
		if err != nil {
			t.Errorf("ParseItem(%q): %v", text, err)
			continue
		}
		got := spec.CalledName(item.Expr)
		if x, ok := item.Expr.(*spec.Typed); ok {
			got += ": " + spec.TypedName(x)
			if spec.IsPlace(x) {
				got += ", place"
			}
		}
		if spec.IsDuration(item.Expr) {
			got += ", duration"
		}
		if spec.OfSymbol(item.Expr) {
			got += ", symbol"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	for format, want := range map[string]string{"x": "x 0", "u8[16]": "u8 16", "": " 0"} {
		name, count := spec.SplitFormat(format)
		if got := fmt.Sprint(name, " ", count); got != want {
			t.Errorf("SplitFormat(%q) = %q, want %q", format, got, want)
		}
	}
	if spec.ValueOf(true) != "a task" || spec.ValueOf(false) != "a duration" {
		t.Error("who is a task, since a duration")
	}
}

func TestIsNull(t *testing.T) {
	for _, c := range []struct {
		literal *spec.Literal
		want    bool
	}{
		{nil, false},
		{&spec.Literal{Kind: spec.Word, Text: "NULL"}, true},
		{&spec.Literal{Kind: spec.Word, Text: "null"}, false},
		{&spec.Literal{Kind: spec.Quoted, Text: "NULL"}, false},
		{&spec.Literal{Kind: spec.Number, Int: new(big.Int)}, true},
		{&spec.Literal{Kind: spec.Number, Int: big.NewInt(1)}, false},
		{&spec.Literal{Kind: spec.CharLit, Int: new(big.Int)}, false},
	} {
		if got := c.literal.IsNull(); got != c.want {
			t.Errorf("%+v: got %t, want %t", c.literal, got, c.want)
		}
	}
}

// TestNesting finds the deepest specs that are parsed; what is beside each other is not
// deep.
func TestNesting(t *testing.T) {
	for _, c := range []struct {
		name, text string
		deep       bool
	}{
		{"stars", strings.Repeat("*", spec.MaxNesting-2) + "a", false},
		{"stars", strings.Repeat("*", spec.MaxNesting-1) + "a", true},
		{"not", strings.Repeat("!", spec.MaxNesting-2) + "a", false},
		{"not", strings.Repeat("!", spec.MaxNesting-1) + "a", true},
		{"list", strings.Repeat("a, ", 2*spec.MaxNesting) + "a", false},
	} {
		_, err := spec.Parse("f(" + c.text + ")")
		if got := errors.Is(err, spec.ErrNesting); got != c.deep || err != nil && !c.deep {
			t.Errorf("%s of %d bytes: %v", c.name, len(c.text), err)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	c := spec.Collector{Text: "f(a, b)"}
	a, b := spec.Span{Pos: 2, End: 3}, spec.Span{Pos: 5, End: 6}
	cause := errors.New("cause")
	c.Fail(a, "hint", "there is no %s", "a")
	c.FailFix(b, spec.Fix{Span: a, Text: "c"}, "write ", "wrong")
	c.FailWith(a, cause, "", "there is no %s", "b")
	c.Fail(a, "again", "there is no a")
	c.Fail(b, "elsewhere", "there is no a")
	for _, tt := range []struct {
		err  spec.Errors
		want string
	}{
		{c.Errs, "f(a, b): there is no a (and 4 more)"},
		{c.Errs[:2], "f(a, b): there is no a (and 1 more)"},
		{c.Errs[:1], "f(a, b): there is no a"},
		{spec.Errors{{Where: "file:1:2", Text: "f", Msg: "bad"}}, "file:1:2: bad"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	if e := c.Errs[1]; e.Hint != "write c" || e.Fix.Span != a || e.Span != b {
		t.Errorf("FailFix made %+v", e)
	}
	if !errors.Is(c.Errs, cause) || errors.Is(c.Errs[:2], cause) {
		t.Error("only the third error has a cause")
	}
	if got := c.Errs.Unique(); len(got) != 4 || got[3].Hint != "elsewhere" {
		t.Errorf("Unique() = %v", []error{got[0], got[1], got[2], got[len(got)-1]})
	}
	for _, tt := range []struct {
		near      []string
		otherwise string
		want      string
	}{
		{nil, "", ""}, {nil, "look", "look"}, {[]string{"a", "b"}, "", "did you mean a, b?"}, {[]string{"a"}, "look", "did you mean a? look"},
	} {
		if got := spec.DidYouMean(tt.near, tt.otherwise); got != tt.want {
			t.Errorf("DidYouMean(%q, %q) = %q, want %q", tt.near, tt.otherwise, got, tt.want)
		}
	}
}
