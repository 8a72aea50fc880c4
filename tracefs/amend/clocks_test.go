package amend

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// clockOf are the clocks of a spec, and what makes an event of it: a time, and its values
// in the order of the record's fields but the clock's.
func clockOf(t *testing.T, text string) (*Stage, func(time uint64, values ...uint64) *tracefs.Event, *plan.Plan) {
	t.Helper()
	target := &target.Target{Kernel: btf.Open("../../testdata/btf/linux-6.12-amd64.btf"), Arch: abi.Named("amd64"), Features: dynevent.Features{ArgN: true}, Live: true, Calls: true}
	plans, err := host.Resolve([]string{text}, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := store.Save(plans)
	if err != nil {
		t.Fatal(err)
	}
	if plans, err = store.Load(saved); err != nil { // as of a recording
		t.Fatal(err)
	}
	plan := plans[0]
	r := New(binary.LittleEndian, Times{})
	r.Learn(layoutOf(t, plan.Entry()))
	f := r.layouts[plan.Entry()].Format
	r.See(nil, true, nil)
	return r, func(time uint64, values ...uint64) *tracefs.Event {
		e := &tracefs.Event{Time: time, Format: f, Data: make([]byte, f.Size)}
		rooms := map[int]bool{}
		for i := range plan.Clocks {
			rooms[plan.Clocks[i].Arg(plan.Entry())] = true
		}
		for i, a := range plan.Entry().Args {
			if rooms[i] || len(values) == 0 {
				continue
			}
			at := f.Field(a.Name)
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], values[0])
			copy(e.Data[at.Offset:at.Offset+at.Size], b[:])
			values = values[1:]
		}
		return e
	}, plan
}

// layoutOf lays out the records of a probe.
func layoutOf(t *testing.T, p *plan.Probe) Layout {
	t.Helper()
	f := &tracefs.Format{ID: 7, Size: 16}
	for i := range p.Args {
		a := &p.Args[i]
		f.Fields = append(f.Fields, tracefs.FormatField{Name: a.Name, Offset: f.Size, Size: a.Size(), DataLoc: a.IsString()})
		f.Size += a.Size()
	}
	slots, err := p.Slots(func(name string) (value.Slot, bool) {
		field := f.Field(name)
		if field == nil {
			return value.Slot{}, false
		}
		return value.Slot{Offset: field.Offset, Size: field.Size, DataLoc: field.DataLoc}, true
	})
	if err != nil {
		t.Fatal(err)
	}
	return Layout{p, f, p.Decoder(slots, binary.LittleEndian, nil)}
}

// shown is what the first clock shows in an event.
func shown(r *Stage, plan *plan.Plan, e *tracefs.Event) string { return allShown(r, plan, e)[0] }

// allShown is what each clock shows in an event, "?" if that is not known.
func allShown(r *Stage, plan *plan.Plan, e *tracefs.Event) (all []string) {
	for i := range plan.Entry().Fields {
		if f := &plan.Entry().Fields[i]; !f.Clock {
			continue
		}
		switch v := r.layouts[plan.Entry()].Decoder.Value(i, e.Data); v.Kind {
		case value.Int:
			all = append(all, fmt.Sprint(v.Uint))
		case value.Text:
			all = append(all, fmt.Sprintf("%s-%d", v.Bytes, v.Uint))
		default:
			all = append(all, "?")
		}
	}
	return all
}

