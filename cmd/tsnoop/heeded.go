package main

import (
	"slices"

	"github.com/spf13/pflag"
)

// choosing lists the flags that choose what is traced. They have no effect on a
// recording.
var choosing = []string{"pid", "follow", "comm", "cpu", "duration"}

// tracing lists the flags that have no effect on emitted lines.
var tracing = []string{"count", "duration", "kstack", "buffer", "pages", "guard", "max-rate"}

// wordless lists the commands that take no arguments.
var wordless = []string{"check", "bug", "clean", "version"}

// checkHeeded refuses what the command would ignore.
func (o *options) checkHeeded(set *pflag.FlagSet) error {
	name := o.command.name
	for _, flag := range choosing {
		if name == "replay" && set.Changed(flag) {
			return usagef("tsnoop replay FILE 'vfs_read(count > 4096)'", "--%s goes with a trace; of a recording, specs choose what is shown", flag)
		}
	}
	for _, flag := range tracing {
		if o.emit != "" && set.Changed(flag) {
			return usagef("tsnoop --emit SPEC", "--%s goes with a trace: emitted lines run without tsnoop", flag)
		}
	}
	switch {
	case (o.emit != "" || o.explain) && (name == "record" || name == "replay"):
		return usagef("tsnoop --emit SPEC", "--emit and --explain go without %s", name)
	case o.emit == "boot" && len(o.trace.Pids) > 0:
		return usagef("tsnoop --emit=boot SPEC", "--pid goes without --emit=boot: when the kernel boots there are no processes yet")
	case o.compress && name != "record":
		return usagef("tsnoop record --compress -o FILE SPEC", "--compress goes with record")
	case slices.Contains(wordless, name) && len(o.args) > 0:
		return usagef("tsnoop "+name, "%s stands alone, without %q", name, o.args[0])
	case name == "help" && len(o.args) > 1:
		return usagef("tsnoop help "+o.args[0], "help is on one thing at a time, not on %q, too", o.args[1])
	}
	return nil
}
