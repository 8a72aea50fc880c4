package text

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

func TestFold(t *testing.T) {
	const head = "   0.000000   1 ping-102   \x01"
	for _, tt := range []struct {
		name, line string
		columns    int
		want       string
	}{
		{"fits", head + "f(a=1)", 40, "   0.000000   1 ping-102   f(a=1)"},
		{"just fits", head + "f(a=1234567)", 39 + 1, "   0.000000   1 ping-102   f(a=1234567)"},
		{"too narrow for anything", head + "f(a=12345678)", 39, "   0.000000   1 ping-102   f(a=12345678)"},
		{"the call whole below its caller", head + "__netif_receive_skb_one_core -> ip_rcv(skb->len=128, dev=\"lo\")", 80, `
   0.000000   1 ping-102   __netif_receive_skb_one_core ->
                               ip_rcv(skb->len=128, dev="lo")`},
		{"a caller that does not fit", head + "a_caller_of_20_chars -> ip_rcv(a=1)", 48, `
   0.000000   1 ping-102   a_caller_of_20_chars
                            -> ip_rcv(a=1)`},
		{"commas", head + "caller -> function(first=1, second=2, third={1, 2, 3}, fourth=4, fifth=5, sixth=6) = -2 (ENOENT) <1.00us>", 70, `
   0.000000   1 ping-102   caller -> function(first=1, second=2,
                               third={1, 2, 3}, fourth=4, fifth=5,
                               sixth=6) = -2 (ENOENT) <1.00us>`},
		{"what was returned", head + "function(first=1, second=2, third=3) = -2 (ENOENT) <1.00us>", 70, `
   0.000000   1 ping-102   function(first=1, second=2, third=3)
                               = -2 (ENOENT) <1.00us>`},
		{"a long string", head + `open(dfd=-100, name="/a/path/that/is/longer, than a line\n\u200d", flags=0) = 3`, 60, `
   0.000000   1 ping-102   open(dfd=-100,
                               name="/a/path/that/is/longer"
                               ", than a line\n\u200d",
                               flags=0) = 3`},
		{"wide runes", head + `open(name="` + strings.Repeat("日本", 12) + `")`, 60, `
   0.000000   1 ping-102   open(name="日本日本日本日本日本"
                               "日本日本日本日本日本日本日"
                               "本")`},
		{"a string that is kept whole", head + `a_long_function(a_label=->name="string of 20 columns", b=1)`, 60, `
   0.000000   1 ping-102   a_long_function(a_label=->name=
                               "string of 20 columns", b=1)`},
		{"flags that are longer than a line", head + `f(name="x", flags=O_RDONLY|O_NONBLOCK|O_CLOEXEC) = 3`, 60, `
   0.000000   1 ping-102   f(name="x",
                               flags=O_RDONLY|O_NONBLOCK|
                               O_CLOEXEC) = 3`},
		{"a value that is kept whole", head + `tcp_set_state(sk->skc_daddr=127.0.0.1, state=1)`, 60, `
   0.000000   1 ping-102   tcp_set_state(sk->skc_daddr=
                               127.0.0.1, state=1)`},
		{"colours take no room", head + "\x1b[2mcaller\x1b[0m -> \x1b[1mf\x1b[0m(a=\x1b[32m\"x\"\x1b[0m, b=\x1b[32m\"yyyyyyyyyyyyyyyyyyyyyy\"\x1b[0m)", 60, "\n" +
			"   0.000000   1 ping-102   \x1b[2mcaller\x1b[0m -> \x1b[1mf\x1b[0m(a=\x1b[32m\"x\"\x1b[0m,\n" +
			"                               b=\x1b[32m\"yyyyyyyyyyyyyyyyyyyyyy\"\x1b[0m)"},
		{"character constants", head + `f(a='"', b='\'', c=',', d='\x01', e='\\', f=' ', g="x", h=5)`, 60, `
   0.000000   1 ping-102   f(a='"', b='\'', c=',', d='\x01',
                               e='\\', f=' ', g="x", h=5)`},
		{"a member", "    .data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}", 40, `
    .data = {1, 2, 3, 4, 5, 6, 7, 8, 9,
        10, 11, 12, 13, 14, 15, 16, 17,
        18}`},
		{"bytes", "    .data = de ad be ef de ad be ef de ad be ef de ad be ef de ad be ef de ad be ef", 40, `
    .data = de ad be ef de ad be ef de
        ad be ef de ad be ef de ad be ef
        de ad be ef`},
		{"a stack", "                  => a_function_whose_name_is_long+0x1234 [unknown/kretprobe'd]", 60, `
                  => a_function_whose_name_is_long+0x1234
                      [unknown/kretprobe'd]`},
		{"an end", head + "      } = {return=123456789012345, other=1} <3.00us>  // function", 70, `
   0.000000   1 ping-102         } = {return=123456789012345,
                                     other=1} <3.00us>  // function`},
		{"what was returned with how long that took", head + "function(first=1, second=2, third=3) = 12345678 <1.00us>", 70, `
   0.000000   1 ping-102   function(first=1, second=2, third=3)
                               = 12345678 <1.00us>`},
		{"arrows stay whole", head + "f(" + strings.Repeat("a->", 20) + ")", 50, `
   0.000000   1 ping-102   f(a->a->a->a->a->a->a->
                              a->a->a->a->a->a->a
                              ->a->a->a->a->a->a->
                              )`},
		{"nowhere to break", head + strings.Repeat("x", 60), 50, `
   0.000000   1 ping-102   xxxxxxxxxxxxxxxxxxxxxxx
                              xxxxxxxxxxxxxxxxxxxx
                              xxxxxxxxxxxxxxxxx`},
	} {
		got := string(appendFolded(nil, []byte(tt.line), tt.columns))
		if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		checkFolded(t, tt.line, got, tt.columns)
	}
}

