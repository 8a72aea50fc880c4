package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/specfile"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// options holds the command line.
type options struct {
	command *command
	empty   bool     // there were no arguments
	args    []string // specs, names or a pattern
	files   []string // files of specs; their specs follow those in args
	specs   *specfile.Set
	typed   []string // specs on the command line
	program []string // the command to trace, and its arguments

	// The values of flags in the form in which the engine and the outputs take them.
	// What depends on several flags, or on the machine, is added when they are used.
	plan  trace.PlanOptions
	trace trace.Options
	show  render.Options

	count    int
	duration time.Duration
	reader   string // "raw" or "text"
	guard    string // "warn" or "rearm"
	btf      []string
	tracefs  string

	tree      bool
	summary   string        // "", "too" (with the calls) or "only"
	interval  time.Duration // between summaries; 0 for one at the end
	sort      render.Order  // order of the rows of a summary
	by        string        // what the rows of a summary are for: comm, caller or an expression
	hists     []string      // expressions to show histograms of
	heat      bool          // show a heat map, with a row for each interval
	measured  bool          // one of sort, by, hists and heat was given
	notations []bool        // by index in notations: the flag was given
	color     string
	emit      string // "", "tracefs", "shell" or "boot"
	explain   bool

	output   string
	compress bool   // compress the recording
	recover  string // an unfinished recording
}

