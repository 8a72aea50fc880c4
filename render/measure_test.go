package render_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// sent is the record of a call with a number and a pointer to text.
func sent(task string, n int64, dev uint64, name string) *record {
	r := newProbe(false).number("n", cInt, uint64(n))
	return r.text("dev->name", name, value.PointerCheck{Label: "dev", Arg: r.arg(8, dev)}).from(0xffffffff81000010).comm(task)
}

// measured is a source of such calls with measures.
func measured(t testing.TB, by []string, hists ...string) render.Source {
	t.Helper()
	s := newSource("send", "", sent("", 0, 0, ""), newProbe(true).number("return", cInt, 0))
	s.Plan.Spec = &spec.Spec{Text: "send", Func: spec.Name{Text: "send"}}
	var measures []*measure.Measure
	for i, text := range slices.Concat(by, hists) {
		if sum.IsKeyWord(text) {
			continue
		}
		m, err := measure.Parse(text, i >= len(by))
		if err != nil {
			t.Fatal(err)
		}
		measures = append(measures, m)
	}
	plans, err := query.WithMeasures([]*plan.Plan{s.Plan}, measures)
	if err != nil {
		t.Fatal(err)
	}
	s.Plan = plans[0]
	return s
}

// send are some calls.
func send(add func(*calls.Call) bool) {
	for i, r := range []*record{
		sent("a\nb", -3, heap, "lo"), sent("cat", -4, heap, "lo"), sent("cat", 0, heap, "eth0\x1b"), sent("cat", 7, 0, "stale"), sent("dog", 1<<31-1, heap, "lo"),
	} {
		e := r.event(uint64(1000*i), 0, 7)
		e.Stack = []uint64{0xffffffff81000010, 0xffffffff81000020}
		if i == 2 {
			e.Stack = e.Stack[:1]
		}
		ret := newProbe(true).number("return", cInt, -uint64(2*(i%2))).event(uint64(1000*i+10), 0, 7)
		add(&calls.Call{Entry: e, Return: ret, Duration: uint64(10 * (i + 1))})
	}
	add(&calls.Call{Return: newProbe(true).number("return", cInt, 0).event(9000, 0, 7), Orphan: true})
}

