// Command record runs as root in a virtual machine, provokes each form of record in the
// trace ring buffer and prints a txtar. For every scenario it contains the pages, the
// text that the kernel's own reader makes of them (the file trace), and the calls that
// were made, with the clock before and after. See run.sh.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const tracing = "/sys/kernel/tracing"

// events are kprobes on do_sys_openat2(dfd, filename, how). how->mode is 0, so bad
// reads user address 16 and faults after space for the event was reserved.
var events = []struct{ name, args string }{
	{"open", "dfd=$arg1:s32 name=+0($arg2):ustring flags=+0($arg3):u64 comm=$comm"},
	{"odd", "dfd=$arg1:s32"},
	{"full", "dfd=$arg1:s32 name=+0($arg2):ustring"},
	{"fault", "dfd=$arg1:s32 bad=+u16(+8($arg3)):u32"},
}

type call struct {
	dfd   int
	name  string
	sleep time.Duration // before the call
}

// pause is longer than the 2^27 ns that fit into time_delta.
const pause = 150 * time.Millisecond

type scenario struct {
	name    string
	enable  []string          // events, in the form GROUP/EVENT
	needs   string            // file that the kernel must have
	tai     bool              // clock tai instead of mono: its times need the top 5 bits
	control map[string]string // written to files of the instance
	calls   []call
}

var scenarios = []scenario{
	{
		name:    "mixed", // every length, time extends, a filter
		enable:  []string{"ringbuf/open", "ringbuf/odd"},
		control: map[string]string{"events/ringbuf/odd/filter": "dfd & 1"},
		calls: []call{
			{-100, "a", 0}, {1, "", 0}, {2, "three", pause}, {2147483647, strings.Repeat("x", 60), 0},
			{-2147483648, strings.Repeat("x", 61), 0}, {5, strings.Repeat("x", 62), 2 * pause},
			{6, strings.Repeat("x", 63), 0}, {7, strings.Repeat("x", 64), 0}, {8, strings.Repeat("x", 65), 0},
			{9, strings.Repeat("x", 700), pause}, {11, "b c\"d", 0},
		},
	},
	{
		name:    "overflow", // a stored count
		enable:  []string{"ringbuf/full"},
		control: map[string]string{"buffer_size_kb": "4"},
		calls:   repeat(60, strings.Repeat("x", 500)),
	},
	{
		name:    "brimful", // 10 records of 408 bytes: no room for the count
		enable:  []string{"ringbuf/full"},
		control: map[string]string{"buffer_size_kb": "4"},
		calls:   repeat(60, strings.Repeat("x", 375)),
	},
	{
		// A histogram of times makes the kernel check filters in the ring buffer and
		// not in a buffer of their own. A refused event was in the ring buffer, so the
		// next one has an absolute time. (Without clock= the trigger would change
		// trace_clock.)
		name:   "absolute",
		enable: []string{"ringbuf/odd", "ringbuf/fault"},
		needs:  "events/ringbuf/odd/hist",
		control: map[string]string{
			"events/ringbuf/odd/trigger":  "hist:keys=common_pid:ts0=common_timestamp.usecs:clock=mono",
			"events/ringbuf/fault/filter": "dfd == 6",
		},
		calls: repeat(10, "x"),
	},
	{
		name:   "tai",
		enable: []string{"ringbuf/odd", "ringbuf/fault"},
		needs:  "events/ringbuf/odd/hist",
		tai:    true,
		control: map[string]string{
			"events/ringbuf/odd/trigger":  "hist:keys=common_pid:ts0=common_timestamp.usecs:clock=tai",
			"events/ringbuf/fault/filter": "dfd == 6",
		},
		calls: repeat(5, "x"),
	},
	{
		// Here the fault also writes an event after the refused one, which therefore
		// must stay, as a discarded one.
		name:   "discard",
		enable: []string{"ringbuf/odd", "ringbuf/fault", "exceptions/page_fault_kernel"},
		needs:  "events/exceptions/page_fault_kernel/hist", // not arm64
		control: map[string]string{
			"events/ringbuf/odd/trigger":  "hist:keys=common_pid:ts0=common_timestamp.usecs:clock=mono",
			"events/ringbuf/fault/filter": "dfd == 6",
		},
		calls: repeat(10, "x"),
	},
	{
		name:    "subbuf",
		enable:  []string{"ringbuf/full"},
		needs:   "buffer_subbuf_size_kb",
		control: map[string]string{"buffer_subbuf_size_kb": "16"},
		calls:   repeat(8, strings.Repeat("x", 3000)),
	},
}

func repeat(n int, name string) []call {
	calls := make([]call, n)
	for i := range calls {
		calls[i] = call{dfd: i, name: name}
	}
	return calls
}