// flags returns all flags of tsnoop. To add one, add a row here, a field in options and
// a line in the help.
func (o *options) flags() []flagRow {
	rows := []flagRow{
		{"file", "F", names(&o.files), "takes the name of a file of specs, or -", "tsnoop -F opens.tsnoop"},
		{"watch", "", yes(&o.trace.Replan), "", ""},
		{"pid", "p", setter{set: o.addPIDs}, "takes process ids separated by commas", "tsnoop -p 17,42 SPEC"},
		{"follow", "f", yes(&o.trace.Follow), "", ""},
		{"comm", "", parsed(&o.plan.Comm, parseComm), "takes a glob for names of tasks", "tsnoop --comm 'nginx*' SPEC"},
		{"cpu", "", parsed(&o.trace.CPUs, tracefs.ParseCPUs), "takes numbers of CPUs", "tsnoop --cpu 0,2-3 SPEC"},
		{"wait-module", "", yes(&o.plan.Wait), "", ""},
		{"count", "n", number(&o.count, 1<<62), "takes a number of calls", "tsnoop -n 10 SPEC"},
		{"duration", "d", parsed(&o.duration, parseDuration), "takes 10s, 500ms, 2m or seconds", "tsnoop -d 10s SPEC"},

		{"chain", "s", yes(&o.plan.Chain), "", ""},
		{"tree", "", yes(&o.tree), "", ""},
		{"kstack", "k", yes(&o.trace.Stacks), "", ""},
		{"deep", "", yes(&o.plan.Deep), "", ""},
		{"zeros", "", yes(&o.show.Zeros), "", ""},
		{"types", "", yes(&o.show.Types), "", ""},
		{"compact", "", yes(&o.show.Compact), "", ""},
		{"summary", "", optional("too", oneOf(&o.summary, "too", "only")), "takes nothing or only", "tsnoop --summary=only SPEC"},
		{"sort", "", oneOfParsed(&o.sort, render.ParseOrder, render.Orders()), "is one of " + strings.Join(render.Orders(), ", "), "tsnoop --sort calls SPEC"},
		{"by", "", parsed(&o.by, some), "takes comm, caller or a value", "tsnoop --by comm SPEC"},
		{"hist", "", words(&o.hists), "takes a value", "tsnoop --hist count 'vfs_read(count)'"},
		{"heat", "", yes(&o.heat), "", ""},
		{"interval", "i", parsed(&o.interval, parseDuration), "takes 10s, 500ms, 2m or seconds", "tsnoop --summary -i 1s SPEC"},
		{"group", "", oneOfParsed(&o.show.Group, render.ParseGroupMode, render.GroupModes()), "is " + strings.Join(render.GroupModes(), " or "), "tsnoop --group task SPEC"},
		{"time", "t", parsed(&o.show.Time, render.ParseTimeMode), "is one of " + strings.Join(render.TimeModes(), ", "), "tsnoop -t clock SPEC"},
		{"output", "o", word(&o.output), "takes the name of a file", "tsnoop -o calls SPEC"},
		{"compress", "", yes(&o.compress), "", ""},
		{"recover", "", word(&o.recover), "takes the name of a file", "tsnoop record --recover FILE"},
		{"color", "", optional("always", oneOf(&o.color, "auto", "always", "never")), "is auto, always or never", "tsnoop --color=never SPEC"},
		{"verbose", "v", yes(&o.show.Verbose), "", ""},

		{"emit", "", optional("tracefs", oneOf(&o.emit, "tracefs", "shell", "boot")), "is tracefs, shell or boot", "tsnoop --emit=shell SPEC"},
		{"explain", "", yes(&o.explain), "", ""},
		{"btf", "", names(&o.btf), "takes the name of a file", "tsnoop --btf vmlinux.btf --emit SPEC"},
		{"arch", "", parsed(&o.plan.Arch, parseArch), "takes " + strings.Join(abi.Names(), " or "), "tsnoop --arch arm64 --emit SPEC"},
		{"kernel", "", parsed(&o.plan.Features, parseKernel), "takes a version", "tsnoop --kernel 5.10 --emit SPEC"},

		{"buffer", "b", parsed(&o.trace.BufferKB, parseBuffer), "takes a size per CPU such as 512K or 4M", "tsnoop -b 4M SPEC"},
		{"pages", "P", parsed(&o.trace.BufferKB, parsePages), "takes a number of pages", "tsnoop -P 256 SPEC"},
		{"maxactive", "", number(&o.plan.MaxActive, fetchargs.MostActive), "takes a number from 1 to " + strconv.Itoa(fetchargs.MostActive), "tsnoop --maxactive 100 SPEC"},
		{"reader", "", oneOf(&o.reader, "raw", "text"), "is raw or text", "tsnoop --reader=text SPEC"},
		{"guard", "", oneOf(&o.guard, "warn", "rearm"), "is warn or rearm", "tsnoop --guard=rearm SPEC"},
		{"max-rate", "", parsed(&o.trace.MaxRate, parseRate), "takes a number of events a second, 0 for any", "tsnoop --max-rate 1000 SPEC"},
		{"yes-really", "", yes(&o.trace.Really), "", ""},
		{"tracefs", "", word(&o.tracefs), "takes a directory", "tsnoop --tracefs /sys/kernel/tracing SPEC"},
		{"version", "V", o.instead("version"), "", ""},
		{"help", "h", o.instead("help"), "", ""},
	}
	o.notations = make([]bool, len(notations))
	for i, n := range notations[1:] {
		rows = append(rows, flagRow{n.name, "", yes(&o.notations[1+i]), "", ""})
	}
	return rows
}

// parseArgs parses the command line.
func parseArgs(args []string) (*options, error) {
	o := &options{empty: len(args) == 0, reader: "raw", guard: "warn", color: "auto"}
	o.trace.MaxRate = -1 // let tsnoop choose
	set := pflag.NewFlagSet("tsnoop", pflag.ContinueOnError)
	set.Usage = func() {}
	for _, f := range o.flags() {
		set.VarPF(&f, f.name, f.short, "").NoOptDefVal = f.value.bare
	}
	if err := set.Parse(args); err != nil {
		return o, flagError(set, err)
	}
	if o.command != nil {
		return o, nil
	}
	o.command, o.args = commandNamed("trace"), set.Args()
	if dash := set.ArgsLenAtDash(); dash >= 0 {
		o.args, o.program = o.args[:dash:dash], o.args[dash:] // limit the capacity, so that appending to args does not overwrite program
		if len(o.program) == 0 {
			return o, usagef("tsnoop SPEC... -- COMMAND [ARG...]", "which command? There is nothing behind --")
		}
	}
	if err := o.takePIDs(); err != nil {
		return o, err
	}
	if err := o.implied(set); err != nil {
		return o, err
	}
	o.pickCommand()
	if err := o.unquoted(); err != nil {
		return o, err
	}
	return o, cmp.Or(o.check(), o.checkGroup(), o.checkHeeded(set))
}

