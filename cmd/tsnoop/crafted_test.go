package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/testdata/badinput"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A crafted is what a trace.dat file is made of that somebody may have put
// anything into.
type crafted struct {
	own      []byte // tsnoop's option, nil for a file of another tool
	formats  string // one after the other, each from its "name:" on
	kallsyms string
	pages    []byte
	clock    string // "" for mono

	records [][]byte // those in pages: all entries, then all returns
}

const craftedPage = 512

// header is all but the pages.
func (c *crafted) header() *tracedat.Header {
	h := &tracedat.Header{
		Version: 6, LongSize: 8, PageSize: craftedPage, Clock: cmp.Or(c.clock, "mono"), Uname: "Linux n 6.12 x86_64", CPUs: 1,
		Kallsyms: []byte(c.kallsyms), Tsnoop: c.own,
		CPUStats: []string{"CPU: 0\nentries: 1\noverrun: 2\ncommit overrun: 0\nbytes: 5\ndropped events: 0\nread events: 9\n"},
	}
	for i, text := range strings.Split(c.formats, "name:") {
		system := "tsnoop_1"
		if strings.Contains(text, "task_newtask") {
			system = "task"
		} else if strings.Contains(text, "kernel_stack") {
			system = "ftrace"
		}
		if i > 0 {
			h.Events = append(h.Events, tracedat.EventText{System: system, Text: "name:" + text})
		}
	}
	return h
}

// write makes a file of it.
func (c *crafted) write() ([]byte, error) {
	h := c.header()
	size := len(c.pages) / craftedPage * craftedPage
	var file memoryFile
	err := tracedat.Write(&file, h, []tracedat.CPUSource{{ID: 0, Size: int64(size), Pages: bytes.NewReader(c.pages)}})
	return file.b, err
}

// replay shows the file, in all ways that differ, and returns what was printed
// and what was said.
func (c *crafted) replay(t testing.TB, specs []string, given ...string) (printed, said string, _ error) {
	t.Helper()
	o, err := flags.Parse(append([]string{"replay", "-o", filepath.Join(t.TempDir(), "out"), "crafted.dat"}, given...))
	if err != nil {
		t.Fatal(err)
	}
	o.Args = append(o.Args, specs...)
	return readText(o, func(ui *terminal.UI) error { return c.show(o, ui) })
}

// show shows the file.
func (c *crafted) show(o *flags.Options, ui *terminal.UI) error {
	b, err := c.write()
	if err != nil {
		return err // no such file
	}
	return showReplay(bytes.NewReader(b), int64(len(b)), "crafted.dat", o, ui)
}

// A memoryFile is an io.WriteSeeker.
type memoryFile struct {
	b   []byte
	pos int64
}

func (f *memoryFile) Write(b []byte) (int, error) {
	if grow := f.pos + int64(len(b)) - int64(len(f.b)); grow > 0 {
		f.b = append(f.b, make([]byte, grow)...)
	}
	f.pos += int64(copy(f.b[f.pos:], b))
	return len(b), nil
}

func (f *memoryFile) Seek(off int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, errors.ErrUnsupported
	}
	f.pos = off
	return off, nil
}

