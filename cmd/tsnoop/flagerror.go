package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/btf"
)

// A usageError says that the command line is wrong.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

func usagef(hint, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), hint}
}

// ksnoops explains flags of ksnoop that have other names here.
var ksnoops = map[string]string{
	"stack": "ksnoop's --stack is -s, --chain; --kstack shows the kernel's stack",
	"debug": "ksnoop's --debug is -v, --verbose; -d is --duration",
}

// flagError explains an error of pflag in tsnoop's words.
func flagError(set *pflag.FlagSet, err error) error {
	var own *usageError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &invalid):
		f := invalid.GetFlag().Value.(*flagRow)
		if f.takes == "" {
			return usagef("", "--%s takes no value, and not %q", f.name, invalid.GetValue())
		}
		return usagef(f.example, "--%s %s, not %q", f.name, f.takes, invalid.GetValue())
	case errors.As(err, &missing):
		f := missing.GetFlag().Value.(*flagRow)
		return usagef(f.example, "--%s %s, and there is nothing behind it", f.name, f.takes)
	case errors.As(err, &unknown) && ksnoops[unknown.GetSpecifiedName()] != "":
		return usagef(ksnoops[unknown.GetSpecifiedName()], "unknown flag: --%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		near := btf.Near(unknown.GetSpecifiedName(), func(yield func(string) bool) {
			set.VisitAll(func(f *pflag.Flag) { yield(f.Name) })
		})
		if len(near) > 0 {
			return usagef("did you mean --"+strings.Join(near, ", --")+"?", "unknown flag: --%s", unknown.GetSpecifiedName())
		}
	}
	return usagef("tsnoop help lists the flags", "%s", strings.TrimPrefix(err.Error(), "pflag: "))
}
