package tracefs

import (
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
		want := Features{ArgN: true, ReturnArgs: kernel != "5.10" && kernel != "6.1", Immediate: true, Current: kernel == "newest", Ustring: true, Symbol: true, Symstr: kernel != "5.10", NotracePid: true, ErrorLog: true}
		want.Fprobe = kernel == "6.12" || kernel == "newest"
		want.Eprobe, want.Tprobe = kernel != "5.10", kernel == "6.12" || kernel == "newest"
		if f, err := fsys.Features(); err != nil || *f != want {
			t.Errorf("got %+v, %v, want %+v", f, err, want)
		}
	})
}

// TestParseFeatures reads a README that mentions fewer features.
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
		if diff := cmp.Diff(want, formats[0], cmpopts.IgnoreFields(Format{}, "Print", "byName", "parts", "partAt")); diff != "" || want.ID < 1000 {
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
			{"p", "tsnoop_1", "e0_k3x9", fn, ""}, {"p", "tsnoop_1", "a0_k3x9", fn, ""},
			{"r10", "tsnoop_1", "r0_k3x9", fn, ""}, {"p", "other", "theirs", "vfs_read", ""},
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
