package text

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs"
)

// testFormat is an entry event with numbers, then strings, like those the
// program defines.
func testFormat() *tracefs.Format {
	return &tracefs.Format{
		Group: "tsnoop_1", Name: "e0_k3x9", ID: 1234, Size: 46,
		Fields: []tracefs.FormatField{
			{Name: "common_type", Type: "unsigned short", Offset: 0, Size: 2},
			{Name: "common_flags", Type: "unsigned char", Offset: 2, Size: 1},
			{Name: "common_preempt_count", Type: "unsigned char", Offset: 3, Size: 1},
			{Name: "common_pid", Type: "int", Offset: 4, Size: 4, Signed: true},
			{Name: "__probe_ip", Type: "unsigned long", Offset: 8, Size: 8},
			{Name: "fd", Type: "s32", Offset: 16, Size: 4, Signed: true},
			{Name: "ptr", Type: "u64", Offset: 20, Size: 8},
			{Name: "b", Type: "u16[4]", Offset: 28, Size: 8, Array: true},
			{Name: "c", Type: "u8", Offset: 36, Size: 1},
			{Name: "n", Type: "u8", Offset: 37, Size: 1},
			{Name: "s1_k3x9", Type: "__data_loc char[]", Offset: 38, Size: 4, DataLoc: true, Signed: true},
			{Name: "s2_k3x9", Type: "__data_loc char[]", Offset: 42, Size: 4, DataLoc: true, Signed: true},
		},
	}
}

func returnFormat() *tracefs.Format {
	return &tracefs.Format{
		Group: "tsnoop_1", Name: "r0_k3x9", ID: 1235, Size: 32,
		Fields: []tracefs.FormatField{
			{Name: "common_type", Type: "unsigned short", Offset: 0, Size: 2},
			{Name: "common_pid", Type: "int", Offset: 4, Size: 4, Signed: true},
			{Name: "__probe_func", Type: "unsigned long", Offset: 8, Size: 8},
			{Name: "__probe_ret_ip", Type: "unsigned long", Offset: 16, Size: 8},
			{Name: "ret", Type: "u64", Offset: 24, Size: 8},
		},
	}
}

// A testEvent is an Event that can be kept and compared.
type testEvent struct {
	Name string
	Time uint64
	CPU  int
	TID  int
	Comm string
	Data []byte
	Lost uint64
}

func keep(ev *tracefs.Event) testEvent {
	return testEvent{ev.Format.Name, ev.Time, ev.CPU, ev.TID, string(ev.Comm), bytes.Clone(ev.Data), ev.Lost}
}

var testSymbols = map[string]uint64{"vfs_open": 0xffffffff81000000, "do_sys": 0xffffffff82000000}

func newTestParser() *Parser {
	return NewParser(Options{
		Formats: []*tracefs.Format{testFormat(), returnFormat()}, Order: binary.LittleEndian,
		Addr: func(s string) (uint64, bool) { a, ok := testSymbols[s]; return a, ok },
	})
}

func parseAll(t testing.TB, r io.Reader) ([]testEvent, Counts) {
	t.Helper()
	p := newTestParser()
	var all []testEvent
	for ev, err := range eventsOf(p, r) {
		if err != nil {
			t.Fatalf("Events: %v", err)
		}
		all = append(all, keep(ev))
	}
	return all, p.Counts
}

// entry returns the bytes of a record of testFormat.
func entry(tid int, ip uint64, fd int32, ptr uint64, b [4]uint16, c, n byte, strs ...any) []byte {
	d := make([]byte, 46)
	le := binary.LittleEndian
	le.PutUint16(d[0:], 1234)
	le.PutUint32(d[4:], uint32(tid))
	le.PutUint64(d[8:], ip)
	le.PutUint32(d[16:], uint32(fd))
	le.PutUint64(d[20:], ptr)
	for i, v := range b {
		le.PutUint16(d[28+2*i:], v)
	}
	d[36], d[37] = c, n
	for i, s := range strs {
		word := uint32(len(d))
		if s, ok := s.(string); ok {
			word |= uint32(len(s)+1) << 16
			d = append(append(d, s...), 0)
		}
		le.PutUint32(d[38+4*i:], word)
	}
	return d
}

