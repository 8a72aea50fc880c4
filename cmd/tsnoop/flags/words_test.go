package flags_test

import (
	"errors"
	"slices"
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// TestTakenPIDs takes for process ids what a shell has split from those of --pid, but not
// the numbers of specs that replay has after its file.
func TestTakenPIDs(t *testing.T) {
	for _, try := range []struct {
		args, pids, rest []string
		command          string
	}{
		{[]string{"-p", "17", "42", "vfs_read"}, []string{"17", "42"}, []string{"vfs_read"}, "trace"},
		{[]string{"vfs_read", "-p", "17", "42"}, []string{"17", "42"}, []string{"vfs_read"}, "trace"},
		{[]string{"-p", "17", "42", "record", "vfs_read"}, []string{"17", "42"}, []string{"vfs_read"}, "record"},
		{[]string{"record", "vfs_read", "-p", "17", "42"}, []string{"17", "42"}, []string{"vfs_read"}, "record"},
		{[]string{"-p", "17", "42", "replay", "f", "2"}, []string{"17", "42"}, []string{"f", "2"}, "replay"},
		{[]string{"replay", "f", "%1", "2", "%3", "-p", "17"}, []string{"17"}, []string{"f", "%1", "2", "%3"}, "replay"},
		{[]string{"replay", "-p", "17", "42", "f", "2"}, []string{"17", "42"}, []string{"f", "2"}, "replay"},
		{[]string{"replay", "f", "1", "2"}, nil, []string{"f", "1", "2"}, "replay"},
	} {
		o, err := flags.Parse(try.args)
		if err != nil {
			t.Errorf("%q: %v", try.args, err)
			continue
		}
		var pids []string
		for _, pid := range o.Trace.Pids {
			pids = append(pids, strconv.Itoa(pid))
		}
		if o.Command != try.command || !slices.Equal(pids, try.pids) || !slices.Equal(o.Args, try.rest) {
			t.Errorf("%q: %s %q of %q", try.args, o.Command, o.Args, pids)
		}
	}
}

// TestEmitting quotes the specs that a hint repeats, and keeps the machine that is meant.
func TestEmitting(t *testing.T) {
	for _, try := range []struct {
		args []string
		want string
	}{
		{[]string{"--arch", "arm64", "vfs_read(count) if count > 1", "vfs_open"}, "run tsnoop --emit --arch arm64 'vfs_read(count) if count > 1' 'vfs_open'"},
		{[]string{"--kernel", "5.10", "f(a == 'c')"}, `run tsnoop --emit --kernel X.Y 'f(a == '\''c'\'')'`},
		{[]string{"--arch", "amd64", "-F", "specs"}, "run tsnoop --emit --arch amd64 SPEC"},
	} {
		_, err := flags.Parse(try.args)
		var wrong *flags.Error
		if !errors.As(err, &wrong) || wrong.Hint != try.want {
			t.Errorf("%q: %+v, want %s", try.args, err, try.want)
		}
	}
}