// sample is a sound recording of a call of each spec.
func sample(t testing.TB, specs ...string) *crafted {
	t.Helper()
	return sampleOf(t, filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf"), specs...)
}

// sampleOf is sample with types of a file.
func sampleOf(t testing.TB, types string, specs ...string) *crafted {
	t.Helper()
	target := &target.Target{Arch: abi.Named("amd64"), Live: true, Pair: true, Kernel: btf.Open(types)}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	plans, err := host.Resolve(specs, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	c := &crafted{kallsyms: "ffffffff81000000 T _text\nffffffff81000100 T caller_one\nffffffff81000900 t caller_two\t[mod]\n"}
	var records [][]byte
	for i, p := range plan.Probes(plans) { // returns before entries
		fields, record := craftedEvent(p, 1000+i)
		c.formats += fields
		records = append(records, record)
	}
	slices.Reverse(records)
	c.records, c.pages = records, pageOf(records)
	if c.own, err = json.Marshal(map[string]any{"Start": 1, "Wall": 2, "Group": "tsnoop_1", "Plans": json.RawMessage(saved)}); err != nil {
		t.Fatal(err)
	}
	return c
}

// craftedEvent is the format of a probe's events, and one of them.
func craftedEvent(p *plan.Probe, id int) (format string, record []byte) {
	order := binary.LittleEndian
	record = order.AppendUint16(nil, uint16(id))
	record = order.AppendUint32(append(record, 0, 0), 77)
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\nID: %d\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"+
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n", p.Event, id)
	add := func(typ, name string, size int, value uint64) {
		fmt.Fprintf(&b, "\tfield:%s %s;\toffset:%d;\tsize:%d;\tsigned:0;\n", typ, name, len(record), size)
		record = append(record, order.AppendUint64(nil, value)[:min(size, 8)]...)
		record = append(record, make([]byte, max(size-8, 0))...)
	}
	stack := uint64(0xffffc90000001000)
	if p.Side == dynevent.Return {
		stack += 8
		add("unsigned long", "__probe_func", 8, 0xffffffff81000110)
		add("unsigned long", "__probe_ret_ip", 8, 0xffffffff81000910)
	} else {
		add("unsigned long", "__probe_ip", 8, 0xffffffff81000110)
	}
	var strs []int
	for _, a := range p.Args {
		switch {
		case a.Name == "stack":
			add("u64", a.Name, 8, stack)
		case a.Name == "caller":
			add("u64", a.Name, 8, 0xffffffff81000110)
		case a.IsString():
			strs = append(strs, len(record))
			add("__data_loc char[]", a.Name, 4, 0)
		case a.Size() == 8:
			add("u64", a.Name, 8, 0xffff888000001000)
		case a.Size() > 8:
			add("u8", a.Name+"[]", a.Size(), 0x0102030405060708)
		default:
			add("u32", a.Name, a.Size(), 7)
		}
	}
	for _, at := range strs {
		order.PutUint32(record[at:], uint32(6<<16|len(record)))
		record = append(record, "a\x1b[2J\x00"...)
	}
	return b.String(), record
}

// pageOf is a page of records.
func pageOf(records [][]byte) []byte {
	order := binary.LittleEndian
	var data []byte
	for _, r := range records {
		r = append(r, make([]byte, -len(r)&3)...)
		data = order.AppendUint32(data, 100<<5) // 100 ns later, the length follows
		data = append(order.AppendUint32(data, uint32(len(r)+4)), r...)
	}
	page := order.AppendUint64(nil, 1_000_000)
	page = append(order.AppendUint64(page, uint64(len(data))), data...)
	return append(page, make([]byte, -len(page)&(craftedPage-1))...)
}

// craftedSpecs have everything that plans can hold. Their records fill less than
// a page.
var craftedSpecs = []string{
	"ip_rcv(skb->dev->name, dev->perm_addr:mac, skb->pkt_type, return) if skb->len != 5 || dev->mtu < 1500",
}

// calm checks that what was written cannot act on a terminal.
func calm(t testing.TB, what, text string) {
	t.Helper()
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && r != unicode.ReplacementChar && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%s: %q in %q", what, text[i:min(len(text), i+4)], text)
	}
}

// The sample is what it seems: it is shown whole.
func TestCraftedSample(t *testing.T) {
	c := sample(t, craftedSpecs...)
	for _, args := range [][]string{nil, {"--json"}, {"--tree"}, {"--summary"}} {
		printed, said, err := c.replay(t, nil, args...)
		if err != nil || !strings.Contains(printed, "ip_rcv") {
			t.Errorf("%q: %v\n%s%s", args, err, printed, said)
		}
		calm(t, "printed", printed)
		t.Logf("%s%s", printed, said)
	}
}

// A call of which only one end was seen is shown if it was asked for, in a tree as without.
func TestHalvesChosen(t *testing.T) {
	for _, tt := range []struct {
		seen        string // the ends: entries < and returns >
		spec, given string
		lines       int
	}{
		{">>", "ip_rcv(skb->len, return)", "", 1}, // the first may have begun before the trace
		{">>", "ip_rcv(skb->len > 3, return)", "", 0},
		{">>", "ip_rcv(skb->len, return)", "--comm=other", 0},
		{">>", "ip_rcv(skb->len, return)", "--cpu=1", 0},
		{">>", "ip_rcv(return)", "--comm=other", 0},
		{">>", "ip_rcv(return)", "--cpu=1", 0},
		{"<<", "ip_rcv(skb->len)", "", 2},
		{"<<", "ip_rcv(skb->len == 3)", "", 0},
		{"<<", "ip_rcv(skb->len)", "--comm=other", 0},
		{"<<", "ip_rcv(skb->len)", "--cpu=1", 0},
	} {
		c := sample(t, "ip_rcv(skb->len, return)")
		var ends [][]byte
		for _, end := range tt.seen {
			ends = append(ends, c.records[strings.IndexRune("<>", end)])
		}
		c.pages = pageOf(ends)
		for _, way := range [][]string{{"-t", "none"}, {"-t", "none", "--tree"}} {
			given := way
			if tt.given != "" {
				given = append(given, tt.given)
			}
			printed, said, err := c.replay(t, []string{tt.spec}, given...)
			if n := strings.Count(printed, "ip_rcv"); err != nil || n != tt.lines {
				t.Errorf("%s %s %q: %d lines, want %d: %v\n%s%s", tt.seen, tt.spec, given, n, tt.lines, err, printed, said)
			}
		}
	}
}

// Times of another clock are not passed off as time.
func TestReplayClock(t *testing.T) {
	for clock, want := range map[string]bool{"counter": true, "mono": false} {
		c := sample(t, craftedSpecs...)
		c.own, c.clock = nil, clock
		_, said, err := c.replay(t, nil)
		if err != nil || strings.Contains(said, "the clock "+clock+" does not count nanoseconds") != want {
			t.Errorf("%s: %v\n%s", clock, err, said)
		}
	}
}

// TestCraftedIndexes: a saved plan that names what is not there is refused: an argument
// after the last, for whatever use, or an empty condition.
func TestCraftedIndexes(t *testing.T) {
	c := sample(t, craftedSpecs...)
	type object = map[string]any
	for _, tt := range []struct {
		name  string
		spoil func(plan, entry, exit object)
	}{
		{"caller", func(_, entry, _ object) { entry["caller"] = len(entry["args"].([]any)) }},
		{"comm", func(_, entry, _ object) { entry["comm"] = len(entry["args"].([]any)) }},
		{"stack", func(_, entry, _ object) { entry["stack"] = len(entry["args"].([]any)) }},
		{"stack below", func(_, entry, _ object) { entry["stack"] = -2 }},
		{"comm of the return", func(_, _, exit object) { exit["comm"] = len(exit["args"].([]any)) }},
		{"stack of the return", func(_, _, exit object) { exit["stack"] = len(exit["args"].([]any)) }},
		{"caller far after a return", func(_, _, exit object) { exit["caller"] = len(exit["args"].([]any)) + 1 }},
		{"caller among a return's", func(_, _, exit object) { exit["caller"] = 0 }},
		{"field", func(_, entry, _ object) { entry["fields"].([]any)[0].(object)["arg"] = len(entry["args"].([]any)) }},
		{"guard", func(_, entry, _ object) {
			entry["fields"].([]any)[0].(object)["guards"].([]any)[0].(object)["arg"] = len(entry["args"].([]any))
		}},
		{"no argument at all", func(_, entry, _ object) { entry["args"], entry["fields"] = nil, nil }},
		{"too many arguments", func(_, entry, _ object) {
			args := entry["args"].([]any)
			for len(args) <= 128 {
				args = append(args, args[0])
			}
			entry["args"] = args
		}},
		{"condition", func(plan, _, _ object) {
			plan["check"] = object{"op": "==", "left": object{"side": "entry", "field": 99}}
		}},
		{"condition on nothing", func(plan, _, _ object) { plan["check"] = object{"and": []any{nil}} }},
		{"bits", func(_, entry, _ object) {
			f := entry["fields"].([]any)[0].(object)
			f["encoding"], f["bits"], f["size"] = "bitfield", 33, 4
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var own object
			if err := json.Unmarshal(c.own, &own); err != nil {
				t.Fatal(err)
			}
			plan := own["Plans"].(object)["plans"].([]any)[0].(object)
			probes := plan["probes"].([]any)
			tt.spoil(plan, probes[0].(object), probes[1].(object))
			bad := *c
			var err error
			if bad.own, err = json.Marshal(own); err != nil {
				t.Fatal(err)
			}
			printed, _, err := bad.replay(t, nil)
			if !errors.Is(err, store.ErrSaved) || printed != "" {
				t.Errorf("%v\n%s", err, printed)
			}
		})
	}
}

// FuzzReplay shows files that anybody may have made: whatever is in them, tsnoop
// ends with a line or an error, and writes nothing that acts on a terminal.
func FuzzReplay(f *testing.F) {
	c := sample(f, craftedSpecs...)
	for _, spec := range []string{"", "ip_rcv(return)", "*(skb->dev->name) if skb->len > 3"} {
		for way := range byte(len(craftedWays)) {
			if spec == "" || way < 2 {
				f.Add(c.own, c.formats, c.kallsyms, c.pages, spec, way)
			}
		}
	}
	f.Add([]byte(nil), c.formats, c.kallsyms, c.pages, "", byte(0))
	f.Add([]byte(nil), events(1, 1200)[0].Text, c.kallsyms, c.pages, "", byte(0)) // see costlyFiles
	for _, spec := range []string{
		"ip_rcv(age=since(skb, skb->len > 100, dev->mtu == 5), by=who(dev))", "ip_rcv(*skb->dev->dev_addr, skb->tstamp:ago, return)", "ip_rcv(*skb)",
	} {
		c := sample(f, spec)
		for way := range byte(3) {
			f.Add(c.own, c.formats, c.kallsyms, c.pages, "", way)
		}
	}
	options := make([]*flags.Options, len(craftedWays))
	for i, given := range craftedWays {
		var err error
		if options[i], err = flags.Parse(append([]string{"replay", "crafted.dat"}, given...)); err != nil {
			f.Fatal(err)
		}
	}
	out := captureStdout(f)
	badinput.Fuzz(f, func(t *testing.T, own []byte, formats, kallsyms string, pages []byte, spec string, way byte) {
		if len(own)+len(formats)+len(kallsyms)+len(pages) > 64<<10 {
			return
		}
		if len(own) == 0 {
			own = nil
		}
		c := &crafted{own: own, formats: formats, kallsyms: kallsyms, pages: pages}
		o := *options[int(way)%len(options)]
		if spec != "" {
			o.Args = append(o.Args[:1:1], spec)
		}
		printed, said, err := out.of(t, func(ui *terminal.UI) error { return c.show(&o, ui) })
		calm(t, "printed", printed)
		calm(t, "said", said)
		calmError(t, err)
	})
}

// craftedWays are the ways to show a recording.
var craftedWays = [][]string{
	nil, {"--json"}, {"--tree"}, {"--chain"}, {"--summary"}, {"--summary=only", "--json"}, {"--kstack"}, {"-v", "-t", "delta"},
	{"--summary", "-i", "0.001"},
}