func TestParser(t *testing.T) {
	const ip = 0xffffffff81000004
	fields := func(s1, s2 string) string {
		return "(vfs_open+0x4/0xf0) fd=-2 ptr=0xffff888000000001 b={0x1,2,3,65535} c='x' n=7 s1_k3x9=" + s1 + " s2_k3x9=" + s2 + "\n"
	}
	event := func(s1, s2 any) []byte {
		return entry(42, ip, -2, 0xffff888000000001, [4]uint16{1, 2, 3, 65535}, 'x', 7, s1, s2)
	}
	head := func(comm string) string {
		return fmt.Sprintf("%16s-%-7d [003] ..... %5d.%06d: e0_k3x9: ", comm, 42, 12, 345678)
	}
	want := func(comm string, data []byte) testEvent {
		return testEvent{Name: "e0_k3x9", Time: 12345678000, CPU: 3, TID: 42, Comm: comm, Data: data}
	}
	lost := func(n uint64, e testEvent) testEvent { e.Lost = n; return e }
	plain := head("cat") + fields(`"a"`, `"b"`)
	plainEvent := want("cat", event("a", "b"))
	stack := "             cat-42      [003] .....    12.345679: <stack trace>\n => vfs_open\n => do_sys [mod]\n"

	for _, tt := range []struct {
		name, text string
		want       []testEvent
		counts     Counts
	}{
		{name: "nothing"},
		{name: "one", text: plain, want: []testEvent{plainEvent}},
		{name: "heading", text: "# tracer: nop\n#\n" + plain, want: []testEvent{plainEvent}, counts: Counts{Skipped: 2}},
		{name: "four flags of 5.10", text: strings.Replace(plain, ".....", "d.h1", 1), want: []testEvent{plainEvent}},
		{name: "no flags", text: strings.Replace(plain, "..... ", "", 1), want: []testEvent{plainEvent}},
		{name: "thread group", text: strings.Replace(plain, " [003]", " (     40) [003]", 1), want: []testEvent{plainEvent}},
		{name: "unknown thread group", text: strings.Replace(plain, " [003]", " (-------) [003]", 1), want: []testEvent{plainEvent}},
		{name: "counter clock", text: strings.Replace(plain, "12.345678", "  99", 1),
			want: []testEvent{{Name: "e0_k3x9", Time: 99, CPU: 3, TID: 42, Comm: "cat", Data: event("a", "b")}}},
		{name: "unknown comm", text: head("<...>") + fields(`"a"`, `"b"`), want: []testEvent{want("<...>", event("a", "b"))}},
		{name: "comm like a header", text: head("x-1 [000] 1.0: ") + fields(`"a"`, `"b"`),
			want: []testEvent{want("x-1 [000] 1.0: ", event("a", "b"))}},
		{name: "comm of newlines", text: plain + head("a\nb: (c)\n-7 [") + fields(`"a"`, `"b"`),
			want: []testEvent{plainEvent, want("a\nb: (c)\n-7 [", event("a", "b"))}},
		{name: "quotes and newlines", text: head("cat") + fields("\"a\" s3=\"\n\x01\xff\"", "\"\"\n\"\"") + plain,
			want: []testEvent{want("cat", event("a\" s3=\"\n\x01\xff", "\"\n\"")), plainEvent}},
		{name: "fault", text: head("cat") + fields("(fault)", "(fault)") + head("cat") + fields("(fault)", `"(fault)"`),
			want: []testEvent{want("cat", event(nil, nil)), want("cat", event(nil, "(fault)"))}},
		{name: "forged header", text: head("cat") + fields(`"a"`, "\"x\"\n             cat-42      [003] .....    12.345678: e1: (f+0x0/0x1) fd=1\n\""),
			want: []testEvent{want("cat", event("a", "x\"\n             cat-42      [003] .....    12.345678: e1: (f+0x0/0x1) fd=1\n"))}},
		{name: "event name without a header", text: head("cat") + fields(`"a"`, "\"\n: e0_k3x9: (\""),
			want: []testEvent{want("cat", event("a", "\n: e0_k3x9: ("))}},
		{name: "lost", text: "CPU:3 [LOST 5 EVENTS]\n" + plain + "CPU:3 [LOST EVENTS]\n" + plain + "CPU:2 [LOST 7 EVENTS]\n" + plain,
			want: []testEvent{lost(5, plainEvent), lost(tracefs.LostUnknown, plainEvent), plainEvent}},
		{name: "forged lost", text: head("cat") + fields(`"a"`, "\"b\"\nCPU:3 [LOST 5 EVENTS]\n\"") + plain,
			want: []testEvent{want("cat", event("a", "b\"\nCPU:3 [LOST 5 EVENTS]\n")), plainEvent}},
		{name: "stack", text: plain + stack + plain + "CPU:3 [LOST 5 EVENTS]\n" + stack + plain,
			want: []testEvent{plainEvent, plainEvent, lost(5, plainEvent)}, counts: Counts{Skipped: 6}},
		{name: "forged stack", text: head("cat") + fields(`"a"`, "\"b\"\n"+stack[:len(stack)-1]+"\"") + plain,
			want: []testEvent{want("cat", event("a", "b\"\n"+stack[:len(stack)-1])), plainEvent}},
		{name: "line too big", text: head("cat") + "(vfs_open+0x4/0xf0) fd=-2[LINE TOO BIG]\n" + plain,
			want: []testEvent{lost(1, plainEvent)}, counts: Counts{Malformed: 1}},
		{name: "line too big for its mark", text: head("cat") + "(vfs_open+0x4/0xf0) fd=-2" + plain,
			want: []testEvent{lost(1, plainEvent)}, counts: Counts{Malformed: 1}},
		{name: "cut", text: plain + plain[:len(plain)-2], want: []testEvent{plainEvent}},
		{name: "cut before another", text: plain + plain[:len(plain)-2] + "\n" + plain, want: []testEvent{plainEvent, lost(1, plainEvent)}, counts: Counts{Malformed: 1}},
		{name: "no such event", text: strings.Replace(plain, "e0_k3x9", "e9_k3x9", 1), counts: Counts{Skipped: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text))} {
				got, counts := parseAll(t, r)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("text %q: (-want +got)\n%s", tt.text, diff)
				}
				if counts != tt.counts {
					t.Errorf("text %q: got counts %+v, want %+v", tt.text, counts, tt.counts)
				}
			}
		})
	}
}