func main() {
	log.SetFlags(0)
	runtime.LockOSThread()
	one := unix.CPUSet{}
	one.Set(0)
	check(unix.SchedSetaffinity(0, &one))

	var out bytes.Buffer
	uname := unix.Utsname{}
	check(unix.Uname(&uname))
	fmt.Fprintf(&out, "Recorded on Linux %s (%s) by record.\n", unix.ByteSliceToString(uname.Release[:]), runtime.GOARCH)
	section(&out, "header_page", read(tracing+"/events/header_page"))
	for _, e := range events {
		write(tracing+"/kprobe_events", "p:ringbuf/"+e.name+" do_sys_openat2 "+e.args)
		section(&out, "format/"+e.name, read(tracing+"/events/ringbuf/"+e.name+"/format"))
	}
	if s, err := os.ReadFile(tracing + "/events/exceptions/page_fault_kernel/format"); err == nil {
		section(&out, "format/page_fault_kernel", string(s))
	}
	for _, s := range scenarios {
		s.record(&out)
	}
	check(os.WriteFile("/out/pages.txtar", out.Bytes(), 0o644))
}

func (s *scenario) record(out *bytes.Buffer) {
	dir := tracing + "/instances/" + s.name
	check(os.Mkdir(dir, 0o755))
	defer os.Remove(dir) // otherwise its events would fault in the next scenario
	if _, err := os.Stat(filepath.Join(dir, s.needs)); err != nil {
		log.Printf("%s: skipped, no %s", s.name, s.needs)
		return
	}
	clock, id := "mono", int32(unix.CLOCK_MONOTONIC)
	if s.tai {
		clock, id = "tai", unix.CLOCK_TAI
	}
	write(dir+"/trace_clock", clock)
	write(dir+"/tracing_on", "0")
	for file, text := range s.control {
		write(filepath.Join(dir, file), text)
	}
	for _, e := range s.enable {
		write(dir+"/events/"+e+"/enable", "1")
	}
	section(out, s.name+"/calls", s.load(dir, id))
	section(out, s.name+"/trace", squeeze(read(dir+"/trace")))
	section(out, s.name+"/stats", read(dir+"/per_cpu/cpu0/stats"))
	for i, page := range pages(dir) {
		section(out, fmt.Sprintf("%s/page-%d", s.name, i), dump(page))
	}
}

// load makes the calls and returns them as lines "DFD BEFORE AFTER", with times in ns.
func (s *scenario) load(dir string, clock int32) string {
	on, err := os.OpenFile(dir+"/tracing_on", os.O_WRONLY, 0)
	check(err)
	defer on.Close()
	var names []*byte
	for _, c := range s.calls {
		p, err := unix.BytePtrFromString(c.name)
		check(err)
		names = append(names, p)
	}
	times := make([][2]int64, len(s.calls))
	on.WriteString("1")
	for i, c := range s.calls {
		time.Sleep(c.sleep)
		times[i][0] = now(clock)
		openat(c.dfd, names[i]) // fails: no such descriptor
		times[i][1] = now(clock)
	}
	on.WriteString("0")
	var text strings.Builder
	for i, t := range times {
		fmt.Fprintf(&text, "%d %d %d\n", s.calls[i].dfd, t[0], t[1])
	}
	return text.String()
}

// pages reads all pages of CPU 0.
func pages(dir string) (all [][]byte) {
	size := os.Getpagesize()
	if kb, err := os.ReadFile(dir + "/buffer_subbuf_size_kb"); err == nil {
		n, err := strconv.Atoi(strings.TrimSpace(string(kb)))
		check(err)
		size = n << 10
	}
	fd, err := unix.Open(dir+"/per_cpu/cpu0/trace_pipe_raw", unix.O_RDONLY|unix.O_NONBLOCK, 0)
	check(err)
	defer unix.Close(fd)
	for {
		page := make([]byte, size)
		n, err := unix.Read(fd, page)
		if errors.Is(err, unix.EAGAIN) || n == 0 {
			return all
		}
		check(err)
		all = append(all, page[:n])
	}
}

// dump formats 32 bytes per line, preceded by their offset. A run of equal lines is the
// first one and "*". The last line is the size.
func dump(page []byte) string {
	var text strings.Builder
	var last []byte
	starred := false
	for i := 0; i < len(page); i += 32 {
		line := page[i:min(i+32, len(page))]
		if bytes.Equal(line, last) {
			if !starred {
				text.WriteString("*\n")
			}
			starred = true
			continue
		}
		fmt.Fprintf(&text, "%04x %x\n", i, line)
		last, starred = line, false
	}
	fmt.Fprintf(&text, "%04x\n", len(page))
	return text.String()
}

var run = regexp.MustCompile(`x{20,}`)

// squeeze replaces long runs of x by x{COUNT}.
func squeeze(s string) string {
	return run.ReplaceAllStringFunc(s, func(s string) string { return fmt.Sprintf("x{%d}", len(s)) })
}

func section(out *bytes.Buffer, name, text string) {
	fmt.Fprintf(out, "-- %s --\n%s\n", name, strings.TrimSuffix(text, "\n"))
}

func now(clock int32) int64 {
	var t unix.Timespec
	check(unix.ClockGettime(clock, &t))
	return t.Nano()
}

func read(file string) string {
	b, err := os.ReadFile(file)
	check(err)
	return string(b)
}

func write(file, text string) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0)
	check(err)
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		log.Fatalf("%s: write %q: %v", file, text, err)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
