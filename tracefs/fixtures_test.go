package tracefs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// kernels are the directories of testdata/tracefs, each recorded from a kernel.
var kernels = []string{"5.10", "6.1", "6.12", "newest", "arm64"}

// eachKernel runs a test on every recorded kernel.
func eachKernel(t *testing.T, test func(t *testing.T, kernel string, fsys *FS)) {
	for _, k := range kernels {
		t.Run(k, func(t *testing.T) {
			fsys, err := At(filepath.Join("../testdata/tracefs", k))
			if err != nil {
				t.Fatalf("At: %v", err)
			}
			test(t, k, fsys)
		})
	}
}

func parsed[T any](t *testing.T, fsys *FS, file string, parse func(io.Reader) (T, error)) T {
	t.Helper()
	v, err := read(fsys, file, parse)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

func recordedFormats(t *testing.T, fsys *FS) []*Format {
	t.Helper()
	var all []*Format
	for _, e := range []string{"e0_k3x9", "a0_k3x9", "r0_k3x9"} {
		all = append(all, parsed(t, fsys, "instances/tsnoop_1/events/tsnoop_1/"+e+"/format", ParseFormat))
	}
	return all
}

func TestRecordedFeatures(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		want := Features{ArgN: true, ReturnArgs: kernel != "5.10" && kernel != "6.1", Immediate: true, Ustring: true, Symbol: true, Symstr: kernel != "5.10", NotracePid: true, ErrorLog: true}
		if f, err := fsys.Features(); err != nil || *f != want {
			t.Errorf("got %+v, %v, want %+v", f, err, want)
		}
	})
}

// A README that tells of less.
func TestParseFeatures(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Features
	}{
		{"", Features{}},
		{"\t     args: <name>=fetcharg[:type]\n\t fetcharg: (%<register>|$<efield>), @<address>,\n\t           $stack<index>, $stack, $retval, $comm\n" +
			"\t     kernel return probes support: $retval, $arg<N>, $comm\n\t     type: s8/16/32/64, u8/16/32/64, string, symbol,\n", Features{ReturnArgs: true, Symbol: true}},
		{"\t fetcharg: %<register>, $arg<N>\n\t     type: s8, ustring\n  events/\n type: symbol", Features{ArgN: true, Ustring: true}},
	} {
		if f, err := ParseFeatures(strings.NewReader(tt.text)); err != nil || *f != tt.want {
			t.Errorf("%q: got %+v, %v, want %+v", tt.text, f, err, tt.want)
		}
	}
}

func TestRecordedFormat(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		formats := recordedFormats(t, fsys)
		arrayType, char := "u8[]", []FormatField{{Name: "c", Type: "u8", Offset: 44, Size: 1}}
		if kernel == "5.10" {
			arrayType = "u8[4]"
		}
		if kernel == "5.10" || kernel == "6.1" {
			char = nil
		}
		str := 44 + len(char)
		common := []FormatField{
			{Name: "common_type", Type: "unsigned short", Size: 2},
			{Name: "common_flags", Type: "unsigned char", Offset: 2, Size: 1},
			{Name: "common_preempt_count", Type: "unsigned char", Offset: 3, Size: 1},
			{Name: "common_pid", Type: "int", Offset: 4, Size: 4, Signed: true},
		}
		want := &Format{Name: "e0_k3x9", ID: formats[0].ID, Size: str + 12}
		want.Fields = append(append(append(want.Fields, common...),
			FormatField{Name: "__probe_ip", Type: "unsigned long", Offset: 8, Size: 8},
			FormatField{Name: "fd", Type: "s32", Offset: 16, Size: 4, Signed: true},
			FormatField{Name: "file", Type: "u64", Offset: 20, Size: 8},
			FormatField{Name: "bits", Type: "u32", Offset: 28, Size: 4},
			FormatField{Name: "b", Type: arrayType, Offset: 32, Size: 4, Array: true},
			FormatField{Name: "ip", Type: "u64", Offset: 36, Size: 8},
		), char...)
		for i, name := range []string{"s1_k3x9", "bad_k3x9", "s2_k3x9"} {
			want.Fields = append(want.Fields, FormatField{Name: name, Type: "__data_loc char[]", Offset: str + 4*i, Size: 4, Signed: true, DataLoc: true})
		}
		if diff := cmp.Diff(want, formats[0], cmpopts.IgnoreFields(Format{}, "Print")); diff != "" || want.ID < 1000 {
			t.Errorf("entry (-want +got)\n%s", diff)
		}
		array := FormatField{Name: "v_k3x9", Type: "__data_loc char[][2]", Offset: 16, Size: 8, Signed: true, DataLoc: true, Array: true}
		if diff := cmp.Diff(array, formats[1].Fields[5]); diff != "" {
			t.Errorf("string array (-want +got)\n%s", diff)
		}
		if f := formats[2]; f.Size != 32 || f.Fields[4].Name != "__probe_func" || f.Fields[5].Name != "__probe_ret_ip" {
			t.Errorf("return: got %+v", f)
		}
	})
}

