package tracefs

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"golang.org/x/sys/unix"
)

// Features says what this kernel's tracefs offers, according to its README and the
// files in it. It does not depend on version numbers, since distributions backport
// features.
type Features struct {
	ArgN       bool // $arg1 at function entry (4.20, depends on the architecture)
	ReturnArgs bool // $arg1 in a return probe (6.9)
	Current    bool // $current, the current task (7.3)
	Immediate  bool // \1 and \"text" (5.5)
	Ustring    bool // the type, and +u0(..) for user memory (5.3)
	Symbol     bool // the type (5.0)
	Symstr     bool // the type (6.2, backported to 6.1)

	Eprobe bool // events at events (5.15)
	Tprobe bool // probes at tracepoints (6.5, CONFIG_FPROBE_EVENTS)
	Fprobe bool // probes at all functions that a glob matches (6.5, CONFIG_FPROBE_EVENTS)

	NotracePid bool // set_event_notrace_pid (5.7)
	ErrorLog   bool // error_log (5.2)
}

// Features reads README and checks which files exist.
func (fs *FS) Features() (*Features, error) {
	f, err := read(fs, "README", ParseFeatures)
	if err != nil {
		return nil, explainOpen(fs.dir, err)
	}
	if f.Eprobe && !fs.Exists(KprobeEvents) {
		f.Eprobe = fs.takesEprobes()
	}
	f.NotracePid = fs.Exists("set_event_notrace_pid")
	f.ErrorLog = fs.Exists("error_log")
	return f, nil
}

// takesEprobes finds out whether there are event probes. README mentions them wherever there
// are dynamic events of any kind. So it tries to define an impossible one: a kernel that has
// them says what is wrong.
func (fs *FS) takesEprobes() bool {
	w := probeWriter{file: "dynamic_events"}
	defer w.close()
	var refused *KernelError
	err := w.change(fs, "e:tsnoop/none none.none")
	return errors.As(err, &refused) && (refused.Column >= 0 || refused.Errno == unix.ENOENT)
}

// ParseFeatures parses the part of tracefs/README about dynamic events. The fields that
// depend on files stay false.
func ParseFeatures(r io.Reader) (*Features, error) {
	f := new(Features)
	sc := bufio.NewScanner(r)
	section := ""
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if strings.HasPrefix(line, "events/") {
			break // what follows describes other types and fields
		}
		if key, _, ok := strings.Cut(line, ":"); ok && readmeKeys[key] {
			section = key
		}
		f.Eprobe = f.Eprobe || strings.HasPrefix(line, "e[:[<group>/]")
		f.Fprobe = f.Fprobe || strings.HasPrefix(line, "f[:[<group>/]")
		f.Tprobe = f.Tprobe || strings.HasPrefix(line, "t[:[<group>/]")
		switch section {
		case "fetcharg":
			// Return probes have a line of their own (6.9).
			if strings.Contains(line, "$arg<N>") {
				returns := strings.HasPrefix(line, "kernel return probes support:")
				f.ReturnArgs, f.ArgN = f.ReturnArgs || returns, f.ArgN || !returns
			}
			f.Immediate = f.Immediate || strings.Contains(line, `\imm-value`)
			f.Current = f.Current || strings.Contains(line, "$current")
		case "type":
			f.types(line)
		}
	}
	return f, sc.Err()
}

// readmeKeys are the words that start a section of README's text on dynamic events.
var readmeKeys = map[string]bool{
	"Format": true, "place": true, "place (kretprobe)": true, "place (uprobe)": true, "args": true,
	"fetcharg": true, "type": true, "field": true, "efield": true,
}

func (f *Features) types(line string) {
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch word {
		case "symbol":
			f.Symbol = true
		case "ustring":
			f.Ustring = true
		case "symstr":
			f.Symstr = true
		}
	}
}

// parseClocks parses trace_clock: "[local] global counter mono".
func parseClocks(r io.Reader) ([]string, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(string(b))), nil
}
