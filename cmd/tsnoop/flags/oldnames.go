package flags

import (
	"cmp"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/cmd/program"
)

// oldNames are names that flags had before, with those that they have now. The old ones
// still work, but help, manual and completion do not show them.
var oldNames = map[string]string{
	"deep":       "follow-pointers",
	"guard":      "on-tamper",
	"watch":      "reload",
	"yes-really": "force",
}

// nameNow returns the name that a flag has now, and remembers an old one that was given.
func (o *Options) nameNow(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	now, old := oldNames[name]
	if old {
		o.old[name] = true
	}
	return pflag.NormalizedName(cmp.Or(now, name))
}

// formerly accepts a value that the flag had under its old name, with that name.
func (o *Options) formerly(name, value, now string, s program.Setter) program.Setter {
	set := s.Set
	s.Set = func(given string) error {
		if given == value && o.old[name] {
			given = now
		}
		return set(given)
	}
	return s
}