// TestBy shows what calls come to by all kinds of keys, and numbers of them.
func TestBy(t *testing.T) {
	for _, tt := range []struct{ by, text, json string }{
		{"comm", `
send      cat      3  90ns  30ns  30ns  40ns  40ns  2 ENOENT
send      dog      1  50ns  50ns  50ns  50ns  50ns
send      a\nb     1  10ns  10ns  10ns  10ns  10ns
send      old      1     -     -     -     -     -
`, `{"name":"comm","value":"cat"} {"name":"comm","value":"dog"} {"name":"comm","value":"a\nb"} {"name":"comm","value":"old"}`},
		{"caller", `
send      ip_send [net]      5  150ns  30ns  30ns  50ns  50ns  2 ENOENT
send      -                  1      -     -     -     -     -
`, `{"name":"caller","value":"ip_send","module":"net"} {"name":"caller","value":null}`},
		{"dev->name", `
send      "lo"            3  80ns  26ns  20ns  50ns  50ns  1 ENOENT
send      (dev=NULL)      1  40ns  40ns  40ns  40ns  40ns  1 ENOENT
send      "eth0\x1b"      1  30ns  30ns  30ns  30ns  30ns
send      -               1     -     -     -     -     -
`, `{"name":"dev->name","value":"lo"} {"name":"dev->name","value":null,"fault":"dev=NULL"} {"name":"dev->name","value":"eth0\u001b"} {"name":"dev->name","value":null}`},
		{"return", `
send      0                4  90ns  30ns  30ns  50ns  50ns
send      -2 (ENOENT)      2  60ns  30ns  20ns  40ns  40ns  2 ENOENT
`, `{"name":"return","value":0} {"name":"return","value":-2,"errno":"ENOENT"}`},
		{"pid", `
send      6      6  150ns  30ns  30ns  50ns  50ns  2 ENOENT
`, `{"name":"pid","value":6}`},
		{"tid", `
send      7      6  150ns  30ns  30ns  50ns  50ns  2 ENOENT
`, `{"name":"tid","value":7}`},
		{"cpu return", `
send      0  0                4  90ns  30ns  30ns  50ns  50ns
send      0  -2 (ENOENT)      2  60ns  30ns  20ns  40ns  40ns  2 ENOENT
`, `[{"name":"cpu","value":0},{"name":"return","value":0}] [{"name":"cpu","value":0},{"name":"return","value":-2,"errno":"ENOENT"}]`},
		{"stack", `
send      ip_send [net] <- ip_send [net]      4  120ns  30ns  20ns  50ns  50ns  2 ENOENT
send      ip_send [net]                       1   30ns  30ns  30ns  30ns  30ns
send      -                                   1      -     -     -     -     -
`, `{"name":"stack","value":["ip_send [net]","ip_send [net]"]} {"name":"stack","value":["ip_send [net]"]} {"name":"stack","value":null}`},
	} {
		by := strings.Fields(tt.by)
		sources := []render.Source{measured(t, by, "n")}
		var what *sum.Summary
		s := sum.NewSumming(sources, sum.Options{
			By: by, Numbers: []string{"n"}, Bare: true,
			Process: func(tid int) (int, bool) { return tid - 1, tid == 7 },
			Symbol:  func(uint64) (string, string, uint64, bool) { return "ip_send", "net", 15, true },
			Print:   func(s *sum.Summary) bool { what = s; return true },
		})
		send(s.Add)
		s.Lose(&tracefs.Event{Lost: 5})
		s.Lose(&tracefs.Event{Lost: tracefs.LostUnknown})
		s.End()
		what.Alone, what.Width = true, 60
		out := string(text.New(sources, render.Options{}).Summary(nil, what))
		head, rows, _ := strings.Cut(out, "\n")
		_, rows, _ = strings.Cut(rows, "\n")
		rows, _, _ = strings.Cut(rows, "\n\n")
		if diff := cmp.Diff(strings.Fields(tt.text), strings.Fields(rows)); diff != "" || head != "Summary of all 9.00us, more than 5 events lost" {
			t.Errorf("by %s: %s\n%s(-want +got):\n%s", tt.by, head, rows, diff)
		}
		out = string(json.New(sources, render.Options{}).Summary(nil, what))
		var keys []string
		for _, found := range regexp.MustCompile(`"by":([{\[].*?[}\]]),"ts_ns".*"lost":null\}`).FindAllStringSubmatch(out, -1) {
			keys = append(keys, found[1])
		}
		if diff := cmp.Diff(tt.json, strings.Join(keys, " ")); diff != "" {
			t.Errorf("by %s in JSON (-want +got):\n%s", tt.by, diff)
		}
	}
}