func TestTextReturn(t *testing.T) {
	const text = "             cat-42      [003] .....    12.345678: r0_k3x9: (%s <- vfs_open) ret=%s\n"
	for _, tt := range []struct {
		caller, ret string
		ip, val     uint64
	}{
		{"do_sys+0x10/0x20", "0xffffffffffffffea", 0xffffffff82000010, 0xffffffffffffffea},
		{"do_sys+0x10/0x20 [mod]", "-22", 0xffffffff82000010, 1<<64 - 22},
		{"0xffffffffc0000010", "do_sys+0x1/0x20 [mod]", 0xffffffffc0000010, 0xffffffff82000001},
		{"[unknown/kretprobe'd]", "nosuch+0x1/0x20", 0, 0},
	} {
		want := make([]byte, 32)
		le := binary.LittleEndian
		le.PutUint16(want, 1235)
		le.PutUint32(want[4:], 42)
		le.PutUint64(want[8:], testSymbols["vfs_open"])
		le.PutUint64(want[16:], tt.ip)
		le.PutUint64(want[24:], tt.val)
		got, _ := parseAll(t, strings.NewReader(fmt.Sprintf(text, tt.caller, tt.ret)))
		if len(got) != 1 || !bytes.Equal(got[0].Data, want) {
			t.Errorf("caller %q, ret %q: got %+v, want data %x", tt.caller, tt.ret, got, want)
		}
	}
}

func TestTextStringArray(t *testing.T) {
	f := &tracefs.Format{Name: "a_k3x9", ID: 7, Size: 16, Fields: []tracefs.FormatField{
		{Name: "common_type", Offset: 0, Size: 2},
		{Name: "v", Type: "__data_loc char[][2]", Offset: 8, Size: 8, DataLoc: true, Array: true},
	}}
	p := NewParser(Options{Formats: []*tracefs.Format{f}, Order: binary.LittleEndian})
	const text = "             cat-42      [003] .....    12.345678: a_k3x9: (vfs_open+0x0/0x1) v={%s}\n"
	for _, tt := range []struct{ in, want string }{
		{`"a","b,c"`, "\a\x00\x00\x00\x00\x00\x00\x00\x10\x00\x02\x00\x12\x00\x04\x00a\x00b,c\x00"},
		{`(fault),"b"`, "\a\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x10\x00\x02\x00b\x00"},
	} {
		var got string
		for ev := range eventsOf(p, strings.NewReader(fmt.Sprintf(text, tt.in))) {
			got = string(ev.Data)
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestTextIdle checks that a record is given as soon as the kernel has nothing
// more, and not before.
func TestTextIdle(t *testing.T) {
	p := newTestParser()
	feed := func(s string) { p.Fed(copy(p.Space(len(s)), s)) }
	line := render(rand.New(rand.NewPCG(1, 2)), nil)
	feed(line[:len(line)-1])
	if ev := p.Next(true); ev != nil {
		t.Errorf("got %+v from a line without its end", ev)
	}
	feed("\n")
	if ev := p.Next(false); ev != nil {
		t.Errorf("got %+v, though the line may go on", ev)
	}
	if ev := p.Next(true); ev == nil {
		t.Error("got nothing from a whole line")
	}
	if ev := p.Next(true); ev != nil {
		t.Errorf("got %+v twice", ev)
	}
}