// TestClocks has calls of two files: a file's clock starts with more than 100 bytes, and
// ends with 7.
func TestClocks(t *testing.T) {
	const f, g = 0xffff888000001000, 0xffff888000002000
	type call struct {
		time, file, count uint64
		want              string
	}
	for _, tt := range []struct {
		name, spec string
		calls      []call
	}{
		{"any call", "vfs_read(file, count, since(file))", []call{
			{10, f, 1, "?"}, {25, f, 2, "15"}, {30, g, 1, "?"}, {30, f, 1, "5"}, {30, f, 1, "0"}, {90, g, 9, "60"},
		}},
		{"started", "vfs_read(file, count, since(file, count > 100))", []call{
			{10, f, 1, "?"}, {20, f, 101, "?"}, {25, f, 1, "5"}, {30, f, 7, "10"}, {40, f, 200, "20"}, {41, f, 1, "1"}, {41, g, 1, "?"},
		}},
		{"ended", "vfs_read(file, count, since(file, count > 100, count == 7))", []call{
			{20, f, 101, "?"}, {21, g, 101, "?"}, {25, f, 7, "5"}, {26, f, 7, "?"}, {27, f, 1, "?"}, {28, g, 1, "7"}, {29, f, 101, "?"}, {31, f, 7, "2"},
		}},
		{"ended by what starts it", "vfs_read(file, count, since(file, count > 100, count > 200))", []call{
			{20, f, 101, "?"}, {25, f, 201, "5"}, {26, f, 1, "1"},
		}},
		{"no key", "vfs_read(file, count, since(file->f_count))", []call{{10, 0, 1, "?"}, {20, 0, 1, "?"}}},
		{"earlier by its clock", "vfs_read(file, count, since(file))", []call{{20, f, 1, "?"}, {19, f, 1, "?"}, {22, f, 1, "3"}}},
	} {
		r, event, plan := clockOf(t, tt.spec)
		for i, c := range tt.calls {
			e := event(c.time, c.file, c.count)
			r.clocks.put(e, r.order)
			if got := shown(r, plan, e); got != c.want {
				t.Errorf("%s: call %d shows %s, want %s", tt.name, i, got, c.want)
			}
		}
	}
}

// TestClocksUnknown has calls that may have gone unseen.
func TestClocksUnknown(t *testing.T) {
	for _, tt := range []struct {
		name string
		gap  func(*Stage, *tracefs.Event)
	}{
		{"lost", func(_ *Stage, e *tracefs.Event) { e.Lost = 3 }},
		{"lost, who knows how many", func(_ *Stage, e *tracefs.Event) { e.Lost = tracefs.LostUnknown }},
		{"lost on another CPU", func(_ *Stage, e *tracefs.Event) { e.Losing = true }},
		{"meddled with", func(r *Stage, _ *tracefs.Event) { r.clocks.gap.Store(true) }},
	} {
		r, event, plan := clockOf(t, "vfs_read(file, count, since(file))")
		r.clocks.gap = new(atomic.Bool)
		r.clocks.put(event(10, 1, 1), r.order)
		e := event(20, 1, 1)
		tt.gap(r, e)
		r.clocks.put(e, r.order)
		if got := shown(r, plan, e); got != "?" {
			t.Errorf("%s: %s", tt.name, got)
		}
		e = event(50, 1, 1)
		if r.clocks.put(e, r.order); shown(r, plan, e) != "30" {
			t.Errorf("after it has %s: %s", tt.name, shown(r, plan, e))
		}
	}
	r, event, plan := clockOf(t, "vfs_read(file, count, who(file), since(file))")
	var said []string
	r.clocks.see(func(w tracefs.Warning) { said = append(said, w.Text) }, false)
	for time := range uint64(5) {
		e := event(time, 1, 1)
		if r.clocks.put(e, r.order); shown(r, plan, e) != "?" {
			t.Errorf("of some threads only: %s", shown(r, plan, e))
		}
	}
	if len(said) != 1 || !strings.HasPrefix(said[0], "who(...) and since(...) are not known, because not all tasks") {
		t.Errorf("it has said %q", said)
	}
}