// TestNumbers shows numbers of any sign.
func TestNumbers(t *testing.T) {
	sources := []render.Source{measured(t, nil, "n")}
	var what *sum.Summary
	s := sum.NewSumming(sources, sum.Options{Numbers: []string{"n"}, Bare: true, Print: func(s *sum.Summary) bool { what = s; return true }})
	send(s.Add)
	s.End()
	what.Alone, what.Width = true, 60
	_, got, _ := strings.Cut(string(text.New(sources, render.Options{}).Summary(nil, what)), "\n\n")
	got = regexp.MustCompile(`(?m)^  \S+ +0 .*\n`).ReplaceAllString(got, "")
	want := `send, n: total 2147483647, mean 429496729.4, min -4, max 2147483647, of 5 calls, without 1 of which it is not known
  -7..-4                  1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
  -3..-2                  1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
  0                       1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
  4..7                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
  1073741824..2147483647  1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@|
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	out := string(json.New(sources, render.Options{}).Summary(nil, what))
	wantJSON := `"numbers":[{"name":"n","calls":5,"unknown":1,"total":2147483647,"mean":429496729.4,"min":-4,"max":2147483647,"histogram":[{"least":-7,"most":-4,"calls":1},{"least":-3,"most":-2,"calls":1},{"least":0,"most":0,"calls":1},{"least":4,"most":7,"calls":1},{"least":1073741824,"most":2147483647,"calls":1}]}]}` + "\n"
	if !strings.HasSuffix(out, wantJSON) {
		t.Errorf("JSON is %s, want ...%s", out, wantJSON)
	}
}

// TestMeasureAllocs: what a call is added up by costs no memory once the key is known.
func TestMeasureAllocs(t *testing.T) {
	for _, by := range []string{"", "comm", "caller", "pid", "tid", "cpu", "stack", "dev->name", "return", "comm return cpu"} {
		by := strings.Fields(by)
		s := sum.NewSumming([]render.Source{measured(t, by, "n")}, sum.Options{
			By: by, Process: func(tid int) (int, bool) { return tid, true }, Symbol: func(uint64) (string, string, uint64, bool) { return "ip_send", "net", 15, true },
			Print: func(*sum.Summary) bool { return true },
		})
		e := sent("cat", 5, heap, "lo").event(1, 0, 7)
		ret := newProbe(true).number("return", cInt, 3).event(2, 0, 7)
		e.Stack = []uint64{0xffffffff81000010, 0xffffffff81000020}
		c := &calls.Call{Entry: e, Return: ret, Duration: 17}
		if n := testing.AllocsPerRun(1000, func() { s.Add(c) }); n != 0 {
			t.Errorf("by %q: %v allocations a call", by, n)
		}
		s.End()
	}
}

// TestHeat shows a map of durations with gaps and losses. Everything in colour is also in
// digits, and no row is wider than a terminal.
func TestHeat(t *testing.T) {
	sources := []render.Source{
		newSource("vfs_read", "", newProbe(false), newProbe(true).number("return", ssize, 0)),
		newSource("a_function_with_a_name_that_is_rather_long", "", newProbe(false), newProbe(true).number("return", ssize, 0)),
	}
	show := func(o render.Options) string {
		p := text.New(sources, o)
		var out []byte
		s := sum.NewSumming(sources, sum.Options{
			Interval: 100 * time.Millisecond, Start: 1e9, Heat: true,
			Print: func(s *sum.Summary) bool {
				if s.Width = 80; s.Heat {
					out = p.Summary(out, s)
				}
				return true
			},
		})
		call := func(at float64, plan int, times int, ns uint64) {
			for range times {
				e := &tracefs.Event{Time: uint64(at * 1e9)}
				s.Add(&calls.Call{Plan: plan, Entry: e, Return: e, Duration: ns})
			}
		}
		call(1.01, 0, 1, 0)
		call(1.02, 0, 3, 1)
		call(1.03, 0, 4, 1<<10)
		call(1.03, 0, 15, 1<<11)
		call(1.03, 0, 16, 1<<12)
		call(1.03, 1, 1024, 1<<20)
		s.Lose(&tracefs.Event{Lost: 12})
		s.Add(&calls.Call{Entry: &tracefs.Event{Time: 1.09e9}, Unfinished: true})
		call(1.21, 0, 4096, 1<<30)
		call(1.91, 0, 16384, 1<<38)
		call(1.91, 0, 1, 1<<39)
		call(1.91, 0, 1, 1<<63)
		s.End()
		return string(out)
	}
	want := `Durations over time: a row every 100ms, a column for each power of two.
Calls: . 0  1: 1+  2: 4+  3: 16+  4: 64+  5: 256+  6: 1024+  7: 4096+  8: 16384+
       TIME 1ns       1.02us    1.05ms    1.07s         CALLS FUNCTION
   0.100000 2.........223...........................       40 vfs_read, 1 untimed, 12 events lost
   0.100000 ....................6...................     1024 a_function_with...
   0.200000 ........................................        0
   0.300000 ..............................7.........     4096 vfs_read
...6 rows without calls
   0.910000 ......................................81    16386 vfs_read
`
	got := show(render.Options{Start: 1e9})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if n := render.TextWidth([]byte(strings.TrimSuffix(line, "\n"))); n > 80 && !strings.Contains(line, "lost") {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	colored := show(render.Options{Start: 1e9, Color: true})
	if plain := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(colored, ""); plain != got || plain == colored {
		t.Errorf("in colour it is\n%s", colored)
	}
}
