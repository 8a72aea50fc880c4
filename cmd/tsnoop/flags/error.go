package flags

import (
	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/cmd/program"
)

// An Error says that the command line is wrong.
type Error = program.Error

// Errorf returns an *Error with this hint.
//
//go:noinline
func Errorf(hint, format string, args ...any) error { return program.Errorf(hint, format, args...) }

// others explains flags of ksnoop and other tools that have other names here.
var others = map[string]string{
	"stack": "use -s, --chain for ksnoop's --stack; --kstack shows the kernel's stack",
	"debug": "use -v, --verbose for ksnoop's --debug; -d is --duration",

	// strace, perf, trace-cmd, bpftrace
	"e": "name functions without a flag: tsnoop openat -- COMMAND",
	"l": "name functions without a flag: tsnoop 'vfs_*' traces them, tsnoop list 'vfs_*' lists them",
	"c": "print a table of counts and durations: tsnoop --summary=only 'sys_*' -- COMMAND",
	"a": "leave it out: all processes are traced unless -p or a COMMAND chooses some",
	"r": "print the time since the line before: tsnoop -t delta SPEC",

	"cgroup": "give the processes of the cgroup: -p $(paste -sd, /sys/fs/cgroup/NAME/cgroup.procs)",
}

// known returns the flags, with what helps where another one is given.
func known(set *pflag.FlagSet) *program.Flags {
	return &program.Flags{FlagSet: set, Old: oldNames, Others: others,
		Short: "put a program and its flags after --: tsnoop SPEC... -- COMMAND; tsnoop help lists the flags",
		Any:   "choose a flag from the list in tsnoop help"}
}
