package read

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

var knownFormats = []*tracefs.Format{{Name: "known", ID: knownID}, {Name: "third", ID: knownID + 5}}

// streamOf gives pages, and then an error.
func streamOf(cpu int, pages [][]byte, end error) Source {
	return Source{CPU: cpu, Next: func() ([]byte, error) {
		if len(pages) == 0 {
			return nil, end
		}
		b := pages[0]
		pages = pages[1:]
		return b, nil
	}}
}

// streamsOf makes a stream of each text, on CPU 0 and so on. Pages are separated by |,
// "short" is one without a header, and "error" in the end has the stream fail.
func streamsOf(t testing.TB, l ringbuf.Layout, texts ...string) []Source {
	t.Helper()
	var streams []Source
	for cpu, text := range texts {
		w := &pageWriter{Layout: l}
		end := io.EOF
		var pages [][]byte
		for text := range strings.SplitSeq(text, "|") {
			switch text = strings.TrimSpace(text); text {
			case "error":
				end = errors.New("read error")
			case "short":
				pages = append(pages, make([]byte, l.HeaderSize()-1))
			default:
				pages = append(pages, w.page(t, text))
			}
		}
		streams = append(streams, streamOf(cpu, pages, end))
	}
	return streams
}

// merged writes down the events as CPU:TIME#TID+LOST, and what is damaged.
func merged(t *testing.T, l ringbuf.Layout, texts ...string) (events string, damaged []string) {
	t.Helper()
	o := Options{Layout: l, Formats: knownFormats, Damaged: func(cpu int, err error) {
		what, _, _ := strings.Cut(err.Error(), ":")
		what, _, _ = strings.Cut(what, " at byte")
		damaged = append(damaged, fmt.Sprintf("%d: %s", cpu, what))
	}}
	var b strings.Builder
	for ev, err := range Merge(o, streamsOf(t, l, texts...)) {
		if err != nil {
			t.Fatal(err)
		}
		w := pageWriter{Layout: l}
		if field := w.order().Uint32(ev.Data[8:]); ev.Format != knownFormats[0] || int(field) != ev.TID || len(ev.Data) != 12 {
			t.Errorf("event %+v with field %d", ev, field)
		}
		fmt.Fprintf(&b, " %d:%d#%d", ev.CPU, ev.Time, ev.TID)
		if ev.Lost == tracefs.LostUnknown {
			b.WriteString("+?")
		} else if ev.Lost > 0 {
			fmt.Fprintf(&b, "+%d", ev.Lost)
		}
	}
	return strings.TrimSpace(b.String()), damaged
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name    string
		streams []string
		want    string
		damaged []string
	}{
		{name: "none"},
		{name: "no pages that have records", streams: []string{"", "|", "| 7"}, want: "2:7#1"},
		{name: "by time", streams: []string{"10 40 | 41 90", "20 30 | 35 | 95", "1 50"},
			want: "2:1#1 0:10#1 1:20#1 1:30#2 1:35#3 0:40#2 0:41#3 2:50#2 0:90#4 1:95#4"},
		{name: "at one time the lower CPU comes first", streams: []string{"10 10 20", "5 10 20", "7 10 10 | 10 20"},
			want: "1:5#1 2:7#1 0:10#1 0:10#2 1:10#2 2:10#2 2:10#3 2:10#4 0:20#3 1:20#3 2:20#5"},
		{name: "many CPUs", streams: []string{"9", "8", "7", "6", "5", "4", "3 10", "2 11", "1 12"},
			want: "8:1#1 7:2#1 6:3#1 5:4#1 4:5#1 3:6#1 2:7#1 1:8#1 0:9#1 6:10#2 7:11#2 8:12#2"},
		{name: "others' events", streams: []string{"10? 11 12? | 13?", "5? | 6? | 11?"}, want: "0:11#2"},

		{name: "lost", streams: []string{"10 20 | +5 30 40", "15 | +7 25 | 35"},
			want: "0:10#1 1:15#1 0:20#2 1:25#2+7 0:30#3+5 1:35#3 0:40#4"},
		{name: "lost before another's event", streams: []string{"+5 10? | 20 21"}, want: "0:20#2+5 0:21#3"},
		{name: "lost twice", streams: []string{"+5 10? | +6 11? | 20"}, want: "0:20#3+11"},
		{name: "nobody knows how many", streams: []string{"+? 10 11", "+5 20? | +? 21? | +6 22"}, want: "0:10#1+? 0:11#2 1:22#3+?"},
		{name: "lost in the end", streams: []string{"10 | +5"}, want: "0:10#1"},

		{name: "the rest of a page is damaged", streams: []string{"10 20 ! | 30 50", "25 40"},
			want: "0:10#1 0:20#2 1:25#1 0:30#3+? 1:40#2 0:50#4", damaged: []string{"0: record is beyond the data"}},
		{name: "a damaged page and a loss", streams: []string{"10 ! | +5 30"},
			want: "0:10#1 0:30#2+?", damaged: []string{"0: record is beyond the data"}},
		{name: "the last page is damaged", streams: []string{"10", "20 !"},
			want: "0:10#1 1:20#1", damaged: []string{"1: record is beyond the data"}},
		{name: "no header", streams: []string{"10 | short | 20", "short"},
			want: "0:10#1 0:20#2+?", damaged: []string{"1: page is shorter than its header", "0: page is shorter than its header"}},
		{name: "record without common fields", streams: []string{"10 11- 12", "5"},
			want: "1:5#1 0:10#1 0:12#2+?", damaged: []string{"0: record of 4 bytes"}},
		{name: "a stream fails", streams: []string{"10 | error", "5 20", "error"},
			want: "1:5#1 0:10#1 1:20#2", damaged: []string{"2: read error", "0: read error"}},
	} {
		for _, l := range testLayouts {
			t.Run(fmt.Sprintf("%s/%+v", tt.name, l), func(t *testing.T) {
				got, damaged := merged(t, l, tt.streams...)
				if got != tt.want {
					t.Errorf("%q:\n got %s\nwant %s", tt.streams, got, tt.want)
				}
				if diff := cmp.Diff(tt.damaged, damaged); diff != "" {
					t.Errorf("%q: damaged (-want +got)\n%s", tt.streams, diff)
				}
			})
		}
	}
}

