package render_test

import (
	stdjson "encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/testdata/badinput"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

func TestCall(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			p := text.New([]render.Source{s.source}, render.Options{Time: render.TimeNone, Symbol: testSymbol})
			line := string(p.End(nil, s.call))
			if got := line[len("  0 ")+18+1:]; got != s.text+"\n" {
				t.Errorf("text\n got %swant %s", got, s.text)
			}
			object := json.New([]render.Source{s.source}, render.Options{Color: true, Symbol: testSymbol})
			if diff := cmp.Diff(s.json+"\n", string(object.End(nil, s.call))); diff != "" {
				t.Errorf("JSON (-want +got):\n%s", diff)
			}
		})
	}
}

func TestColumns(t *testing.T) {
	s := scenes()[0]
	call := func(ns uint64, cpu, tid int) *calls.Call {
		e := *s.call.Entry
		e.Time, e.CPU, e.TID = ns, cpu, tid
		return &calls.Call{Entry: &e}
	}
	const start, wall = 5_000_000_000, 1_700_000_000_000_000_000
	tests := []struct {
		mode render.TimeMode
		want string
	}{
		{render.TimeRel, `
TIME        CPU COMM-TID           CALL
   0.000000   1 ping-102           f()
   1.500001   0 ping-4194304       f()
  -0.000002 255 ping-0             f()
`},
		{render.TimeDelta, `
TIME        CPU COMM-TID           CALL
   0.000000   1 ping-102           f()
   1.500001   0 ping-4194304       f()
  -1.500003 255 ping-0             f()
`},
		{render.TimeBoot, `
TIME          CPU COMM-TID           CALL
     5.000000   1 ping-102           f()
     6.500001   0 ping-4194304       f()
     4.999997 255 ping-0             f()
`},
		{render.TimeClock, `
TIME            CPU COMM-TID           CALL
22:13:25.000000   1 ping-102           f()
22:13:26.500001   0 ping-4194304       f()
22:13:24.999997 255 ping-0             f()
`},
		{render.TimeNone, `
CPU COMM-TID           CALL
  1 ping-102           f()
  0 ping-4194304       f()
255 ping-0             f()
`},
	}
	for _, tt := range tests {
		r := newProbe(false).comm("ping")
		s.source = newSource("f", "", r, nil)
		s.call.Entry = r.event(0, 0, 0)
		p := text.New([]render.Source{s.source}, render.Options{Header: true, Time: tt.mode, Start: start, Clock: func(uint64) int64 { return wall }, Zone: time.UTC})
		got := p.Open([]byte("\n"))
		got = p.End(got, call(start, 1, 102))
		got = p.End(got, call(start+1_500_001_000, 0, 4194304))
		got = p.End(got, call(start-2_500, 255, 0))
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.mode, diff)
		}
	}
}

func TestComm(t *testing.T) {
	tests := []struct{ comm, want string }{
		{"ping", "  0 ping-7             f()\n"},
		{"日本", "  0 日本-7             f()\n"},
		{"a\n1 b", "  0 a\\n1 b-7           f()\n"},
		{"x\x1b\xff\\", "  0 x\\x1b\\xff\\\\-7      f()\n"},
		{"averylongcommand", "  0 averylongcommand-7 f()\n"},
	}
	for _, tt := range tests {
		r := newProbe(false).comm(tt.comm)
		p := text.New([]render.Source{newSource("f", "", r, nil)}, render.Options{Time: render.TimeNone})
		if got := string(p.End(nil, &calls.Call{Entry: r.event(0, 0, 7)})); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.comm, got, tt.want)
		}
	}
}

func TestCaller(t *testing.T) {
	tests := []struct {
		addr    uint64
		verbose bool
		want    string
	}{
		{kernelText + 0x11, false, "ip_rcv_finish -> f()"},
		{kernelText + 0x11, true, "ip_rcv_finish+0x11 -> f()"},
		{kernelText + 0x100, true, "ip_rcv_finish+0x100 -> f()"}, // after the end: f never returns
		{kernelText + 0x120, false, "ext4_a_function_with_a_name_that_is_too_long_for_the_stack [ext4] -> f()"},
		{kernelText + 0x210, false, "f()"}, // a trampoline
		{kernelText + 0x200, false, "f()"}, // which is returned to at its first byte
		{4711, false, "f()"},
		{0, false, "f()"},
	}
	for _, tt := range tests {
		r := newProbe(false).from(tt.addr)
		p := text.New([]render.Source{newSource("f", "", r, nil)}, render.Options{Time: render.TimeNone, Symbol: testSymbol, Verbose: tt.verbose})
		got := string(p.End(nil, &calls.Call{Entry: r.event(0, 0, 7)}))
		if want := "  0 old-7              " + tt.want + "\n"; got != want {
			t.Errorf("%#x: got %q, want %q", tt.addr, got, want)
		}
	}
}

