package text

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/testdata/badinput"
	"github.com/tsnoop/tsnoop/tracefs"
)

// pasted is what a Parser says about a text besides its events.
type pasted struct {
	Counts
	Others      map[string]uint64
	Lost        map[int]uint64
	Overwritten uint64
	NoTime      bool
}

func newTestPaste() *Parser {
	return NewParser(Options{Formats: []*tracefs.Format{testFormat(), returnFormat()}, Pasted: true, Order: binary.LittleEndian})
}

func pasteAll(t testing.TB, p *Parser, r io.Reader) (all []testEvent) {
	t.Helper()
	for ev, err := range p.Events(r) {
		if err != nil {
			t.Fatalf("Events: %v", err)
		}
		all = append(all, keep(ev))
	}
	return all
}

func TestPaste(t *testing.T) {
	ip := symbolBase | 1<<symbolShift | symbolStart | 4
	fields := func(s1, s2 string) string {
		return "(vfs_open+0x4/0xf0) fd=-2 ptr=0xffff888000000001 b={0x1,2,3,65535} c='x' n=7 s1_k3x9=" + s1 + " s2_k3x9=" + s2 + "\n"
	}
	event := func(s1, s2 any) []byte {
		return entry(42, ip, -2, 0xffff888000000001, [4]uint16{1, 2, 3, 65535}, 'x', 7, s1, s2)
	}
	want := func(comm string, data []byte) testEvent {
		return testEvent{Name: "e0_k3x9", Time: 12345678000, CPU: 3, TID: 42, Comm: comm, Data: data}
	}
	lost := func(n uint64, e testEvent) testEvent { e.Lost = n; return e }
	at := func(time uint64, e testEvent) testEvent { e.Time = time; return e }
	const columns = "-42      [003] .....    12.345678: e0_k3x9: "
	plain := "             cat" + columns + fields(`"a"`, `"b"`)
	e := want("cat", event("a", "b"))
	other := "          <idle>-0       [001] d.h1.    12.345679: sched_switch: prev_comm=x: y\n"

	for _, tt := range []struct {
		name, text string
		want       []testEvent
		check      pasted
	}{
		{name: "one", text: plain, want: []testEvent{e}},
		{name: "no newline at the end", text: strings.TrimSuffix(plain, "\n"), want: []testEvent{e}},
		{name: "heading", text: "# tracer: nop\n#\n# entries-in-buffer/entries-written: 2/10   #P:2\n" + plain, want: []testEvent{e},
			check: pasted{Counts: Counts{Skipped: 3}, Overwritten: 8}},
		{name: "other events between", text: other + plain + other + other + plain, want: []testEvent{e, e},
			check: pasted{Others: map[string]uint64{"sched_switch": 3}}},
		{name: "buffers started", text: plain + "##### CPU 1 buffer started ####\n" + plain, want: []testEvent{e, e}, check: pasted{Counts: Counts{Skipped: 1}}},
		{name: "the first line's blanks are lost", text: strings.TrimLeft(plain, " ") + plain, want: []testEvent{e, e}},
		{name: "all blanks are lost", text: strings.Repeat("cat"+columns+fields(`"a"`, `"b"`), 2), want: []testEvent{e, e}},
		{name: "quoted mail", text: "> " + plain + "> " + plain, want: []testEvent{e, e}},
		{name: "indented", text: "    " + plain + "\t" + plain, want: []testEvent{e, e}},
		{name: "other ends of lines", text: strings.ReplaceAll(plain+plain, "\n", "\r\n"), want: []testEvent{e, e}},
		{name: "trailing spaces", text: strings.ReplaceAll(plain+plain, "\n", "  \n"), want: []testEvent{e, e}},
		{name: "an empty line and a prompt", text: plain + "\n# cat trace\n" + plain, want: []testEvent{e, e}, check: pasted{Counts: Counts{Skipped: 2}}},
		{name: "what else was copied", text: plain + "^C\nroot@host:/# ls\n" + plain, want: []testEvent{e, e}, check: pasted{Counts: Counts{Skipped: 2}}},
		{name: "thread group, no flags", text: strings.Replace(strings.Replace(plain, " [003]", " (     40) [003]", 1), "..... ", "", 1), want: []testEvent{e}},
		{name: "counter", text: strings.Replace(plain, "12.345678", "  99", 1), want: []testEvent{at(99, e)}, check: pasted{NoTime: true}},
		{name: "latency format", text: "     cat-42        3d.h1.   12us+: e0_k3x9: " + fields(`"a"`, `"b"`) + "     cat-42        3.....   13us : e0_k3x9: " + fields(`"a"`, `"b"`),
			want: []testEvent{at(12000, e), at(13000, e)}},
		{name: "comm like a header", text: " x-1 [000] 1.0: " + columns + fields(`"a"`, `"b"`), want: []testEvent{want("x-1 [000] 1.0: ", event("a", "b"))}},
		{name: "comm of newlines", text: plain + "  a\nb: (c)\n-7 [0" + columns + fields(`"a"`, `"b"`),
			want: []testEvent{e, want("a\nb: (c)\n-7 [0", event("a", "b"))}},
		{name: "marker like a line", text: "              sh-7       [001] .....    12.345677: tracing_mark_write: " + plain + plain,
			want: []testEvent{e}, check: pasted{Others: map[string]uint64{"tracing_mark_write": 1}}},
		{name: "quotes and newlines", text: "             cat" + columns + fields("\"a\"\nb\"", "\"\"\n\"\"") + plain,
			want: []testEvent{want("cat", event("a\"\nb", "\"\n\"")), e}},
		{name: "header in a string", text: "             cat" + columns + fields("\"a\"", "\"x\n             cat-42      [003] .....    12.345678: e0_k3x9: (vfs_open+0x0\"") + plain,
			want: []testEvent{want("cat", event("a", "x\n             cat-42      [003] .....    12.345678: e0_k3x9: (vfs_open+0x0")), e}},
		{name: "header of another event in a string", text: "             cat" + columns + fields("\"a\"", "\"x\n             cat-42      [003] .....    12.345678: tick: a\"") + plain,
			want: []testEvent{want("cat", event("a", "x\n             cat-42      [003] .....    12.345678: tick: a")), e}},
		{name: "cut before a whole one", text: plain[:len(plain)-4] + "\n" + plain, want: []testEvent{lost(1, e)}, check: pasted{Counts: Counts{Malformed: 1}}},
		{name: "fault", text: "             cat" + columns + fields("(fault)", "(fault)"), want: []testEvent{want("cat", event(nil, nil))}},
		{name: "lost", text: "CPU:3 [LOST 5 EVENTS]\n" + plain + "CPU:3 [LOST EVENTS]\n" + plain + "CPU:2 [LOST 7 EVENTS]\n" + plain,
			want: []testEvent{lost(5, e), lost(tracefs.LostUnknown, e), e}, check: pasted{Lost: map[int]uint64{2: 7, 3: tracefs.LostUnknown}}},
		{name: "stack", text: plain + "             cat-42      [003] .....    12.345679: <stack trace>\n => vfs_open\n => do_sys [mod]\n" + plain,
			want: []testEvent{e, e}, check: pasted{Counts: Counts{Skipped: 3}}},
		{name: "line too big", text: "             cat" + columns + "(vfs_open+0x4/0xf0) fd=-2[LINE TOO BIG]\n" + plain,
			want: []testEvent{lost(1, e)}, check: pasted{Counts: Counts{Malformed: 1}}},
		{name: "cut", text: plain + plain[:len(plain)-4], want: []testEvent{e}, check: pasted{Counts: Counts{Malformed: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text))} {
				p := newTestPaste()
				if diff := cmp.Diff(tt.want, pasteAll(t, p, r)); diff != "" {
					t.Errorf("text %q: (-want +got)\n%s", tt.text, diff)
				}
				got := fmt.Sprint(p.Skipped, p.Others, p.Lost, p.Malformed, p.Overwritten, p.NoTime)
				c := &tt.check
				if want := fmt.Sprint(c.Skipped, c.Others, c.Lost, c.Malformed, c.Overwritten, c.NoTime); got != want {
					t.Errorf("text %q: counts\ngot  %s\nwant %s", tt.text, got, want)
				}
			}
		})
	}
}

