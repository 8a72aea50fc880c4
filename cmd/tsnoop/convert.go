package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
)

// convert reads the flags that pflag has no type for.
func (o *options) convert(raw *rawFlags) error {
	var ok bool
	var err error
	if o.time, ok = render.ParseTimeMode(raw.mode); !ok {
		return usagef(takes["time"].example, "--time is one of %s, not %q", strings.Join(render.TimeModes(), ", "), raw.mode)
	}
	for _, p := range strings.Fields(strings.Join(raw.pids, " ")) {
		pid, err := strconv.Atoi(p)
		if err != nil || pid <= 0 {
			return usagef("", "--pid takes process ids separated by commas, not %q", p)
		}
		o.pids = append(o.pids, pid)
	}
	if raw.given("pid") && len(o.pids) == 0 {
		return usagef("", "--pid takes process ids separated by commas, and there is none")
	}
	if raw.given("comm") {
		if err := fetchargs.CheckComm(o.comm); err != nil {
			return usagef("", "--comm: %v", err)
		}
	}
	if raw.given("cpu") {
		if o.cpus, err = tracefs.ParseCPUs(raw.cpus); err != nil {
			return usagef("tsnoop --cpu 0,2-3 SPEC", "--cpu takes numbers of CPUs, not %q", raw.cpus)
		}
	}
	if o.duration, err = parseDuration("duration", raw.duration); err != nil {
		return err
	}
	if o.interval, err = parseDuration("interval", raw.interval); err != nil {
		return err
	}
	if o.bufferKB, err = parseBuffer(raw.buffer, raw.pages); err != nil {
		return err
	}
	return nil
}

// check refuses what does not go together.
func (o *options) check() error {
	switch {
	case o.reader != "raw" && o.reader != "text":
		return usagef(takes["reader"].example, "--reader is raw or text, not %q", o.reader)
	case o.kstack && o.reader == "text":
		return usagef("", "--kstack needs --reader=raw: text does not say which event a stack belongs to")
	case o.active < 0 || o.active > fetchargs.MostActive:
		return usagef(takes["maxactive"].example, "--maxactive is from 1 to %d, not %d", fetchargs.MostActive, o.active)
	case o.recover != "" && o.command.name != "record":
		return usagef("tsnoop record --recover FILE", "--recover goes with record")
	case o.count < 0:
		return usagef(takes["count"].example, "--count takes a positive number, not %d", o.count)
	case o.program != nil && o.command.name != "trace" && o.command.name != "record":
		return usagef("", "%s runs no command", o.command.name)
	case o.program != nil && len(o.pids) > 0:
		return usagef("", "either a command behind -- is traced, or with --pid one that runs already")
	case o.program != nil && (o.emit != "" || o.explain):
		return usagef("", "--emit and --explain run no command")
	case o.follow && len(o.pids) == 0 && o.program == nil:
		return usagef("tsnoop -f -p PID SPEC", "--follow needs --pid")
	case o.color != "auto" && o.color != "always" && o.color != "never":
		return usagef("tsnoop --color=never SPEC", "--color is auto, always or never, not %q", o.color)
	case o.emit != "" && o.emit != "tracefs" && o.emit != "shell" && o.emit != "boot":
		return usagef("tsnoop --emit=shell SPEC", "--emit is tracefs, shell or boot, not %q", o.emit)
	case o.emit != "" && o.explain:
		return usagef("", "--emit and --explain exclude each other")
	case o.summary != "" && o.summary != "too" && o.summary != "only":
		return usagef("tsnoop --summary=only SPEC", "--summary takes nothing or only, not %q", o.summary)
	case o.interval > 0 && o.summary == "":
		return usagef("tsnoop --summary -i 1 SPEC", "--interval needs --summary")
	case (o.arch != "" || o.kernel != "") && o.emit == "" && !o.explain && (o.command.name == "trace" || o.command.name == "record"):
		return usagef("tsnoop --emit "+strings.Join(o.args, " "), "--arch and --kernel describe another machine: that goes with --emit and --explain")
	}
	return nil
}

// foreign tells whether the output is meant for another machine.
func (o *options) foreign() bool { return len(o.btf) > 0 || o.arch != "" || o.kernel != "" }

// parseDuration reads "1.5s", "2m" or plain seconds.
func parseDuration(flag, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	if err != nil || d <= 0 {
		return 0, usagef(takes[flag].example, "--%s takes 10s, 500ms, 2m or seconds, not %q", flag, s)
	}
	return d, nil
}

// parseBuffer reads the size of the buffer of one CPU, in KiB.
func parseBuffer(size string, pages int) (int, error) {
	const most = 1 << 32 // KiB: no kernel has as much for one CPU
	if pages < 0 || pages > most/4 {
		return 0, usagef(takes["pages"].example, "--pages takes a number of pages, not %d", pages)
	}
	if pages > 0 {
		return pages * 4, nil
	}
	if size == "" {
		return 0, nil
	}
	digits := strings.TrimRight(strings.ToUpper(size), "KMGIB")
	n, err := strconv.Atoi(digits)
	factor := map[string]int{"": 1, "K": 1, "KIB": 1, "KB": 1, "M": 1 << 10, "MIB": 1 << 10, "MB": 1 << 10, "G": 1 << 20, "GIB": 1 << 20, "GB": 1 << 20}
	unit, known := factor[strings.ToUpper(size[len(digits):])]
	if err != nil || n <= 0 || !known || n > most/unit {
		return 0, usagef("tsnoop -b 4M SPEC", "--buffer takes a size per CPU such as 512K or 4M, not %q", size)
	}
	return n * unit, nil
}
