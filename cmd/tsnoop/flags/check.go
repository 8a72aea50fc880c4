package flags

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/notation"
	"github.com/tsnoop/tsnoop/render"
)

// check refuses flags that do not go together, and what the command would ignore.
func (o *Options) check(set *pflag.FlagSet) error {
	return cmp.Or(o.checkProgram(), o.checkSpecFiles(), o.checkFiles(), o.checkForms(), o.checkGroup(),
		o.checkIdle(set), o.checkCommand(set), o.checkArgs())
}

// checkProgram is about whom to trace: the processes of -p, or a command after --.
func (o *Options) checkProgram() error {
	program, pids := o.Program != nil, len(o.Trace.Pids) > 0
	switch {
	case program && o.Command != "trace" && o.Command != "record":
		return Errorf("", "%s runs no command", o.Command)
	case program && pids:
		return Errorf("", "trace either the command after -- or, with --pid, processes that already run")
	case program && o.planOnly():
		return Errorf("", "--emit and --explain run no command")
	case o.User != "" && !program:
		return Errorf("run tsnoop -u "+o.User+" SPEC -- COMMAND", "--user is the user to run a command as, and there is no -- COMMAND")
	case o.Trace.Follow && o.namesFile() != "":
		return Errorf("run tsnoop -F "+o.namesFile(), "-f is --follow; a file of specs is given with -F")
	case o.Trace.Follow && !pids && !program:
		return Errorf("run tsnoop -f -p PID SPEC", "--follow needs --pid")
	}
	return nil
}

// planOnly reports whether plans are shown, and nothing is traced.
func (o *Options) planOnly() bool { return o.Emit != "" || o.Explain }

// checkSpecFiles is about files of specs, and watching them.
func (o *Options) checkSpecFiles() error {
	switch {
	case len(o.Files) > 0 && !o.TakesSpecs():
		return Errorf("", "%s takes no specs, so none from a file", o.Command)
	case !o.Trace.Reload:
	case len(o.Files) == 0:
		return Errorf("run tsnoop --reload -F opens.tsnoop", "--reload needs --file")
	case o.Command != "trace" || o.planOnly():
		return Errorf("", "--reload works only with a live trace")
	case o.Plan.Chain:
		return Errorf("use --tree, which also shows nested calls", "--reload and --chain exclude each other: the specs of a chain are one whole")
	}
	return nil
}

// checkFiles is about the files that are written.
func (o *Options) checkFiles() error {
	switch {
	case o.reads(o.Output):
		return Errorf("", "--output %s: tsnoop also reads this file, and would overwrite it: give another name", o.Output)
	case o.Command == "record" && o.Output == "-":
		return Errorf("run tsnoop record -o trace.dat SPEC", "a recording is written to a file: --output takes its name, not -")
	case o.Recover != "" && o.Command != "record":
		return Errorf("run tsnoop record --recover FILE", "--recover works only with record")
	case o.Plan.Deep && o.Command == "replay":
		return Errorf("run tsnoop record --follow-pointers -o FILE SPEC", "--follow-pointers is for recording: a replay shows what was recorded, with what pointers led to")
	}
	return nil
}

// checkForms is about what is shown: calls, sums or plans.
func (o *Options) checkForms() error {
	trace, record := o.Command == "trace", o.Command == "record"
	switch {
	case o.Trace.Stacks && o.Reader == "text":
		return Errorf("", "--kstack needs --reader=raw: text does not show which event a stack belongs to")
	case o.Emit != "" && o.Explain:
		return Errorf("", "--emit and --explain exclude each other")
	case o.Interval > 0 && o.Summary == "":
		return Errorf("run tsnoop --summary -i 1 SPEC", "--interval needs --summary or --heat")
	case o.measured && !trace && o.Command != "replay":
		return Errorf("run tsnoop replay --by comm FILE", "--sort, --by, --hist and --heat work only with a live trace and with replay")
	case (o.Plan.Arch != nil || o.Plan.Features != nil) && !o.planOnly() && (trace || record):
		return Errorf(o.emitting(), "--arch and --kernel describe another host: they work only with --emit and --explain")
	}
	return nil
}