// TestClocksWho: the value is the task of the call that started the clock, when several
// tasks make calls.
func TestClocksWho(t *testing.T) {
	const f, g = 0xffff888000001000, 0xffff888000002000
	type call struct {
		task        string
		tid         int
		file, count uint64
		want        string
	}
	for _, tt := range []struct {
		name, spec string
		calls      []call
	}{
		{"any call", "vfs_read(file, count, who(file))", []call{
			{"a", 1, f, 1, "?"}, {"b", 2, f, 2, "a-1"}, {"c", 3, g, 1, "?"}, {"c", 3, f, 1, "b-2"}, {"", 0, g, 9, "c-3"}, {"d", 4, g, 9, "-0"},
		}},
		{"started", "vfs_read(file, count, who(file, count > 100))", []call{
			{"a", 1, f, 1, "?"}, {"b", 2, f, 101, "?"}, {"c", 3, f, 1, "b-2"}, {"c", 3, f, 200, "b-2"}, {"a", 1, f, 1, "c-3"}, {"a", 1, g, 1, "?"},
		}},
		{"ended", "vfs_read(file, count, who(file, count > 100, count == 7))", []call{
			{"a", 1, f, 101, "?"}, {"b", 2, g, 101, "?"}, {"c", 3, f, 7, "a-1"}, {"c", 3, f, 7, "?"}, {"c", 3, g, 1, "b-2"},
		}},
		{"names that are not valid", "vfs_read(file, count, who(file))", []call{
			{"a\x00b\n-7", 1, f, 1, "?"}, {"\xff\n, x=1)-2", 4194304, f, 2, "a-1"}, {"as long as a name and more", 3, f, 1, "\xff\n, x=1)-2-4194304"}, {"b", 4, f, 1, "as long as a na-3"},
		}},
		{"in a condition", "vfs_read(file, count, who(file, count > 100), pos) if who(file, count > 100) == \"a\"", []call{
			{"a", 1, f, 101, "?"}, {"b", 2, f, 1, "a-1"},
		}},
	} {
		r, event, plan := clockOf(t, tt.spec)
		for i, c := range tt.calls {
			e := event(uint64(i), c.file, c.count)
			e.Comm, e.TID = []byte(c.task), c.tid
			r.clocks.put(e, r.order)
			if got := shown(r, plan, e); got != c.want {
				t.Errorf("%s: call %d shows %q, want %q", tt.name, i, got, c.want)
			}
			if matched := plan.Match([]*value.Decoder{r.layouts[plan.Entry()].Decoder}, [][]byte{e.Data}, 0, false); plan.Decides() && matched != (c.want == "a-1") {
				t.Errorf("%s: call %d, by %s, matches: %t", tt.name, i, c.want, matched)
			}
		}
	}
}

// TestClocksBoth compares who and since of the same keys with a model, among losses, with
// names that change and tasks that share them.
func TestClocksBoth(t *testing.T) {
	r, event, plan := clockOf(t, "vfs_read(file, count, since(file, count > 150, count < 20), who(file, count > 100, count < 30 && count != 7))")
	rng := rand.New(rand.NewPCG(3, 4))
	type begun struct {
		time uint64
		task string
	}
	since, who := map[uint64]begun{}, map[uint64]begun{}
	known := 0
	for time := uint64(1); time < 30000; time++ {
		file, count := rng.Uint64N(40), rng.Uint64N(200)
		e := event(time, file, count)
		e.TID = int(rng.Uint64N(1 << 22))
		e.Comm = []byte(strings.Repeat(string(rune('a'+rng.IntN(20))), rng.IntN(16)))
		if rng.IntN(500) == 0 {
			e.Losing = true
			clear(since)
			clear(who)
		}
		r.clocks.put(e, r.order)
		wantAge, wantTask := "?", "?"
		if b, ok := since[file]; ok {
			wantAge = fmt.Sprint(time - b.time)
		}
		if b, ok := who[file]; ok {
			wantTask = b.task
			known++
		}
		got := allShown(r, plan, e)
		if want := []string{wantAge, wantTask}; !slices.Equal(got, want) {
			t.Fatalf("at %d: %q, want %q", time, got, want)
		}
		if count < 20 {
			delete(since, file)
		}
		if count > 150 {
			since[file] = begun{time: time}
		}
		if count < 30 && count != 7 {
			delete(who, file)
		}
		if count > 100 {
			who[file] = begun{task: fmt.Sprintf("%s-%d", e.Comm, e.TID)}
		}
	}
	if known < 1000 {
		t.Errorf("the task was known %d times", known)
	}
}

// TestClocksAllocate: in the steady state an event costs no memory.
func TestClocksAllocate(t *testing.T) {
	r, event, _ := clockOf(t, "vfs_read(file, count, since(file, count > 100, count < 20), who(file, count > 100, count < 20))")
	var events []*tracefs.Event
	for i := range uint64(400) {
		e := event(i, i%50, i%150)
		e.Comm, e.TID = []byte("task"), int(i)
		events = append(events, e)
	}
	all := func() {
		for _, e := range events {
			r.clocks.put(e, r.order)
		}
	}
	all()
	if n := testing.AllocsPerRun(20, all); n != 0 {
		t.Errorf("%v allocations for %d events", n, len(events))
	}
}

