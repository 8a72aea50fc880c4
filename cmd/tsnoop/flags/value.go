package flags

import (
	"strconv"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/notation"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
)

// instead returns a setter for a flag that stands for a command.
func (o *Options) instead(command string) program.Setter {
	return program.Optional("true", program.Setter{Set: func(s string) error {
		asked, err := strconv.ParseBool(s)
		if asked {
			o.Command = command
		}
		return err
	}})
}

// writes returns a setter for a flag that stands for a notation.
func (o *Options) writes(n notation.Notation) program.Setter {
	return program.Optional("true", program.Setter{Set: func(s string) error {
		asked, err := strconv.ParseBool(s)
		if asked {
			o.Notation = n
		} else if o.Notation.Name == n.Name {
			o.Notation = notation.All[0]
		}
		return err
	}})
}

// addPIDs parses process IDs separated by commas or white space.
func (o *Options) addPIDs(s string) error {
	ids := strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c <= ' ' })
	if len(ids) == 0 {
		return Errorf("", "--pid takes process ids separated by commas, and there is none")
	}
	for _, id := range ids {
		pid, err := strconv.Atoi(id)
		if err == nil && pid == 0 {
			return Errorf("leave out --pid to trace all processes; select the idle tasks with --comm 'swapper/*'", "--pid takes process ids from 1, not 0")
		}
		if err != nil || pid < 0 {
			return Errorf("use the name with --comm: tsnoop --comm "+shellQuoted(id)+" SPEC", "--pid takes process ids separated by commas, not %q", id)
		}
		o.Trace.Pids = append(o.Trace.Pids, pid)
	}
	return nil
}

func parseComm(glob string) (string, error) {
	if err := filter.CheckComm(glob); err != nil {
		return "", Errorf("", "--comm: %v", err)
	}
	return glob, nil
}

func parseArch(name string) (*abi.Arch, error) {
	arch := abi.Named(name)
	if arch == nil {
		return nil, Errorf("use "+strings.Join(abi.Names(), " or "), "unknown architecture %q", name)
	}
	return arch, nil
}

func parseKernel(version string) (*dynevent.Features, error) {
	f, err := dynevent.FeaturesOf(version)
	if err != nil {
		return nil, Errorf("run tsnoop --kernel 5.10 --emit SPEC", "%v", err)
	}
	return &f, nil
}

// parseDuration parses "1.5s", "2m" or plain seconds.
func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		d, err = time.ParseDuration(s + "s")
	}
	if err == nil && d <= 0 {
		err = strconv.ErrRange
	}
	return d, err
}

// parseSync parses a duration, or 0 for never.
func parseSync(s string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(s, 64); err == nil && n == 0 {
		return 0, nil
	}
	return parseDuration(s)
}

// parseRate parses a number of events a second.
func parseRate(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}

// mostKB is more than any kernel has for one CPU's buffer, in KiB.
const mostKB = 1<<31 - 1

// parsePages parses the size of one CPU's buffer in pages of 4 KiB. It returns KiB.
func parsePages(s string) (int, error) {
	n, err := strconv.ParseInt(s, 0, 64)
	if err == nil && (n < 1 || n > mostKB/4) {
		err = strconv.ErrRange
	}
	return int(n) * 4, err
}

// parseBuffer parses the size of one CPU's buffer, which is in KiB if it has no unit.
// It returns KiB.
func parseBuffer(s string) (int, error) {
	size := strings.ToUpper(s)
	digits := strings.TrimRight(size, "KMGIB")
	n, err := strconv.Atoi(digits)
	factor := map[string]int{"": 1, "K": 1, "KIB": 1, "KB": 1, "M": 1 << 10, "MIB": 1 << 10, "MB": 1 << 10, "G": 1 << 20, "GIB": 1 << 20, "GB": 1 << 20}
	unit, known := factor[size[len(digits):]]
	if err == nil && (n <= 0 || !known || n > mostKB/unit) {
		err = strconv.ErrRange
	}
	return n * unit, err
}