// recordedEvents parses a recorded trace_pipe.
func recordedEvents(t *testing.T, fsys *FS, file string) ([]testEvent, TextCounts) {
	t.Helper()
	text, err := fsys.root.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := NewTextParser(TextOptions{Formats: recordedFormats(t, fsys), Order: binary.LittleEndian,
		Addr: func(string) (uint64, bool) { return 0x1000, true }})
	var all []testEvent
	for ev := range p.Events(bytes.NewReader(text)) {
		all = append(all, keep(ev))
	}
	return all, p.Counts
}

func TestRecordedText(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		formats := recordedFormats(t, fsys)
		events, counts := recordedEvents(t, fsys, "trace_pipe")
		if counts != (TextCounts{}) {
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
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		events, counts := recordedEvents(t, fsys, "trace_pipe_lost")
		text, _ := fsys.root.ReadFile("trace_pipe_lost")
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
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || len(events)+len(want) != 20 || counts != (TextCounts{}) {
			t.Errorf("got %d events, counts %+v (-want +got)\n%s", len(events), counts, diff)
		}
	})
}

func TestRecordedStacks(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		events, counts := recordedEvents(t, fsys, "trace_pipe_stack")
		text, _ := fsys.root.ReadFile("trace_pipe_stack")
		stacks := bytes.Count(text, []byte("<stack trace>\n"))
		lines := uint64(stacks + bytes.Count(text, []byte("\n => ")))
		if len(events) == 0 || len(events) != stacks || counts != (TextCounts{Skipped: lines}) {
			t.Errorf("got %d events and counts %+v, want %d events and %d lines", len(events), counts, stacks, lines)
		}
	})
}

func TestRecordedErrors(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		fn := "do_filp_open"
		if kernel == "newest" {
			fn = "do_file_open"
		}
		want := []LogEntry{
			{"trace_kprobe", "Invalid probed address or symbol", "p:tsnoop_1/x no_such_function", 13},
			{"trace_kprobe", "Unknown type is specified", "p:tsnoop_1/x " + fn + " a=$arg1:u65", 34},
			{"trace_kprobe", "Invalid register name", "p:tsnoop_1/x " + fn + " a=%nosuch", 28},
			{"trace_kprobe", "Dereference brace is not closed", "p:tsnoop_1/x " + fn + " a=+0($arg1:string", 36},
		}
		if diff := cmp.Diff(want, parsed(t, fsys, "error_log", ParseErrorLog)); diff != "" {
			t.Errorf("error_log (-want +got)\n%s", diff)
		}
		if diff := cmp.Diff(LogEntry{Text: "Missing matching quote", Command: `fd == "a`, Column: 6}, parsed(t, fsys, "refused_filter", parseFilterError)); diff != "" {
			t.Errorf("filter (-want +got)\n%s", diff)
		}
	})
}

func TestRecordedProbes(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		fn := "do_filp_open"
		if kernel == "newest" {
			fn = "do_file_open"
		}
		want := []ProbeLine{
			{"p", "tsnoop_1", "e0_k3x9", fn}, {"p", "tsnoop_1", "a0_k3x9", fn},
			{"r10", "tsnoop_1", "r0_k3x9", fn}, {"p", "other", "theirs", "vfs_read"},
		}
		got := parsed(t, fsys, "kprobe_events", ParseProbes)
		if len(got) > 2 {
			want[2].Kind = got[2].Kind // how many instances is the kernel's choice
		}
		if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got[2].Kind, "r") {
			t.Errorf("kprobe_events (-want +got)\n%s", diff)
		}
		profile := parsed(t, fsys, "kprobe_profile", ParseProfile)
		if p := profile["r0_k3x9"]; len(profile) != 4 || p.Hits < 4 || p.Misses != 0 && kernel != "5.10" {
			t.Errorf("kprobe_profile: got %+v", profile)
		}
		s := fsys.newSession("tsnoop_1", nil)
		stats, err := s.Stats()
		if err != nil || len(stats) != 2 || stats[0].CPU != 0 || stats[1].CPU != 1 {
			t.Fatalf("Stats: got %+v, %v", stats, err)
		}
		if n := stats[0].Entries + stats[1].Entries; n != 16 || stats[0].Overrun != 0 || stats[0].Bytes+stats[1].Bytes < 500 {
			t.Errorf("Stats: got %+v", stats)
		}
	})
}

func TestRecordedOptions(t *testing.T) {
	eachKernel(t, func(t *testing.T, kernel string, fsys *FS) {
		got := parsed(t, fsys, "instances/tsnoop_1/trace_options", parseOptions)
		if on, known := got["overwrite"]; !on || !known {
			t.Error("overwrite is not on")
		}
		if on, known := got["sym-addr"]; on || !known {
			t.Error("sym-addr is not off")
		}
	})
}