func TestColor(t *testing.T) {
	want := map[string]string{
		"entry only": "ip_rcv_finish\x1b[0m -> \x1b[1mip_rcv\x1b[0m(skb->len=128, dev->name=\x1b[32m\"lo\"\x1b[0m)",
		"orphan":     "\x1b[1mdo_sys_open\x1b[0m(entry not seen) = \x1b[31m-2 (ENOENT)\x1b[0m",
		"fault":      "f\x1b[0m(dev->mtu=\x1b[35m(fault: skb->dev=NULL)\x1b[0m, hi=1)",
	}
	for _, s := range scenes() {
		p := text.New([]render.Source{s.source}, render.Options{Color: true, Symbol: testSymbol})
		got := string(p.End(nil, s.call))
		if !strings.HasPrefix(got, "\x1b[2m   1.0000") || !strings.Contains(got, want[s.name]) {
			t.Errorf("%s: got %q, want %q in it", s.name, got, want[s.name])
		}
		if strings.Count(got, "\x1b[")%2 != 0 {
			t.Errorf("%s: a colour is not ended: %q", s.name, got)
		}
	}
}

// valid reports whether b is JSON.
func valid(b []byte) bool { return stdjson.Valid(b) }

func newSink(asJSON bool, s []render.Source, o render.Options) render.Sink {
	if asJSON {
		return json.New(s, o)
	}
	return text.New(s, o)
}

// FuzzCall puts any bytes where strings come from.
func FuzzCall(f *testing.F) {
	f.Add("ping", "lo", false)
	f.Add("a\n\x1b", "\xff\u202e\x85", true)
	badinput.Fuzz(f, func(t *testing.T, comm, name string, asJSON bool) {
		r := newProbe(false).text("dev->name", name[:min(len(name), 60)]).comm(comm[:min(len(comm), 60)])
		p := newSink(asJSON, []render.Source{newSource("f", "", r, nil)}, render.Options{})
		line := p.End(nil, &calls.Call{Entry: r.event(1, 2, 3)})
		render.CheckSafe(t, line[:len(line)-1])
		if line[len(line)-1] != '\n' || asJSON && !valid(line) {
			t.Errorf("not a line: %q", line)
		}
	})
}

// BenchmarkCall prints every scene; it must not allocate.
func BenchmarkCall(b *testing.B) {
	for _, bb := range []struct {
		name string
		json bool
		opts render.Options
	}{
		{"text", false, render.Options{}},
		{"clock", false, render.Options{Time: render.TimeClock, Verbose: true}},
		{"json", true, render.Options{Time: render.TimeClock}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			bb.opts.Symbol, bb.opts.Zone = testSymbol, time.UTC
			p, all := benchSink(bb.json, bb.opts)
			buf := make([]byte, 0, 1<<16)
			b.ReportAllocs()
			for b.Loop() {
				buf = buf[:0]
				for _, c := range all {
					buf = p.End(buf, c)
				}
				io.Discard.Write(buf)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/call")
		})
	}
}

func TestCallDoesNotAllocate(t *testing.T) {
	for i, o := range []render.Options{{}, {}, {Color: true, Time: render.TimeClock}} {
		o.Symbol = testSymbol
		p, all := benchSink(i == 1, o)
		buf := make([]byte, 0, 1<<16)
		n := testing.AllocsPerRun(100, func() {
			for _, c := range all {
				buf = p.End(buf[:0], c)
			}
		})
		if n != 0 {
			t.Errorf("%+v: %v allocations for %d calls", o, n, len(all))
		}
	}
}

func benchSink(asJSON bool, o render.Options) (render.Sink, []*calls.Call) {
	var sources []render.Source
	var all []*calls.Call
	for i, s := range scenes() {
		s.call.Plan = i
		sources, all = append(sources, s.source), append(all, s.call)
	}
	long := newProbe(false).from(kernelText+0x120).number("fn", funcPtr, kernelText+0x130).
		number("a", be32, 1).number("iph->saddr", be32, 2).number("s", tcpStates, 1)
	sources = append(sources, newSource("long", "ext4", long, nil))
	return newSink(asJSON, sources, o), append(all, &calls.Call{Plan: len(all), Entry: long.event(1, 2, 3)})
}
