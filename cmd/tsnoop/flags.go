package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/render"
)

// options are the command line.
type options struct {
	command *command
	args    []string // specs, names or a pattern

	emit      string // "", "tracefs", "shell" or "boot"
	explain   bool
	pids      []int
	follow    bool
	comm      string   // glob of task names
	cpus      []int    // nil for all
	program   []string // the command to trace, with its arguments
	count     int
	duration  time.Duration
	wait      bool // for modules that are not loaded
	output    string
	notations []bool // those that are asked for
	time      render.TimeMode
	chain     bool
	tree      bool
	deep      bool // what pointers to structs point to
	zeros     bool // of objects what is zero, too
	types     bool // the C types of members
	compact   bool // an object on one line
	kstack    bool
	summary   string        // "", "too" or "only"
	interval  time.Duration // between summaries; 0 for one at the end
	compress  bool          // of a recording
	recover   string        // a recording that was not finished
	reader    string        // "raw" or "text"
	bufferKB  int           // per CPU; 0 lets the machine's memory decide
	active    int           // maxactive of return probes; 0 lets tsnoop decide
	btf       []string
	arch      string
	kernel    string
	tracefs   string
	color     string
	verbose   bool
}

// A usageError says that the command line is wrong.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

func usagef(hint, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), hint}
}

// A rawFlags is what the command line has for flags that pflag has no type for.
type rawFlags struct {
	pids                                   []string
	cpus, duration, interval, mode, buffer string
	pages                                  int
	version, help                          bool
	given                                  func(flag string) bool
}

// parseArgs reads the command line.
func parseArgs(args []string) (*options, error) {
	o := &options{command: commandNamed("trace")}
	var raw rawFlags
	f := o.flags(&raw)
	raw.given = f.Changed
	if err := f.Parse(args); err != nil {
		return o, flagError(f, err)
	}
	switch {
	case raw.help:
		o.command = commandNamed("help")
		return o, nil
	case raw.version:
		o.command = commandNamed("version")
		return o, nil
	}
	o.args = f.Args()
	if dash := f.ArgsLenAtDash(); dash >= 0 {
		o.args, o.program = o.args[:dash], o.args[dash:]
		if len(o.program) == 0 {
			return o, usagef("tsnoop SPEC... -- COMMAND [ARG...]", "which command? There is nothing behind --")
		}
	}
	o.takePIDs(&raw)
	o.pickCommand()
	if err := o.unquoted(); err != nil {
		return o, err
	}
	if err := o.convert(&raw); err != nil {
		return o, err
	}
	return o, o.check()
}

// flags says which flags there are.
func (o *options) flags(raw *rawFlags) *pflag.FlagSet {
	f := pflag.NewFlagSet("tsnoop", pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}

	f.StringSliceVarP(&raw.pids, "pid", "p", nil, "")
	f.BoolVarP(&o.follow, "follow", "f", false, "")
	f.StringVar(&o.comm, "comm", "", "")
	f.StringVar(&raw.cpus, "cpu", "", "")
	f.IntVarP(&o.count, "count", "n", 0, "")
	f.StringVarP(&raw.duration, "duration", "d", "", "")

	f.StringVarP(&raw.mode, "time", "t", "rel", "")
	f.BoolVar(&o.wait, "wait-module", false, "")
	f.BoolVarP(&o.chain, "chain", "s", false, "")
	f.BoolVar(&o.tree, "tree", false, "")
	f.BoolVarP(&o.kstack, "kstack", "k", false, "")
	f.StringVar(&o.summary, "summary", "", "")
	f.Lookup("summary").NoOptDefVal = "too"
	f.StringVarP(&raw.interval, "interval", "i", "", "")
	f.BoolVar(&o.deep, "deep", false, "")
	f.BoolVar(&o.zeros, "zeros", false, "")
	f.BoolVar(&o.types, "types", false, "")
	f.BoolVar(&o.compact, "compact", false, "")
	o.notationFlags(f)
	f.StringVarP(&o.output, "output", "o", "", "")
	f.BoolVar(&o.compress, "compress", false, "")
	f.StringVar(&o.recover, "recover", "", "")
	f.StringVar(&o.color, "color", "auto", "")
	f.Lookup("color").NoOptDefVal = "always"
	f.BoolVarP(&o.verbose, "verbose", "v", false, "")

	f.StringVar(&o.emit, "emit", "", "")
	f.Lookup("emit").NoOptDefVal = "tracefs"
	f.BoolVar(&o.explain, "explain", false, "")
	f.StringArrayVar(&o.btf, "btf", nil, "")
	f.StringVar(&o.arch, "arch", "", "")
	f.StringVar(&o.kernel, "kernel", "", "")

	f.StringVarP(&raw.buffer, "buffer", "b", "", "")
	f.IntVarP(&raw.pages, "pages", "P", 0, "")
	f.IntVar(&o.active, "maxactive", 0, "")
	f.StringVar(&o.reader, "reader", "raw", "")
	f.StringVar(&o.tracefs, "tracefs", "", "")
	f.BoolVarP(&raw.version, "version", "V", false, "")
	f.BoolVarP(&raw.help, "help", "h", false, "")
	return f
}