// TestPasteError has events that are not as their formats say.
func TestPasteError(t *testing.T) {
	head := "# tracer: nop\n             cat-42      [003] .....    12.345678: "
	for _, tt := range []struct{ text, want string }{
		{"r0_k3x9: (a+0x1/0x2 <- b)\n", `line 2: r0_k3x9 has "" where its spec gives ret=`},
		{"r0_k3x9: (a+0x1/0x2 <- b) x=1 ret=2\n", `line 2: r0_k3x9 has "x=1 ret=2" where its spec gives ret=`},
		{"r0_k3x9: (a+0x1/0x2 <- b) ret=1 x=2\n", `line 2: r0_k3x9 has "ret=1 x=2" where its spec gives ret=u64 and nothing more`},
		{"e0_k3x9: (f+0x0/0x1) fd=1 b=2\n", `line 2: e0_k3x9 has "fd=1 b=2" where its spec gives fd=s32 and ptr=`},
	} {
		p := newTestPaste()
		got := pasteAll(t, p, strings.NewReader(head+tt.text))
		var line *LineError
		if err := p.Err(); len(got) != 0 || p.Malformed != 1 || !errors.As(err, &line) || err.Error() != tt.want {
			t.Errorf("%q: got %d events and %v, want %s", tt.text, len(got), err, tt.want)
		}
	}
}