// checkFolded fails if a line was not laid out so that nothing is lost and it fits.
func checkFolded(t *testing.T, line, got string, columns int) {
	t.Helper()
	var parts []byte
	for i, part := range strings.Split(got, "\n") {
		if w := width([]byte(part)); w > columns && columns >= leastColumns && strings.Contains(got, "\n") {
			t.Errorf("%q has %d columns of %d", part, w, columns)
		}
		part = strings.TrimLeft(part, " ")
		if i > 0 && bytes.HasSuffix(parts, []byte(`"`)) && strings.HasPrefix(part, `"`) {
			parts, part = parts[:len(parts)-1], part[1:]
		}
		parts = append(parts, part...)
	}
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == callMark {
				return -1
			}
			return r
		}, s)
	}
	if got, want := plain(string(parts)), plain(line); got != want {
		t.Errorf("of %q has become %q", want, got)
	}
}

// adjacent is what no line has, since there is a comma between two strings.
var adjacent = regexp.MustCompile(`"[ \x01]*"`)

// FuzzFold: whatever is in a line, nothing of it is lost, and it fits.
func FuzzFold(f *testing.F) {
	f.Add("   0.000000   1 a-1 ", `g -> f(a="b\x01", c={1, 2}) = 0 {x="日"} <1us>`, 50)
	f.Add("", "    .x = \"a\xff\\\" ' \x1b[2m '\\''", 41)
	f.Add("0000", "0 4000000000000000000000000000000000000000\"00000000000", 7) // the quote had room on the line before
	badinput.Fuzz(f, func(t *testing.T, head, call string, columns int) {
		clean := func(s string) string { // as all that comes from the kernel is
			return strings.Map(func(r rune) rune {
				if !strconv.IsPrint(r) || r == utf8.RuneError {
					return -1
				}
				return r
			}, s)
		}
		if head = clean(head); width([]byte(head)) >= leastColumns {
			head = "" // a terminal breaks columns as it likes
		}
		line := head + "\x01" + clean(call)
		if adjacent.MatchString(line) {
			return // as where a string goes on
		}
		columns = 40 + columns&0xff
		checkFolded(t, line, string(appendFolded(nil, []byte(line), columns)), columns)
	})
}
