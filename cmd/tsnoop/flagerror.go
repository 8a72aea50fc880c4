package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
)

// takes says what a flag's value is, with an example.
var takes = map[string]struct{ what, example string }{
	"count":     {"a number of calls", "tsnoop -n 10 SPEC"},
	"pages":     {"a number of pages", "tsnoop -P 256 SPEC"},
	"maxactive": {fmt.Sprintf("a number from 1 to %d", fetchargs.MostActive), "tsnoop --maxactive 100 SPEC"},
	"pid":       {"process ids separated by commas", "tsnoop -p 17,42 SPEC"},
	"comm":      {"a glob for names of tasks", "tsnoop --comm 'nginx*' SPEC"},
	"cpu":       {"numbers of CPUs", "tsnoop --cpu 0,2-3 SPEC"},
	"duration":  {"10s, 500ms, 2m or seconds", "tsnoop -d 10s SPEC"},
	"interval":  {"10s, 500ms, 2m or seconds", "tsnoop --summary -i 1s SPEC"},
	"time":      {"rel, delta, clock, boot or none", "tsnoop -t clock SPEC"},
	"output":    {"the name of a file", "tsnoop -o calls SPEC"},
	"btf":       {"the name of a file", "tsnoop --btf vmlinux.btf --emit SPEC"},
	"arch":      {"amd64 or arm64", "tsnoop --arch arm64 --emit SPEC"},
	"kernel":    {"a version", "tsnoop --kernel 5.10 --emit SPEC"},
	"buffer":    {"a size per CPU such as 512K or 4M", "tsnoop -b 4M SPEC"},
	"reader":    {"raw or text", "tsnoop --reader=text SPEC"},
	"tracefs":   {"a directory", "tsnoop --tracefs /sys/kernel/tracing SPEC"},
}

// ksnoops are flags of ksnoop that have other names here.
var ksnoops = map[string]string{
	"stack": "ksnoop's --stack is -s, --chain; --kstack shows the kernel's stack",
	"debug": "ksnoop's --debug is -v, --verbose; -d is --duration",
}

// flagError says what pflag means, in words of ours.
func flagError(f *pflag.FlagSet, err error) error {
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		if t, ok := takes[flag.Name]; ok {
			return usagef(t.example, "--%s takes %s, not %q", flag.Name, t.what, invalid.GetValue())
		}
		if flag.Value.Type() == "bool" {
			return usagef("", "--%s takes no value, and not %q", flag.Name, invalid.GetValue())
		}
	case errors.As(err, &missing):
		if t, ok := takes[missing.GetFlag().Name]; ok {
			return usagef(t.example, "--%s takes %s, and there is nothing behind it", missing.GetFlag().Name, t.what)
		}
	case errors.As(err, &unknown) && ksnoops[unknown.GetSpecifiedName()] != "":
		return usagef(ksnoops[unknown.GetSpecifiedName()], "unknown flag: --%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		near := btf.Near(unknown.GetSpecifiedName(), func(yield func(string) bool) {
			f.VisitAll(func(flag *pflag.Flag) { yield(flag.Name) })
		})
		if len(near) > 0 {
			return usagef("did you mean --"+strings.Join(near, ", --")+"?", "unknown flag: --%s", unknown.GetSpecifiedName())
		}
	}
	return usagef("tsnoop help lists the flags", "%s", strings.TrimPrefix(err.Error(), "pflag: "))
}