func TestSymbols(t *testing.T) {
	p := newTestPaste()
	const text = "             cat-42      [003] .....    12.345678: r0_k3x9: (%s <- f) ret=1\n"
	for _, tt := range []struct{ in, want string }{
		{"do_sys+0x10/0x20", "do_sys  16 true"},
		{"do_sys+0x11/0x20 [mod]", "do_sys mod 17 true"},
		{"do_sys+0x12/0x20 [mod] <ffffffff81000012>", "do_sys mod 18 true"},
		{"do_sys+0x13/0x20 <ffffffff81000012>", "do_sys  19 true"},
		{"0xffffffffc0000010", "  0 false"},
		{"[unknown/kretprobe'd]", "  0 false"},
	} {
		for _, ev := range pasteAll(t, p, strings.NewReader(fmt.Sprintf(text, tt.in))) {
			if _, _, _, ok := p.Symbols.Name(symbolBase | 1<<symbolShift | symbolStart - 1); ok {
				t.Error("what is before a function has a name")
			}
			if got := strings.Trim(fmt.Sprintln(p.Symbols.Name(binary.LittleEndian.Uint64(ev.Data[16:]))), "\n"); got != tt.want {
				t.Errorf("%s: got %q, want %q", tt.in, got, tt.want)
			}
		}
	}
}

// FuzzPaste reads anything, and asks for what every event must be. It parses the kernel's
// own lines as a strict parser does.
func FuzzPaste(f *testing.F) {
	f.Add([]byte("CPU:1 [LOST 3 EVENTS]\n             cat-42      [003] .....    12.345678: r0_k3x9: (do_sys+0x1/0x2 <- vfs_open) ret=1\n"))
	f.Add([]byte("     cat-42        3d.h1.   12us+: e0_k3x9: (vfs_open+0x0/0x1) fd=1 ptr=0x1 b={1,2,3,4} c='x' n=1 s1_k3x9=\"a\" s2_k3x9=(fault)\n"))
	badinput.Fuzz(f, func(t *testing.T, text []byte) {
		text = text[:min(len(text), 1<<14)]
		p := newTestPaste()
		for _, ev := range pasteAll(t, p, strings.NewReader(string(text))) {
			if len(ev.Data) < 32 || ev.TID < 0 || ev.CPU < 0 {
				t.Fatalf("got event %+v", ev)
			}
		}
		if (p.Err() == nil) != (p.Malformed == 0) {
			t.Errorf("%d malformed, error %v", p.Malformed, p.Err())
		}
	})
}
