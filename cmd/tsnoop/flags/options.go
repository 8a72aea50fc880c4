// Package flags reads the command line: which command, with which flags, and which other
// words. It refuses command lines that cannot be right, with the one that was perhaps
// meant.
package flags

import (
	"time"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/notation"
	"github.com/tsnoop/tsnoop/fetchargs/specfile"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// Options is the command line.
type Options struct {
	Command string        // its name in full
	Empty   bool          // there were no arguments
	Args    []string      // specs, names or a pattern
	Files   []string      // files of specs; their specs follow those in Args
	Specs   *specfile.Set // what was read of Files
	Typed   []string      // the specs in Args that were there before Files were read
	Program []string      // the command to trace, and its arguments
	User    string        // the user to run it as

	// The values of flags in the form in which the engine and the outputs take them.
	// Values that depend on several flags, or on the machine, are added when they are
	// used.
	Plan  host.PlanOptions
	Trace trace.Options
	Show  render.Options

	Count    int
	Duration time.Duration
	From, To When // the part of a recording that is shown
	Offsets  []Offset
	Reader   string // "raw" or "text"
	OnTamper string // "warn" or "restore"
	BTF      []string
	Tracefs  string

	Tree     bool
	Summary  string        // "", "too" (with the calls) or "only"
	Interval time.Duration // between summaries; 0 for one at the end
	Sort     sum.Order     // order of the rows of a summary
	By       []string      // what the rows of a summary are for: of sum.KeyWords, or expressions
	Hists    []string      // expressions to show histograms of
	Heat     bool          // show a heat map, with a row for each interval
	measured bool          // one of Sort, By, Hists and Heat was given
	Notation notation.Notation
	Color    string
	Emit     string // "", "tracefs", "shell" or "boot"
	Explain  bool

	Output   string
	Compress bool          // compress the recording
	Recover  string        // an unfinished recording
	Sync     time.Duration // how old the part of a recording may get that is not on the disk; 0 for any age

	old map[string]bool // the old names of flags that were given
}

// Parse parses the command line. If it is wrong, the error is an [*Error] or spec.Errors,
// and the options are what was understood before it.
func Parse(args []string) (*Options, error) {
	o := &Options{Empty: len(args) == 0, Reader: "raw", OnTamper: "warn", Color: "auto", Notation: notation.All[0], old: map[string]bool{}}
	o.Trace.MaxRate = -1 // let tsnoop choose
	o.Sync = time.Second
	set := pflag.NewFlagSet("tsnoop", pflag.ContinueOnError)
	set.Usage = func() {}
	set.SetNormalizeFunc(o.nameNow)
	for _, f := range o.rows() {
		set.VarPF(&f, f.Name, f.Short, "").NoOptDefVal = f.Value.Bare
	}
	if err := set.Parse(args); err != nil {
		return o, known(set).Explain(err)
	}
	if o.Command != "" {
		return o, nil
	}
	o.Command, o.Args = "trace", set.Args()
	if dash := set.ArgsLenAtDash(); dash >= 0 {
		o.Args, o.Program = o.Args[:dash:dash], o.Args[dash:] // limit the capacity, so that appending to args does not overwrite program
		if len(o.Program) == 0 {
			return o, Errorf("run tsnoop SPEC... -- COMMAND [ARG...]", "no command after --")
		}
	}
	if err := o.takePIDs(false); err != nil {
		return o, err
	}
	o.pickCommand()
	if err := o.takePIDs(o.Command != "replay"); err != nil { // there a number after the file is a spec
		return o, err
	}
	if err := o.implied(set); err != nil {
		return o, err
	}
	if o.Command == "info" {
		o.Args = typeNames(o.Args)
	}
	if err := o.unquoted(); err != nil {
		return o, err
	}
	return o, o.check(set)
}

// Begins reports whether calls are also shown when they begin.
func (o *Options) Begins() bool { return o.Plan.Chain || o.Tree }

// Pairs reports whether both the entry and the return of every call are needed.
func (o *Options) Pairs() bool { return o.Begins() || o.Summary != "" }

// TakesSpecs reports whether the arguments of the command are specs.
func (o *Options) TakesSpecs() bool {
	return o.Command == "trace" || o.Command == "record" || o.Command == "replay"
}
