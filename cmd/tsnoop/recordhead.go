package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
	"golang.org/x/sys/unix"
)

// recorded is what tsnoop keeps in a trace.dat for itself, as JSON.
type recorded struct {
	Start  uint64          // ns on the trace clock
	Wall   int64           // ns to add to the trace clock for the time since 1970
	Group  string          // of the events
	Ranges proc.Ranges     `json:",omitempty"` // mapped addresses of the kernel
	Plans  json.RawMessage // of fetchargs.Save

	CPUs []int `json:",omitempty"` // on which the calls that are asked for begin
	Kin  *kin  `json:",omitempty"` // of whose threads the recording is

	// Elsewhere was set by older programs if only some CPUs were recorded.
	Elsewhere bool `json:",omitempty"`
}

// header collects what the pages need to be understood elsewhere, but for symbols,
// which take long, and what is known only in the end.
func (rec *recording) header(fs *tracefs.FS, t *liveTrace) (*tracedat.Header, error) {
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
	return h, err
}

// complete adds to a header what is known only in the end. What cannot be read is
// no reason to lose what was recorded: it is said and left out.
func (rec *recording) complete(h *tracedat.Header, fs *tracefs.FS, s *tracefs.Session) {
	stats, err := s.FinalStats()
	for i := range stats {
		lines, e := s.StatsText(&stats[i])
		if err = firstError(err, e); e == nil {
			h.CPUStats = append(h.CPUStats, fmt.Sprintf("CPU: %d\n%s", stats[i].CPU, lines))
		}
		h.CPUs++
	}
	if err != nil {
		rec.ui.warn("how much was lost is not in %s: %v", rec.name, err)
	}
	if b, err := os.ReadFile("/proc/kallsyms"); err == nil {
		h.Kallsyms = b // modules may have come
	}
	if b, err := fs.ReadFile("saved_cmdlines"); err == nil {
		h.Cmdlines = cmdlines(string(b))
	} else {
		rec.ui.detail("%s has no names of tasks for other tools: %v", rec.name, err)
	}
}

// own is what tsnoop needs for itself.
func (rec *recording) own(t *liveTrace) ([]byte, error) {
	plans, err := fetchargs.Save(t.plans)
	if err != nil {
		return nil, err
	}
	return json.Marshal(recorded{Start: t.start, Wall: t.wall, Group: t.session.Group(), Ranges: t.ranges, Plans: plans, CPUs: t.cpus, Kin: t.kin})
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
