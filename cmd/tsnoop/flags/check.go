package flags

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/notation"
	"github.com/tsnoop/tsnoop/render"
)

// check refuses flags that do not go together.
func (o *Options) check() error {
	switch {
	case o.Trace.Stacks && o.Reader == "text":
		return Errorf("", "--kstack needs --reader=raw: text does not say which event a stack belongs to")
	case o.Recover != "" && o.Command != "record":
		return Errorf("tsnoop record --recover FILE", "--recover goes with record")
	case o.Program != nil && o.Command != "trace" && o.Command != "record":
		return Errorf("", "%s runs no command", o.Command)
	case o.Program != nil && len(o.Trace.Pids) > 0:
		return Errorf("", "either a command behind -- is traced, or with --pid one that runs already")
	case o.Program != nil && (o.Emit != "" || o.Explain):
		return Errorf("", "--emit and --explain run no command")
	case o.User != "" && o.Program == nil:
		return Errorf("tsnoop -u "+o.User+" SPEC -- COMMAND", "--user is the user to run a command as, and there is no -- COMMAND")
	case len(o.Files) > 0 && !o.TakesSpecs():
		return Errorf("", "%s takes no specs, so none from a file", o.Command)
	case o.Trace.Replan && len(o.Files) == 0:
		return Errorf("tsnoop --watch -F opens.tsnoop", "--watch needs --file")
	case o.Trace.Replan && (o.Command != "trace" || o.Emit != "" || o.Explain):
		return Errorf("", "--watch goes with a trace that is shown live")
	case o.Trace.Replan && o.Plan.Chain:
		return Errorf("--tree shows what calls what, too", "--watch and --chain exclude each other: the specs of a chain are one whole")
	case o.Trace.Follow && o.namesFile() != "":
		return Errorf("tsnoop -F "+o.namesFile(), "-f is --follow; a file of specs is given with -F")
	case o.Trace.Follow && len(o.Trace.Pids) == 0 && o.Program == nil:
		return Errorf("tsnoop -f -p PID SPEC", "--follow needs --pid")
	case o.Plan.Deep && o.Command == "replay":
		return Errorf("tsnoop record --deep -o FILE SPEC", "--deep is for recording: a replay shows what was recorded, with what pointers led to")
	case o.reads(o.Output):
		return Errorf("", "--output %s: tsnoop also reads this file, and would overwrite it: give another name", o.Output)
	case o.Command == "record" && o.Output == "-":
		return Errorf("tsnoop record -o trace.dat SPEC", "a recording is written to a file: --output takes its name, not -")
	case o.Emit != "" && o.Explain:
		return Errorf("", "--emit and --explain exclude each other")
	case o.Interval > 0 && o.Summary == "":
		return Errorf("tsnoop --summary -i 1 SPEC", "--interval needs --summary")
	case o.measured && o.Command != "trace" && o.Command != "replay":
		return Errorf("tsnoop replay --by comm FILE", "--sort, --by, --hist and --heat go with a trace that is shown, and with replay")
	case (o.Plan.Arch != nil || o.Plan.Features != nil) && o.Emit == "" && !o.Explain && (o.Command == "trace" || o.Command == "record"):
		return Errorf("tsnoop --emit "+strings.Join(o.Args, " "), "--arch and --kernel describe another machine: that goes with --emit and --explain")
	}
	return nil
}

// reads reports whether a regular file is among those that the command reads, by whatever
// name: specs, types, a recording, text.
func (o *Options) reads(file string) bool {
	out, err := os.Stat(file)
	if err != nil || !out.Mode().IsRegular() {
		return false
	}
	read := slices.Concat(o.Files, o.BTF)
	if o.Command == "replay" && len(o.Args) > 0 {
		read = append(read, o.Args[0])
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
		return Errorf("jq groups objects by .func or .tid: --json | jq -s 'group_by(.func)'", "--group is of text: each object of JSON says by itself whose it is")
	case o.Summary == "only":
		return Errorf("", "--group needs lines of calls, and only sums are shown")
	case group == render.GroupFunction && o.Begins():
		return Errorf("--group task goes with them", "--chain and --tree show functions within each other: they have no headings of functions")
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

// checkHeeded refuses what the command would ignore.
func (o *Options) checkHeeded(set *pflag.FlagSet) error {
	name := o.Command
	for _, i := range idle {
		for _, flag := range i.flags {
			if i.here(o) && set.Changed(flag) {
				return Errorf(i.cure(o, flag), i.why, flag)
			}
		}
	}
	switch {
	case set.Changed("buffer") && set.Changed("pages"):
		return Errorf("", "--buffer and --pages both set the size of the buffer")
	case (o.Emit != "" || o.Explain) && (name == "record" || name == "replay"):
		return Errorf("tsnoop --emit SPEC", "--emit and --explain go without %s", name)
	case o.Emit == "boot" && len(o.Trace.Pids) > 0:
		return Errorf("tsnoop --emit=boot SPEC", "--pid goes without --emit=boot: when the kernel boots there are no processes yet")
	case o.Compress && name != "record":
		return Errorf("tsnoop record --compress -o FILE SPEC", "--compress goes with record")
	case set.Changed("sync") && name != "record":
		return Errorf("tsnoop record --sync 5s -o FILE SPEC", "--sync works only with record")
	case slices.Contains(wordless, name) && len(o.Args) > 0:
		return Errorf("tsnoop "+name, "%s stands alone, without %q", name, o.Args[0])
	case name == "help" && len(o.Args) > 1:
		return Errorf("tsnoop help "+o.Args[0], "help is on one thing at a time, not on %q, too", o.Args[1])
	}
	return nil
}