// TestClocksBound compares what there is of many keys with the calls themselves.
func TestClocksBound(t *testing.T) {
	const most, keys = 50, 90
	r, event, plan := clockOf(t, "vfs_read(file, count, since(file, count > 100, count < 20))")
	said := 0
	r.clocks.most, r.clocks.warner = most, func(tracefs.Warning) { said++ }
	rng := rand.New(rand.NewPCG(1, 2))
	type begun struct{ file, time uint64 }
	var all []begun // the earliest first
	for time := uint64(1); time < 20000; time++ {
		file, count := rng.Uint64N(keys), rng.Uint64N(200)
		e := event(time, file, count)
		r.clocks.put(e, r.order)
		want, at := "?", slices.IndexFunc(all, func(b begun) bool { return b.file == file })
		if at >= 0 {
			want = fmt.Sprint(time - all[at].time)
			if count > 100 || count < 20 {
				all = slices.Delete(all, at, at+1)
			}
		}
		if count > 100 {
			if len(all) == most {
				all = all[1:]
			}
			all = append(all, begun{file, time})
		}
		if got := shown(r, plan, e); got != want {
			t.Fatalf("at %d: %s, want %s", time, got, want)
		}
	}
	if said != 1 || len(r.clocks.all) > most {
		t.Errorf("the bound was reported %d times, there is room for %d", said, len(r.clocks.all))
	}
}

// TestClocksOfOthers starts a clock by calls of one function, and ends it by those of another.
func TestClocksOfOthers(t *testing.T) {
	othersClock(t, "vfs_read(since(count, pos, vfs_write(count, pos) if count > 9))")
	both := othersClock(t, "vfs_read(since(count, pos, vfs_write(count, pos) if count > 9), who(count, pos, vfs_write(count, pos) if count > 9))")
	if both[0] != "?" || both[4] != "w-11" {
		t.Errorf("who shows %q", both)
	}
}

// othersClock checks since of a spec, and returns what its last clock shows in each call.
func othersClock(t *testing.T, text string) (last []string) {
	t.Helper()
	target := &target.Target{Kernel: btf.Open("../../testdata/btf/linux-6.12-amd64.btf"), Arch: abi.Named("amd64"), Features: dynevent.Features{ArgN: true}, Live: true, Calls: true}
	plans, err := host.Resolve([]string{text}, target, nil)
	if err != nil || len(plans) != 2 { // who and since share what starts their clock
		t.Fatalf("%d plans, %v", len(plans), err)
	}
	r := New(binary.LittleEndian, Times{})
	var formats []*tracefs.Format
	for i, p := range plans {
		l := layoutOf(t, p.Entry())
		l.Format.ID += i
		formats = append(formats, l.Format)
		r.Learn(l)
	}
	r.See(nil, true, nil)
	for i, c := range []struct {
		plan             int
		time, count, pos uint64
		want             string
	}{
		{0, 10, 20, 1, "?"}, {1, 11, 20, 1, ""}, {0, 12, 20, 2, "?"}, {0, 13, 21, 1, "?"}, {0, 14, 20, 1, "3"}, {0, 15, 20, 1, "?"},
		{1, 16, 20, 1, ""}, {1, 18, 20, 1, ""}, {0, 20, 20, 1, "2"}, {1, 21, 20, 2, ""}, {1, 22, 20, 3, ""}, {0, 23, 20, 2, "2"}, {0, 24, 20, 3, "2"},
	} {
		entry := plans[c.plan].Entry()
		e := &tracefs.Event{Time: c.time, TID: int(c.time), Comm: []byte("rw"[c.plan:][:1]), Format: formats[c.plan], Data: make([]byte, formats[c.plan].Size)}
		for j, k := range plans[c.plan].Clocks[0].KeyFields {
			at := e.Format.Field(entry.Args[entry.Fields[k].Arg].Name)
			binary.LittleEndian.PutUint64(e.Data[at.Offset:], [...]uint64{c.count, c.pos}[j])
		}
		e = r.Event(e)
		last = append(last, "")
		if c.plan == 0 {
			all := allShown(r, plans[0], e)
			if last[i] = all[len(all)-1]; all[0] != c.want || (last[i] == "?") != (c.want == "?") {
				t.Errorf("%s: call %d: %s, want %s", text, i, all, c.want)
			}
		}
	}
	return last
}
