package flags

import "slices"

// An idleness says which flags have no effect with others.
type idleness struct {
	here  func(*Options) bool
	flags []string
	why   string // with the flag's name for %s
	hint  func(o *Options, flag string) string
}

var (
	running = []string{"duration", "buffer", "pages", "on-tamper", "max-rate", "force", "reader"} // a trace that runs
	sums    = []string{"summary", "interval", "sort", "heat"}
	fetched = []string{"by", "hist"}                                                                     // for sums
	members = []string{"zeros", "types", "compact"}                                                      // of structs
	lines   = append([]string{"kstack", "tree", "follow-pointers"}, members...)                          // of calls
	shown   = slices.Concat([]string{"count", "kstack", "tree", "group", "time", "json"}, members, sums) // calls
)

// idle lists the flags that a command line cannot heed, so that none is ignored in silence.
var idle = []idleness{
	{func(o *Options) bool { return o.Command != "replay" && o.Command != "help" }, []string{"from", "to"},
		"--%s chooses a part of a recording: it works only with replay", func(_ *Options, flag string) string { return "run tsnoop replay --" + flag + " 1.5s FILE" }},
	{func(o *Options) bool { return o.Command != "replay" && o.Command != "help" }, []string{"offset"},
		"--%s corrects the clocks of several recordings: it works only with replay", always("run tsnoop replay --offset web2.dat=-1.5s web1.dat web2.dat")},
	{func(o *Options) bool { return o.Command == "replay" }, append([]string{"follow"}, running...),
		"--%s works only with a trace; to choose calls of a recording, give specs", always("run tsnoop replay FILE 'vfs_read(count > 4096)'")},
	{func(o *Options) bool { return o.Command == "record" }, append([]string{"group"}, members...),
		"--%s is about how calls are shown: replay does that", func(_ *Options, flag string) string {
			if flag == "group" {
				flag = "group task"
			}
			return "run tsnoop replay --" + flag + " FILE"
		}},
	{func(o *Options) bool { return !o.TakesSpecs() && o.Command != "help" }, append([]string{"output"}, slices.Concat(shown, fetched, running)...),
		"--%s is about calls, and none are shown: the output is text on stdout", always("")},
	{func(o *Options) bool { return o.Emit != "" }, slices.Concat(shown, fetched, running),
		"--%s works only with a trace: emitted lines run without tsnoop", always("run tsnoop --emit SPEC")},
	{func(o *Options) bool { return o.Explain }, slices.Concat(shown, running),
		"--%s works only with a trace: --explain starts none", always("run tsnoop --explain SPEC")},
	{func(o *Options) bool { return o.Summary == "only" }, lines,
		"--%s is about lines of calls, and only sums are shown", func(o *Options, flag string) string {
			if o.Heat {
				return "run tsnoop --summary --heat --" + flag + " SPEC"
			}
			return "run tsnoop --summary --" + flag + " SPEC"
		}},
	{func(o *Options) bool { return o.Notation.Name == "json" }, []string{"types", "compact"},
		"--%s is about structs in text: in JSON they have all types", always("run tsnoop --json SPEC")},
}

func always(hint string) func(*Options, string) string {
	return func(*Options, string) string { return hint }
}
