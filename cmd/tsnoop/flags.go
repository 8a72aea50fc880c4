package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/render"
)

// options are the command line.
type options struct {
	command *command
	args    []string // specs, names or a pattern

	emit     string // "", "tracefs", "shell" or "boot"
	explain  bool
	pids     []int
	follow   bool
	count    int
	duration time.Duration
	output   string
	json     bool
	time     render.TimeMode
	compress bool   // of a recording
	reader   string // "raw" or "text"
	bufferKB int    // per CPU; 0 lets the machine's memory decide
	btf      []string
	arch     string
	kernel   string
	tracefs  string
	color    string
	verbose  bool
}

// A usageError says that the command line is wrong.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

func usagef(hint, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), hint}
}

// later are flags of the command line's contract that this version refuses.
var later = []string{"chain", "kstack", "tree", "deep", "zeros"}

// parseArgs reads the command line.
func parseArgs(args []string) (*options, error) {
	o := &options{color: "auto"}
	f := pflag.NewFlagSet("tsnoop", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.StringVar(&o.emit, "emit", "", "")
	f.Lookup("emit").NoOptDefVal = "tracefs"
	f.BoolVar(&o.explain, "explain", false, "")
	pids := f.StringSliceP("pid", "p", nil, "")
	f.BoolVarP(&o.follow, "follow", "f", false, "")
	f.IntVarP(&o.count, "count", "n", 0, "")
	duration := f.StringP("duration", "d", "", "")
	f.StringVarP(&o.output, "output", "o", "", "")
	f.BoolVar(&o.json, "json", false, "")
	mode := f.StringP("time", "t", "rel", "")
	f.BoolVar(&o.compress, "compress", false, "")
	f.StringVar(&o.reader, "reader", "raw", "")
	buffer := f.StringP("buffer", "b", "", "")
	pages := f.IntP("pages", "P", 0, "")
	f.StringArrayVar(&o.btf, "btf", nil, "")
	f.StringVar(&o.arch, "arch", "", "")
	f.StringVar(&o.kernel, "kernel", "", "")
	f.StringVar(&o.tracefs, "tracefs", "", "")
	f.StringVar(&o.color, "color", "auto", "")
	f.Lookup("color").NoOptDefVal = "always"
	f.BoolVarP(&o.verbose, "verbose", "v", false, "")
	version := f.BoolP("version", "V", false, "")
	help := f.BoolP("help", "h", false, "")
	for _, name := range later {
		short := map[string]string{"chain": "s", "kstack": "k"}[name]
		f.BoolP(name, short, false, "")
	}
	o.command = commandNamed("trace")
	if err := f.Parse(args); err != nil {
		return o, usagef("tsnoop help lists the flags", "%s", strings.TrimPrefix(err.Error(), "pflag: "))
	}
	for _, name := range later {
		if f.Changed(name) {
			return o, usagef("", "--%s is not supported yet", name)
		}
	}
	switch {
	case *help:
		o.command = commandNamed("help")
		return o, nil
	case *version:
		o.command = commandNamed("version")
		return o, nil
	case f.ArgsLenAtDash() >= 0:
		return o, usagef("trace a running one: -p PID", "running a command after -- is not supported yet")
	}
	o.args = f.Args()
	o.pickCommand()
	return o, o.convert(*pids, *duration, *mode, *buffer, *pages)
}

// convert reads the flags that pflag has no type for.
func (o *options) convert(pids []string, duration, mode, buffer string, pages int) error {
	var ok bool
	var err error
	if o.time, ok = render.ParseTimeMode(mode); !ok {
		return usagef("", "--time is one of %s, not %q", strings.Join(render.TimeModes(), ", "), mode)
	}
	for _, p := range pids {
		pid, err := strconv.Atoi(strings.TrimSpace(p))
		if err != nil || pid <= 0 {
			return usagef("", "--pid takes process ids separated by commas, not %q", p)
		}
		o.pids = append(o.pids, pid)
	}
	if o.duration, err = parseDuration(duration); err != nil {
		return err
	}
	if o.bufferKB, err = parseBuffer(buffer, pages); err != nil {
		return err
	}
	switch {
	case o.reader != "raw" && o.reader != "text":
		return usagef("", "--reader is raw or text, not %q", o.reader)
	case o.count < 0:
		return usagef("", "--count takes a positive number, not %d", o.count)
	case o.follow && len(o.pids) == 0:
		return usagef("tsnoop -f -p PID SPEC", "--follow needs --pid")
	case o.color != "auto" && o.color != "always" && o.color != "never":
		return usagef("", "--color is auto, always or never, not %q", o.color)
	case o.emit != "" && o.emit != "tracefs" && o.emit != "shell" && o.emit != "boot":
		return usagef("", "--emit is tracefs, shell or boot, not %q", o.emit)
	case o.emit != "" && o.explain:
		return usagef("", "--emit and --explain exclude each other")
	case o.foreign() && o.emit == "" && !o.explain && o.command.name == "trace":
		return usagef("tsnoop --emit "+strings.Join(o.args, " "), "--btf, --arch and --kernel describe another machine: that goes with --emit and --explain")
	}
	return nil
}

// foreign tells whether the output is meant for another machine.
func (o *options) foreign() bool { return len(o.btf) > 0 || o.arch != "" || o.kernel != "" }

// parseDuration reads "1.5s", "2m" or plain seconds.
func parseDuration(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	if err != nil || d <= 0 {
		return 0, usagef("tsnoop -d 10s SPEC", "--duration takes 10s, 500ms, 2m or seconds, not %q", s)
	}
	return d, nil
}

// parseBuffer reads the size of the buffer of one CPU, in KiB.
func parseBuffer(size string, pages int) (int, error) {
	if pages < 0 {
		return 0, usagef("", "--pages takes a positive number, not %d", pages)
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
	if err != nil || n <= 0 || !known {
		return 0, usagef("tsnoop -b 4M SPEC", "--buffer takes a size per CPU such as 512K or 4M, not %q", size)
	}
	return n * unit, nil
}
