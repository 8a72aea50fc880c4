package program

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

// Flags are the flags of a command line, and what helps where a flag is not known.
type Flags struct {
	*pflag.FlagSet
	Old    map[string]string // names that flags had before, with those that they have now
	Others map[string]string // names of flags of other tools, with hints
	Short  string            // the hint for an unknown letter
	Any    string            // the hint for all else
}

// Explain explains an error of pflag.
func (flags *Flags) Explain(err error) error {
	var own *Error
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &invalid):
		f := invalid.GetFlag().Value.(*Row)
		if f.Takes == "" {
			return Errorf("", "--%s takes no value, and not %q", f.Name, invalid.GetValue())
		}
		return Errorf("run "+f.Example, "--%s %s, not %q", f.Name, f.Takes, invalid.GetValue())
	case errors.As(err, &missing):
		f := missing.GetFlag().Value.(*Row)
		return Errorf("run "+f.Example, "--%s needs a value: it %s", f.Name, f.Takes)
	case errors.As(err, &unknown):
		return flags.unknown(unknown)
	}
	return Errorf(flags.Any, "%s", strings.TrimPrefix(err.Error(), "pflag: "))
}

// unknown explains that there is no such flag.
func (flags *Flags) unknown(err *pflag.NotExistError) error {
	name, dash := err.GetSpecifiedName(), "--"
	if err.GetSpecifiedShortnames() != "" {
		dash = "-"
	}
	if hint := flags.Others[name]; hint != "" {
		return Errorf(hint, "unknown flag: %s%s", dash, name)
	}
	if dash == "-" {
		return Errorf(flags.Short, "unknown flag: -%s", name)
	}
	near := btf.Suggest(name, func(yield func(string) bool) {
		flags.VisitAll(func(f *pflag.Flag) { yield(f.Name) })
		for old := range flags.Old {
			yield(old)
		}
	})
	for i, name := range near {
		near[i] = cmp.Or(flags.Old[name], name)
	}
	if len(near) > 0 {
		return Errorf("did you mean --"+strings.Join(near, ", --")+"?", "unknown flag: --%s", name)
	}
	return Errorf(flags.Any, "%s", strings.TrimPrefix(err.Error(), "pflag: "))
}