// check refuses flags that do not go together.
func (o *options) check() error {
	switch {
	case o.trace.Stacks && o.reader == "text":
		return usagef("", "--kstack needs --reader=raw: text does not say which event a stack belongs to")
	case o.recover != "" && o.command.name != "record":
		return usagef("tsnoop record --recover FILE", "--recover goes with record")
	case o.program != nil && o.command.name != "trace" && o.command.name != "record":
		return usagef("", "%s runs no command", o.command.name)
	case o.program != nil && len(o.trace.Pids) > 0:
		return usagef("", "either a command behind -- is traced, or with --pid one that runs already")
	case o.program != nil && (o.emit != "" || o.explain):
		return usagef("", "--emit and --explain run no command")
	case len(o.files) > 0 && !o.takesSpecs():
		return usagef("", "%s takes no specs, so none from a file", o.command.name)
	case o.trace.Replan && len(o.files) == 0:
		return usagef("tsnoop --watch -F opens.tsnoop", "--watch needs --file")
	case o.trace.Replan && (o.command.name != "trace" || o.emit != "" || o.explain):
		return usagef("", "--watch goes with a trace that is shown live")
	case o.trace.Replan && o.plan.Chain:
		return usagef("--tree shows what calls what, too", "--watch and --chain exclude each other: the specs of a chain are one whole")
	case o.trace.Follow && o.namesFile() != "":
		return usagef("tsnoop -F "+o.namesFile(), "-f is --follow; a file of specs is given with -F")
	case o.trace.Follow && len(o.trace.Pids) == 0 && o.program == nil:
		return usagef("tsnoop -f -p PID SPEC", "--follow needs --pid")
	case o.plan.Deep && o.command.name == "replay":
		return usagef("tsnoop record --deep -o FILE SPEC", "--deep is for recording: a replay shows what was recorded, with what pointers led to")
	case o.emit != "" && o.explain:
		return usagef("", "--emit and --explain exclude each other")
	case o.interval > 0 && o.summary == "":
		return usagef("tsnoop --summary -i 1 SPEC", "--interval needs --summary")
	case o.measured && o.command.name != "trace" && o.command.name != "replay":
		return usagef("tsnoop replay --by comm FILE", "--sort, --by, --hist and --heat go with a trace that is shown, and with replay")
	case (o.plan.Arch != nil || o.plan.Features != nil) && o.emit == "" && !o.explain && (o.command.name == "trace" || o.command.name == "record"):
		return usagef("tsnoop --emit "+strings.Join(o.args, " "), "--arch and --kernel describe another machine: that goes with --emit and --explain")
	}
	return nil
}

// checkGroup refuses headings if nothing could be below them.
func (o *options) checkGroup() error {
	group := o.show.Group
	switch {
	case group == render.GroupNone:
		return nil
	case slices.Contains(o.notations, true):
		return usagef("jq groups objects by .func or .tid: --json | jq -s 'group_by(.func)'", "--group is of text: each object of JSON says by itself whose it is")
	case o.summary == "only":
		return usagef("", "where there are only sums there are no calls that headings could stand above")
	case group == render.GroupFunction && o.begins():
		return usagef("--group task goes with them", "--chain and --tree show functions within each other: they have no headings of functions")
	}
	return nil
}
