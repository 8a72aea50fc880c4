package text

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/tracefs"
)

// kernels are the directories of testdata/tracefs, each recorded from a kernel.
var kernels = []string{"5.10", "6.1", "6.12", "newest", "arm64"}

// eachKernel runs a test on every recorded kernel.
func eachKernel(t *testing.T, test func(t *testing.T, fsys *tracefs.FS)) {
	for _, k := range kernels {
		t.Run(k, func(t *testing.T) {
			fsys, err := tracefs.At(filepath.Join("../../testdata/tracefs", k))
			if err != nil {
				t.Fatalf("At: %v", err)
			}
			test(t, fsys)
		})
	}
}

func recordedFormats(t *testing.T, fsys *tracefs.FS) []*tracefs.Format {
	t.Helper()
	var all []*tracefs.Format
	for _, e := range []string{"e0_k3x9", "a0_k3x9", "r0_k3x9"} {
		b, err := fsys.ReadFile("instances/tsnoop_1/events/tsnoop_1/" + e + "/format")
		if err != nil {
			t.Fatal(err)
		}
		f, err := tracefs.ParseFormat(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		all = append(all, f)
	}
	return all
}

// recordedEvents parses a recorded trace_pipe.
func recordedEvents(t *testing.T, fsys *tracefs.FS, file string) ([]testEvent, Counts) {
	t.Helper()
	text, err := fsys.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := NewParser(Options{Formats: recordedFormats(t, fsys), Order: binary.LittleEndian,
		Addr: func(string) (uint64, bool) { return 0x1000, true }})
	var all []testEvent
	for ev := range eventsOf(p, bytes.NewReader(text)) {
		all = append(all, keep(ev))
	}
	return all, p.Counts
}

func TestRecordedText(t *testing.T) {
	eachKernel(t, func(t *testing.T, fsys *tracefs.FS) {
		formats := recordedFormats(t, fsys)
		events, counts := recordedEvents(t, fsys, "trace_pipe")
		if counts != (Counts{}) {
			t.Errorf("got counts %+v", counts)
		}
		// str returns the string whose data_loc word is at offset.
		str := func(ev testEvent, offset int) string {
			word := binary.LittleEndian.Uint32(ev.Data[offset:])
			if word>>16 == 0 {
				return "(fault)"
			}
			return strings.TrimSuffix(string(ev.Data[word&0xffff:][:word>>16]), "\x00")
		}
		var got [][]string
		for _, ev := range events {
			line := []string{ev.Name}
			switch f := formats[0]; ev.Name {
			case "e0_k3x9":
				s := f.Size - 12
				line = append(line, str(ev, s), str(ev, s+4), str(ev, s+8), string(ev.Data[32:36]))
				if fd := int32(binary.LittleEndian.Uint32(ev.Data[16:])); fd != -100 {
					t.Errorf("got fd %d", fd)
				}
			case "a0_k3x9":
				line = append(line, str(ev, 16))
			case "r0_k3x9":
				line = append(line, "ret")
				if ret := int64(binary.LittleEndian.Uint64(ev.Data[24:])); ret != -2 {
					t.Errorf("got ret %d", ret)
				}
			}
			if ev.Comm != "cat" || ev.Time == 0 || ev.TID < 10 {
				t.Errorf("got %+v", ev)
			}
			got = append(got, line)
		}
		var want [][]string
		for _, name := range []string{"/tmp/plain", "/tmp/a\nb\"c", "/tmp/\x01\xff\x1b", "/tmp/\" s2_k3x8=\"x\""} {
			want = append(want, []string{"a0_k3x9", "/proc/self/exe"}, []string{"a0_k3x9", name},
				[]string{"e0_k3x9", name, "(fault)", name, "/tmp"}, []string{"r0_k3x9", "ret"})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("events (-want +got)\n%s", diff)
		}
	})
}

func TestRecordedLost(t *testing.T) {
	eachKernel(t, func(t *testing.T, fsys *tracefs.FS) {
		events, counts := recordedEvents(t, fsys, "trace_pipe_lost")
		text, _ := fsys.ReadFile("trace_pipe_lost")
		var want, got []string
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "CPU:") {
				want = append(want, line)
			}
		}
		for _, ev := range events {
			if ev.Lost != 0 {
				got = append(got, fmt.Sprintf("CPU:%d [LOST %d EVENTS]\n", ev.CPU, ev.Lost))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || len(events)+len(want) != 20 || counts != (Counts{}) {
			t.Errorf("got %d events, counts %+v (-want +got)\n%s", len(events), counts, diff)
		}
	})
}

func TestRecordedStacks(t *testing.T) {
	eachKernel(t, func(t *testing.T, fsys *tracefs.FS) {
		events, counts := recordedEvents(t, fsys, "trace_pipe_stack")
		text, _ := fsys.ReadFile("trace_pipe_stack")
		stacks := bytes.Count(text, []byte("<stack trace>\n"))
		lines := uint64(stacks + bytes.Count(text, []byte("\n => ")))
		if len(events) == 0 || len(events) != stacks || counts != (Counts{Skipped: lines}) {
			t.Errorf("got %d events and counts %+v, want %d events and %d lines", len(events), counts, stacks, lines)
		}
	})
}