// TestMergeIgnores tests that nobody needs to ask for events, or about damage.
func TestMergeIgnores(t *testing.T) {
	for ev, err := range Merge(Options{Layout: testLayouts[0]}, streamsOf(t, testLayouts[0], "10 ! | short | error", "11-")) {
		t.Errorf("got %+v, %v", ev, err)
	}
}

// TestMergeStops tests that no page is fetched any more once reading has ended.
func TestMergeStops(t *testing.T) {
	w := &pageWriter{Layout: testLayouts[0]}
	fetched := 0
	endless := Source{Next: func() ([]byte, error) {
		fetched++
		return w.page(t, "10 11"), nil
	}}
	n := 0
	for range Merge(Options{Layout: w.Layout, Formats: knownFormats}, []Source{endless}) {
		if n++; n == 3 {
			break
		}
	}
	if fetched != 2 {
		t.Errorf("%d pages for 3 events of 2 a page, want 2", fetched)
	}
}

// manyPages makes streams of full pages, the records of one being between those
// of the others.
func manyPages(t testing.TB, streams, pages int) [][][]byte {
	const records = 4080 / 16
	all := make([][][]byte, streams)
	for i := range all {
		w := &pageWriter{Layout: testLayouts[0]}
		now := i + 1
		for range pages {
			var text strings.Builder
			for range records {
				fmt.Fprintf(&text, "%d ", now)
				now += streams
			}
			all[i] = append(all[i], w.page(t, text.String()))
		}
	}
	return all
}

// mergeAll merges and counts.
func mergeAll(all [][][]byte) (n int) {
	streams := make([]Source, len(all))
	for i, pages := range all {
		streams[i] = streamOf(i, pages, io.EOF)
	}
	for range Merge(Options{Layout: testLayouts[0], Formats: knownFormats}, streams) {
		n++
	}
	return n
}

// TestMergeAllocates tests that events cost no memory: ten times as many need
// no more allocations.
func TestMergeAllocates(t *testing.T) {
	few, many := manyPages(t, 4, 1), manyPages(t, 4, 10)
	for _, all := range [][][][]byte{few, many} {
		if n, want := mergeAll(all), 4*len(all[0])*255; n != want {
			t.Fatalf("%d events, want %d", n, want)
		}
	}
	a, b := testing.AllocsPerRun(10, func() { mergeAll(few) }), testing.AllocsPerRun(10, func() { mergeAll(many) })
	if a != b {
		t.Errorf("%v allocations for 1020 events, %v for 10200", a, b)
	}
}

// BenchmarkMerge merges streams whose records alternate, the worst that can be.
func BenchmarkMerge(b *testing.B) {
	for _, streams := range []int{1, 4, 64} {
		all := manyPages(b, streams, 640/streams)
		b.Run(fmt.Sprintf("streams=%d", streams), func(b *testing.B) {
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				events += mergeAll(all)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
		})
	}
}

// TestMergeFurther: formats may come while pages are read, and are asked for only at
// records that are not known.
func TestMergeFurther(t *testing.T) {
	asked, events := 0, 0
	o := Options{Layout: testLayouts[0], Further: func() []*tracefs.Format {
		if asked++; asked == 2 {
			return knownFormats
		}
		return nil
	}}
	for _, err := range Merge(o, streamsOf(t, testLayouts[0], "10 20 30 40")) {
		if err != nil {
			t.Fatal(err)
		}
		events++
	}
	if asked != 2 || events != 3 {
		t.Errorf("%d events, asked %d times for their formats, want 3 and 2", events, asked)
	}
}

// TestMergeLosing has each event know whether others are lost that may be earlier.
func TestMergeLosing(t *testing.T) {
	for _, tt := range []struct {
		streams []string
		want    string // times of those that know so
	}{
		{[]string{"10 20", "15 25"}, ""},
		{[]string{"10 20 | +5 30 40", "15 | +7 25 | 35"}, "20 25"},
		{[]string{"+5 10 11 12", "7 8 10"}, "7 8"},
		{[]string{"10 | +5", "20 30"}, "20 30"},
		{[]string{"10 !", "20 30"}, "20 30"},
		{[]string{"10 ! | 25", "20 30"}, "20"},
	} {
		l := ringbuf.Layout{LongSize: 8}
		var got []string
		for ev, err := range Merge(Options{Layout: l, Formats: knownFormats}, streamsOf(t, l, tt.streams...)) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Losing {
				got = append(got, fmt.Sprint(ev.Time))
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %v, want %s", tt.streams, got, tt.want)
		}
	}
}
