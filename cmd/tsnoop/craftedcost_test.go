package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/testdata/badinput"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A costly file is small and has much of one thing. Some took more than a gigabyte, or
// minutes.
type costly struct {
	name   string
	header func(*tracedat.Header)
	want   string // the error; "" if the file is just small enough
	occurs int    // how many events occur; 0 for one
}

var costlyFiles = []costly{
	{"format", func(h *tracedat.Header) { h.Events = events(1, 97_000) }, "file is damaged: 4827835 bytes of a format, more than 262144", 0},
	{"print fmt", func(h *tracedat.Header) {
		h.Events = events(1, 1000)
		h.Events[0].Text += "print fmt: \"" + strings.Repeat("f1=", 60_000) + "\"\n"
	}, "", 0},
	{"fields", func(h *tracedat.Header) { h.Events = events(1, 1200) }, "1200 fields of an event, more than 1024", 0},
	{"fields of many events", func(h *tracedat.Header) { h.Events = events(5000, 15) }, "fields of all events, more than 65536", 0},
	{"most fields", func(h *tracedat.Header) { h.Events = events(64, 1024) }, "", 0},
	{"most fields that occur", func(h *tracedat.Header) { h.Events = events(1500, 10) }, "", 1500},
	{"fields that occur", func(h *tracedat.Header) { h.Events = events(2000, 10) }, "20000 fields of events that occur, more than 15360", 2000},
	{"fields that overlap", func(h *tracedat.Header) {
		h.Events = events(1, 1000)
		h.Events[0].Text = strings.ReplaceAll(h.Events[0].Text, "size:1;", "size:900;")
	}, "", 0},
	{"empty events", func(h *tracedat.Header) { h.Events = make([]tracedat.EventText, 100_000) }, "100000 event formats, more than 16384", 0},
	{"most formats", func(h *tracedat.Header) { h.Events = events(16_000, 4) }, "", 0},
	{"kallsyms", func(h *tracedat.Header) { h.Kallsyms = bytes.Repeat([]byte("ffffffff81000000 T a\n"), 2_500_000) }, "", 0},
	{"most kallsyms", func(h *tracedat.Header) {
		h.Events = events(1, 1)
		h.Events[0].Text += "\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
		h.Kallsyms = bytes.Repeat([]byte("ffffffff81000000 T a\n"), 1_190_000)
	}, "", 0},
	{"printk", func(h *tracedat.Header) { h.Printk = make([]byte, 5<<20) }, "file is damaged: 5242880 bytes of printk formats, more than 4194304", 0},
	{"names of tasks", func(h *tracedat.Header) { h.Cmdlines = names(200_000) }, "bytes of command lines, more than 2097152", 0},
	{"most names of tasks", func(h *tracedat.Header) { h.Cmdlines = names(150_000) }, "", 0},
	{"header page", func(h *tracedat.Header) { h.HeaderPage = strings.Repeat("x", 1<<20) }, "file is damaged: 1048576 bytes of header_page, more than 65536", 0},
	{"objects of JSON", func(h *tracedat.Header) {
		h.Tsnoop = []byte(`{"Plans":{"version":2,"plans":[{"probes":[{"fields":[` + strings.Repeat("{},", 500_000) + `{}]}]}]}}`)
	}, "500008 objects and arrays of JSON in 1500062 bytes, more than 91387", 0},
}

// events are events of some fields each.
func events(n, fields int) (all []tracedat.EventText) {
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "name: e%d\nID: %d\nformat:\n", i, i+1)
		for f := range fields {
			fmt.Fprintf(&b, "\tfield:u8 f%d;\toffset:%d;\tsize:1;\tsigned:0;\n", f, 8+f)
		}
		all = append(all, tracedat.EventText{System: "s", Text: b.String()})
	}
	return all
}

func names(n int) map[int]string {
	names := map[int]string{}
	for i := range n {
		names[i] = "abcdef"
	}
	return names
}

func (c *costly) write(t testing.TB, version int) []byte {
	t.Helper()
	h := &tracedat.Header{Version: version, Zstd: version == 7, LongSize: 8, PageSize: craftedPage, Clock: "mono", CPUs: 1}
	c.header(h)
	var pages []byte
	for i := range max(c.occurs, 1) {
		pages = append(pages, pageOf([][]byte{append([]byte{byte(i + 1), byte((i + 1) >> 8), 0, 0, 9, 0, 0, 0}, make([]byte, 400)...)})...)
	}
	var file memoryFile
	if err := tracedat.Write(&file, h, []tracedat.CPUSource{{Size: int64(len(pages)), Pages: bytes.NewReader(pages)}}); err != nil {
		t.Fatal(err)
	}
	return file.b
}

// cost runs tsnoop and adds a line about its cost: the most memory in KiB, and processor
// time in ms. A process's peak begins with that of the process that has started it, so
// that must be a small one.
func cost() {
	cmd := exec.Command("tsnoop", os.Args[1:]...)
	cmd.Stderr = os.Stderr
	cmd.Run()
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	fmt.Fprintf(os.Stderr, "\ncost %d %d\n", used.Maxrss, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Milliseconds())
}

// checkCost runs tsnoop, which reads size bytes, and returns what it said.
func checkCost(t *testing.T, size int, args ...string) (said string) {
	t.Helper()
	b, err := exec.Command("tsnoop-cost", args...).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	said, figures, _ := strings.Cut(string(b), "\ncost ")
	var memory, ms int64
	if _, err := fmt.Sscan(figures, &memory, &ms); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	t.Logf("%d KiB: %d KiB of memory, %d ms: %.200s", size>>10, memory, ms, said)
	if most := badinput.Memory(size); uint64(memory)<<10 > most && !badinput.Race {
		t.Errorf("%d KiB of memory for %d bytes, more than %d", memory, size, most>>10)
	}
	if used := time.Duration(ms) * time.Millisecond; used > badinput.CPU(size) {
		t.Errorf("%v of processor time for %d bytes", used, size)
	}
	return said
}

// TestCostlyFiles: no file takes more than its size justifies. If a bound is the reason,
// the error names the section, the offset, the value and the bound. Each file is of one
// version in turn, and of both at full size.
func TestCostlyFiles(t *testing.T) {
	for i, c := range costlyFiles {
		for version, given := range map[int]string{6: "--time=rel", 7: "--json"} {
			if version != 6+i%2 && os.Getenv("TSNOOP_TRUST") != "full" {
				continue
			}
			t.Run(fmt.Sprintf("%s, version %d", c.name, version), func(t *testing.T) {
				name := filepath.Join(t.TempDir(), "costly.dat")
				b := c.write(t, version)
				if err := os.WriteFile(name, b, 0o600); err != nil {
					t.Fatal(err)
				}
				said := checkCost(t, len(b), "replay", given, name)
				switch refused := strings.Contains(said, "file is damaged") || strings.Contains(said, "cannot be used"); {
				case version == 7 && strings.Contains(said, "bytes decompressed, more than"): // this comes first
				case refused != (c.want != "") || !strings.Contains(said, c.want):
					t.Errorf("got %s, want %s", said, c.want)
				}
			})
		}
	}
}
