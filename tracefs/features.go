package tracefs

import (
	"bufio"
	"io"
	"strings"
)

// Features tells what this kernel's tracefs offers, as far as its README and
// the files in it tell. Version numbers say nothing: distributions backport.
type Features struct {
	// What a fetch argument may be.
	ArgN       bool // $arg1 at function entry (4.20, by architecture)
	ReturnArgs bool // $arg1 in a return probe (6.9)
	Comm       bool // $comm
	User       bool // +u0(..), user memory (5.3)
	Immediate  bool // \1 and \"text" (5.5)
	BTFArgs    bool // parameter names, where BTF has them (6.5)
	BTFFields  bool // name->member (6.6)
	Typecast   bool // (type)name->member (7.3)
	Current    bool // $current (7.3)
	ThisCPU    bool // this_cpu_read(..), this_cpu_ptr(..) (7.3)

	// Types.
	Ustring bool // 5.3
	Symbol  bool // 5.0
	Symstr  bool // 6.2, backported to 6.1
	Char    bool // 6.4
	Dentry  bool // %pd and %pD (6.10)
	Hex     bool // x8 to x64 (4.10)
	Array   bool // u8[4] (5.0)

	// Kinds of events and what can be done with them.
	Kprobe      bool // kprobe_events
	Uprobe      bool // uprobe_events
	Dynamic     bool // dynamic_events
	Eprobe      bool // e:... (5.15)
	Fprobe      bool // f:... (6.5)
	ReturnPlace bool // SYMBOL%return as a place (5.10)
	NoName      bool // p:GROUP/ without an event name (6.1)
	GroupDelete bool // -:GROUP/ (6.1)

	// Files.
	NotracePid     bool // set_event_notrace_pid (5.7)
	EventFork      bool // options/event-fork (4.7)
	ErrorLog       bool // error_log (5.2)
	SubBuffer      bool // buffer_subbuf_size_kb (6.8)
	BufferPercent  bool // buffer_percent (5.0)
	FunctionsAddrs bool // available_filter_functions_addrs (6.5)
	Functions      bool // available_filter_functions

	Clocks []string // what trace_clock offers
}

// Features reads README and looks which files there are.
func (fs *FS) Features() (*Features, error) {
	f, err := read(fs, "README", ParseFeatures)
	if err != nil {
		return nil, explainOpen(fs.dir, err)
	}
	for _, x := range []struct {
		has  *bool
		file string
	}{
		{&f.Kprobe, "kprobe_events"},
		{&f.Uprobe, "uprobe_events"},
		{&f.Dynamic, "dynamic_events"},
		{&f.NotracePid, "set_event_notrace_pid"},
		{&f.EventFork, "options/event-fork"},
		{&f.ErrorLog, "error_log"},
		{&f.SubBuffer, "buffer_subbuf_size_kb"},
		{&f.BufferPercent, "buffer_percent"},
		{&f.FunctionsAddrs, "available_filter_functions_addrs"},
		{&f.Functions, "available_filter_functions"},
	} {
		*x.has = fs.Exists(x.file)
	}
	if f.Clocks, err = read(fs, "trace_clock", parseClocks); err != nil {
		return nil, err
	}
	return f, nil
}

// ParseFeatures parses tracefs/README, the part about dynamic events. The
// fields that tell of files stay false.
func ParseFeatures(r io.Reader) (*Features, error) {
	f := new(Features)
	sc := bufio.NewScanner(r)
	section := ""
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if strings.HasPrefix(line, "events/") {
			break // what follows has Formats and fields of its own
		}
		if key, _, ok := strings.Cut(line, ":"); ok && readmeKeys[key] {
			section = key
		}
		switch section {
		case "fetcharg":
			f.fetcharg(line)
		case "type":
			f.types(line)
		case "Format", "place (kretprobe)":
			f.format(line)
		}
	}
	return f, sc.Err()
}

// readmeKeys are the words that open a part of README's text on dynamic events.
var readmeKeys = map[string]bool{
	"Format": true, "place": true, "place (kretprobe)": true, "place (uprobe)": true, "args": true,
	"fetcharg": true, "type": true, "field": true, "efield": true,
}

func (f *Features) fetcharg(line string) {
	if args, ok := strings.CutPrefix(line, "kernel return probes support:"); ok {
		f.ReturnArgs = strings.Contains(args, "$arg<N>")
		return
	}
	set(&f.ArgN, line, "$arg<N>")
	set(&f.Comm, line, "$comm")
	set(&f.BTFArgs, line, "<argname>")
	set(&f.BTFFields, line, "<argname>[->field")
	set(&f.Typecast, line, "(structname[,field])")
	set(&f.Current, line, "$current")
	set(&f.ThisCPU, line, "this_cpu_read")
	set(&f.User, line, "[u]<offset>")
	set(&f.Immediate, line, `\imm-value`)
}

func (f *Features) types(line string) {
	for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch word {
		case "x8/16/32/64":
			f.Hex = true
		case "char":
			f.Char = true
		case "symbol":
			f.Symbol = true
		case "ustring":
			f.Ustring = true
		case "symstr":
			f.Symstr = true
		case "%pd/%pD":
			f.Dentry = true
		case `<type>\[<array-size>\]`:
			f.Array = true
		}
	}
}

func (f *Features) format(line string) {
	line = strings.TrimSpace(strings.TrimPrefix(line, "Format:"))
	switch {
	case strings.HasPrefix(line, "p[:[<group>/][<event>]]"):
		f.NoName = true
	case strings.HasPrefix(line, "e["):
		f.Eprobe = true
	case strings.HasPrefix(line, "f["):
		f.Fprobe = true
	case strings.HasPrefix(line, "-:[<group>/][<event>]"):
		f.GroupDelete = true
	}
	set(&f.ReturnPlace, line, "%return")
}

func set(has *bool, line, word string) {
	if strings.Contains(line, word) {
		*has = true
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
