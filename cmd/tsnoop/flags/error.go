package flags

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/btf"
)

// An Error says that the command line is wrong.
type Error struct {
	Msg  string
	Hint string // what helps, such as the line that was perhaps meant; may be empty
}

func (e *Error) Error() string { return e.Msg }

// Errorf returns an *Error with this hint.
//
//go:noinline
func Errorf(hint, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), hint}
}

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

// flagError explains an error of pflag in tsnoop's words.
func flagError(set *pflag.FlagSet, err error) error {
	var own *Error
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &invalid):
		f := invalid.GetFlag().Value.(*Row)
		if f.takes == "" {
			return Errorf("", "--%s takes no value, and not %q", f.Name, invalid.GetValue())
		}
		return Errorf("run "+f.example, "--%s %s, not %q", f.Name, f.takes, invalid.GetValue())
	case errors.As(err, &missing):
		f := missing.GetFlag().Value.(*Row)
		return Errorf("run "+f.example, "--%s needs a value: it %s", f.Name, f.takes)
	case errors.As(err, &unknown) && others[unknown.GetSpecifiedName()] != "":
		dash := "--"
		if unknown.GetSpecifiedShortnames() != "" {
			dash = "-"
		}
		return Errorf(others[unknown.GetSpecifiedName()], "unknown flag: %s%s", dash, unknown.GetSpecifiedName())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		suggestions := btf.Suggest(unknown.GetSpecifiedName(), func(yield func(string) bool) {
			set.VisitAll(func(f *pflag.Flag) { yield(f.Name) })
			for old := range oldNames {
				yield(old)
			}
		})
		for i, name := range suggestions {
			suggestions[i] = cmp.Or(oldNames[name], name)
		}
		if len(suggestions) > 0 {
			return Errorf("did you mean --"+strings.Join(suggestions, ", --")+"?", "unknown flag: --%s", unknown.GetSpecifiedName())
		}
	case errors.As(err, &unknown):
		return Errorf("put a program and its flags after --: tsnoop SPEC... -- COMMAND; tsnoop help lists the flags", "unknown flag: -%s", unknown.GetSpecifiedName())
	}
	return Errorf("choose a flag from the list in tsnoop help", "%s", strings.TrimPrefix(err.Error(), "pflag: "))
}