// emitting returns the command line that prints definitions for the machine that is meant.
func (o *Options) emitting() string {
	begin := "run tsnoop --emit"
	if o.Plan.Arch != nil {
		begin += " --arch " + o.Plan.Arch.Name
	}
	if o.Plan.Features != nil {
		begin += " --kernel X.Y"
	}
	if len(o.Args) == 0 {
		return begin + " SPEC"
	}
	return o.Line(begin)
}

// reads reports whether a regular file is among those that the command reads, by whatever
// name: specs, types, a recording, text.
func (o *Options) reads(file string) bool {
	out, err := os.Stat(file)
	if err != nil || !out.Mode().IsRegular() {
		return false
	}
	read := slices.Concat(o.Files, o.BTF)
	if o.Command == "replay" {
		read = append(read, o.Args...) // recordings, and specs, which are rarely names of files
	}
	return slices.ContainsFunc(read, func(name string) bool {
		in, err := os.Stat(name)
		if name == "-" {
			in, err = os.Stdin.Stat()
		}
		return err == nil && os.SameFile(in, out)
	})
}

// checkGroup refuses headings if nothing could be below them.
func (o *Options) checkGroup() error {
	group := o.Show.Group
	switch {
	case group == render.GroupNone:
		return nil
	case o.Notation.Name != notation.All[0].Name:
		return Errorf("group objects by .func or .tid with jq: --json | jq -s 'group_by(.func)'", "--group works only with text: each object of JSON contains its task and function")
	case o.Summary == "only":
		return Errorf("", "--group needs lines of calls, and only sums are shown")
	case group == render.GroupFunction && o.Begins():
		return Errorf("use --group task", "--chain and --tree show functions within each other: they have no headings of functions")
	}
	return nil
}

// namesFile returns the first argument that is a file and not a spec, "" if there is
// none.
func (o *Options) namesFile() string {
	for _, arg := range o.Args {
		if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() && strings.ContainsAny(arg, "./") && o.Command != "replay" {
			return arg
		}
	}
	return ""
}

// wordless lists the commands that take no arguments.
var wordless = []string{"check", "bug", "clean", "version"}

// checkIdle refuses the flags that have no effect with others.
func (o *Options) checkIdle(set *pflag.FlagSet) error {
	for _, i := range idle {
		for _, flag := range i.flags {
			if i.here(o) && set.Changed(flag) {
				return Errorf(i.hint(o, flag), i.why, flag)
			}
		}
	}
	return nil
}

// checkCommand refuses what the command has no use for.
func (o *Options) checkCommand(set *pflag.FlagSet) error {
	record := o.Command == "record"
	switch {
	case set.Changed("buffer") && set.Changed("pages"):
		return Errorf("", "--buffer and --pages both set the size of the buffer")
	case o.planOnly() && (record || o.Command == "replay"):
		return Errorf("run tsnoop --emit SPEC", "--emit and --explain go without %s", o.Command)
	case o.Emit == "boot" && len(o.Trace.Pids) > 0:
		return Errorf("run tsnoop --emit=boot SPEC", "--pid does not work with --emit=boot: when the kernel boots there are no processes yet")
	case o.Compress && !record:
		return Errorf("run tsnoop record --compress -o FILE SPEC", "--compress works only with record")
	case set.Changed("sync") && !record:
		return Errorf("run tsnoop record --sync 5s -o FILE SPEC", "--sync works only with record")
	}
	return nil
}

// checkArgs refuses arguments for commands that take none, or one.
func (o *Options) checkArgs() error {
	switch {
	case slices.Contains(wordless, o.Command) && len(o.Args) > 0:
		return Errorf("run tsnoop "+o.Command, "%s works only alone, without %q", o.Command, o.Args[0])
	case o.Command == "help" && len(o.Args) > 1:
		return Errorf("run tsnoop help "+o.Args[0], "help takes one topic, and %q is a second one", o.Args[1])
	}
	return nil
}
