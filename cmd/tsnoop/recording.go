package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/sys/unix"
)

// A recording collects the pages of each CPU in a file of its own, FILE.cpuN as
// trace-cmd does, and makes one file of them at the end. A recorder that is
// killed leaves those behind: trace-cmd restore makes something of them.
type recording struct {
	name     string
	ui       *ui
	layout   ringbuf.Layout
	pageSize int
	cpus     map[int]*cpuFile

	created bool // there was no file of that name, and nothing is in it yet

	events, bytes, lost atomic.Uint64
}

type cpuFile struct {
	file *os.File
	w    *bufio.Writer
	size int64
}

// newRecording checks that the file can be written, before anything is armed.
func newRecording(name string, ui *ui) (*recording, error) {
	if name == "" {
		name = "trace.dat"
	}
	_, missing := os.Stat(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return nil, usagef("", "cannot write the recording: %v", err)
	}
	return &recording{name: name, ui: ui, created: missing != nil, cpus: map[int]*cpuFile{}}, f.Close()
}

// add keeps a page.
func (rec *recording) add(p tracefs.Page) error {
	c := rec.cpus[p.CPU]
	if c == nil {
		f, err := os.Create(fmt.Sprintf("%s.cpu%d", rec.name, p.CPU))
		if err != nil {
			return err
		}
		c = &cpuFile{file: f, w: bufio.NewWriterSize(f, 1<<20)}
		rec.cpus[p.CPU] = c
	}
	// A kernel that gives less than a page gives what is in it.
	if _, err := c.w.Write(p.Data); err != nil {
		return err
	}
	for pad := rec.pageSize - len(p.Data); pad > 0; pad-- {
		c.w.WriteByte(0)
	}
	c.size += int64(rec.pageSize)
	rec.bytes.Add(uint64(rec.pageSize))
	return nil
}

// close removes the files of the CPUs, and the recording if nothing came of it.
func (rec *recording) close() error {
	var errs []error
	if rec.created {
		errs = append(errs, os.Remove(rec.name))
	}
	for _, c := range rec.cpus {
		errs = append(errs, os.Remove(c.file.Name()), c.file.Close())
	}
	return errors.Join(errs...)
}

// recorded is what tsnoop keeps in a trace.dat for itself, as JSON.
type recorded struct {
	Start  uint64          // ns on the trace clock
	Wall   int64           // ns to add to the trace clock for the time since 1970
	Group  string          // of the events
	Ranges proc.Ranges     `json:",omitempty"` // mapped addresses of the kernel
	Plans  json.RawMessage // of fetchargs.Save

	Elsewhere bool `json:",omitempty"` // only some CPUs were traced
	Kin       *kin `json:",omitempty"` // of whose threads the recording is
}

// save writes the file.
func (rec *recording) save(fs *tracefs.FS, t *trace, compress bool) error {
	h, err := rec.header(fs, t)
	if err != nil {
		return err
	}
	if compress {
		h.Version, h.Zstd = 7, true
	}
	var cpus []tracedat.CPUSource
	for id, c := range rec.cpus {
		if err := c.w.Flush(); err != nil {
			return err
		}
		if _, err := c.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		cpus = append(cpus, tracedat.CPUSource{ID: id, Size: c.size, Pages: c.file})
	}
	out, err := os.Create(rec.name)
	if err != nil {
		return err
	}
	rec.created = false
	if err := errors.Join(tracedat.Write(out, h, cpus), out.Close()); err != nil {
		return err
	}
	rec.ui.warn("%s: %s", rec.name, rec)
	return nil
}

// header collects what the pages need to be understood elsewhere.
func (rec *recording) header(fs *tracefs.FS, t *trace) (*tracedat.Header, error) {
	own, err := rec.own(t)
	if err != nil {
		return nil, err
	}
	h := &tracedat.Header{
		Version: 6, BigEndian: rec.layout.BigEndian, LongSize: rec.layout.LongSize, PageSize: rec.pageSize,
		Clock: t.clockName, Uname: uname(), Recorder: "tsnoop " + version(), Tsnoop: own,
	}
	group := t.session.Group()
	text := func(name string) string {
		b, e := fs.ReadFile(name)
		err = firstError(err, e)
		return string(b)
	}
	h.HeaderPage, h.HeaderEvent = text("events/header_page"), text("events/header_event")
	for _, p := range fetchargs.Probes(t.plans) {
		h.Events = append(h.Events, tracedat.EventText{System: group, Text: text(path.Join("events", group, p.Event, "format"))})
	}
	if t.kin != nil {
		h.Events = append(h.Events, tracedat.EventText{System: t.kin.format.Group, Text: text("events/task/task_newtask/format")})
	}
	for _, name := range fs.Glob("events/ftrace/*/format") {
		h.Events = append(h.Events, tracedat.EventText{System: "ftrace", Text: text(name)})
	}
	stats, e := t.session.FinalStats()
	err = firstError(err, e)
	for i := range stats {
		lines, e := t.session.StatsText(&stats[i])
		err = firstError(err, e)
		h.CPUStats = append(h.CPUStats, fmt.Sprintf("CPU: %d\n%s", stats[i].CPU, lines))
		h.CPUs++
	}
	if b, err := os.ReadFile("/proc/kallsyms"); err == nil {
		h.Kallsyms = b
	}
	if b, err := fs.ReadFile("saved_cmdlines"); err == nil {
		h.Cmdlines = cmdlines(string(b))
	}
	return h, err
}

// own is what tsnoop needs for itself.
func (rec *recording) own(t *trace) ([]byte, error) {
	plans, err := fetchargs.Save(t.plans)
	if err != nil {
		return nil, err
	}
	return json.Marshal(recorded{Start: t.start, Wall: t.wall, Group: t.session.Group(), Ranges: t.ranges, Plans: plans, Elsewhere: t.elsewhere, Kin: t.kin})
}

// cmdlines parses saved_cmdlines: "TID COMM" a line.
func cmdlines(text string) map[int]string {
	names := map[int]string{}
	for line := range strings.Lines(text) {
		tid, comm, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if n, err := strconv.Atoi(tid); ok && err == nil {
			names[n] = comm
		}
	}
	return names
}

// uname is what trace-cmd keeps of uname(2).
func uname() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Nodename[:]) + " " +
		unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:])
}
