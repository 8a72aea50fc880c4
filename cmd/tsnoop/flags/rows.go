package flags

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/notation"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Rows returns all flags of tsnoop.
func Rows() []program.Row { return new(Options).rows() }

func (o *Options) rows() (all []program.Row) {
	for _, s := range o.sections() {
		all = append(all, s.rows()...)
	}
	return all
}

// Help returns the help's lists of flags.
func Help() string {
	var all []program.Section
	for _, s := range new(Options).sections() {
		all = append(all, program.Section{Title: s.Title, Rows: s.rows()})
	}
	return program.Help(all)
}

// A Row is a [program.Row], and a Section flags that the help lists below a title.
type (
	Row     program.Row
	Section struct {
		Title string
		Rows  []Row
	}
)

func (s *Section) rows() (all []program.Row) {
	for _, r := range s.Rows {
		all = append(all, program.Row(r))
	}
	return all
}

// takesTime describes the value of flags that are parsed by parseDuration.
const takesTime = "takes a time above 0, such as 10s, 500ms, 2m or a number of seconds"

// sections returns the flags, which set the fields of o. To add one, add a row here and a
// field in Options: help, completion and manual are made from the rows.
func (o *Options) sections() []Section {
	return []Section{
		{"What is traced", []Row{
			{"file", "F", " FILE", "also the specs of a file, one a line; - is the standard input: see tsnoop help spec",
				program.Names(&o.Files), "takes the name of a file of specs, or -", "tsnoop -F opens.tsnoop"},
			{"reload", "", "", "reload these files when they change; unchanged specs lose no events; an invalid edit is ignored",
				program.Yes(&o.Trace.Reload), "", ""},
			{"pid", "p", " LIST", "only these processes: all their threads, new ones too; the trace ends when the last of them has ended",
				program.Setter{Set: o.addPIDs}, "takes process ids separated by commas", "tsnoop -p 17,42 SPEC"},
			{"follow", "f", "", "with --pid: also their children, existing and new;\nthe trace ends with the last of all these",
				program.Yes(&o.Trace.Follow), "", ""},
			{"user", "u", " NAME", "run COMMAND as this user (NAME or UID) with the user's groups, or as UID:GID; the environment does not change. Without --user, COMMAND runs as the user who runs tsnoop: under sudo, root",
				program.Word(&o.User), "takes a user's name or UID, or UID:GID", "tsnoop -u alice SPEC -- COMMAND"},
			{"comm", "", " GLOB", "only tasks with such a name, at most 15 characters: 'nginx*'",
				program.Parsed(&o.Plan.Comm, parseComm), "takes a glob for names of tasks", "tsnoop --comm 'nginx*' SPEC"},
			{"cpu", "", " LIST", "only what happens on these CPUs: 0,2-3",
				program.Parsed(&o.Trace.CPUs, tracefs.ParseCPUs), "takes numbers of CPUs", "tsnoop --cpu 0,2-3 SPEC"},
			{"wait-module", "", "", "functions and events of modules that are not loaded yet, from the time they are loaded: tsnoop --wait-module 'veth:veth_xmit(skb->len)'",
				program.Yes(&o.Plan.Wait), "", ""},
			{"count", "n", " N", "end after N calls; 0 (default): no limit",
				program.Number(&o.Count, 0, 1<<62), "takes a number of calls, 0 for no limit", "tsnoop -n 10 SPEC"},
			{"duration", "d", " DUR", "end after this time: 10s, 500ms, 2m. Tracing stops then; calls that are still in the buffer are printed",
				program.Parsed(&o.Duration, parseDuration), takesTime, "tsnoop -d 10s SPEC"},
			{"from", "", " TIME", "with replay: only calls that began at TIME or later. TIME is as --time shows it: since the recording began (1.5s, 250ms, 12.345678), with -t boot since the host booted, or a time of day (14:03:05.123, '2026-11-24 14:03:05')",
				when("from", &o.From), takesWhen, "tsnoop replay --from 1.5s --to 2s FILE"},
			{"to", "", " TIME", "with replay: only calls that began at TIME or earlier, with their returns",
				when("to", &o.To), takesWhen, "tsnoop replay --from 1.5s --to 2s FILE"},
			{"offset", "", " FILE=DUR", "with replay of several recordings: add DUR to the times of FILE, or of all recordings of a host, whose clock was wrong by that: web2.dat=-1.5s; can be repeated",
				program.Setter{Set: o.addOffset}, "takes a recording or host, = and a time: web2.dat=-1.5s", "tsnoop replay --offset web2.dat=-1.5s web1.dat web2.dat"},
		}},
		{"What is shown", slices.Concat([]Row{
			{"chain", "s", "", "only calls in which the first function led to the second, the second to the third and so on; shown when the last is reached, and as they return",
				program.Yes(&o.Plan.Chain), "", ""},
			{"tree", "", "", "calls as they begin and end, indented",
				program.Yes(&o.Tree), "", ""},
			{"kstack", "k", "", "the kernel's stack under each line; not the program's",
				program.Yes(&o.Trace.Stacks), "", ""},
			{"follow-pointers", "", "", "also the struct that each item leads to, if the item is a pointer",
				program.Yes(&o.Plan.Deep), "", ""},
			{"zeros", "", "", "also the members of structs that are zero",
				program.Yes(&o.Show.Zeros), "", ""},
			{"types", "", "", "also the C types of the members of structs",
				program.Yes(&o.Show.Types), "", ""},
			{"compact", "", "", "a struct on one line",
				program.Yes(&o.Show.Compact), "", ""},
			{"summary", "", "[=only]", "at the end a table: calls, errors, durations, histograms; only: no lines. SIGUSR1 prints one so far. It traces the return of each function, also if the spec has none. P50 and P99 are known to within a 16th. ERRORS is empty if no call failed, and - if tsnoop cannot know: the spec has no return, or what it returns is not an error number",
				program.Optional("too", program.OneOf(&o.Summary, "too", "only")), "takes nothing or only", "tsnoop --summary=only SPEC"},
			{"sort", "", " ORDER", "the table by total (default), calls, mean, max (the slowest call first), errors or name",
				program.Suggested(sum.Orders(), program.Parsed(&o.Sort, sum.ParseOrder)), "is one of " + strings.Join(sum.Orders(), ", "), "tsnoop --sort calls SPEC"},
			{"by", "", " EXPR", "a row of the table for each value of comm, caller, pid, tid, cpu, stack, host, or of a value that a spec can show, 'file:path', instead of one for each function; can be repeated. The first ten rows have histograms of durations if the spec has return, or with --hist duration. Write '(pid)' for a parameter named pid",
				program.Suggested(sum.KeyWords(), program.Names(&o.By)), "takes a value, or " + strings.Join(sum.KeyWords(), ", "), "tsnoop --by comm SPEC"},
			{"hist", "", " EXPR", "a histogram of a number: count, return, duration; can be repeated",
				program.Suggested([]string{duration}, program.Words(&o.Hists)), "takes a value", "tsnoop --hist count 'vfs_read(count)'"},
			{"heat", "", "", "instead of lines a map of durations over time: each second a row, each power of two a column, a digit for how many calls",
				program.Yes(&o.Heat), "", ""},
			{"interval", "i", " DUR", "with --summary: every DUR print a table of the calls since the last one, and at the end one of all calls; on a terminal with --summary=only each table replaces the last, cut to the screen. With --heat: a row is DUR long (default: 1s)",
				program.Parsed(&o.Interval, parseDuration), takesTime, "tsnoop --summary -i 1s SPEC"},
			{"group", "", " WHAT", "a heading above the calls of each task or function, instead of its name on every line",
				program.Suggested(render.GroupModes(), program.Parsed(&o.Show.Group, render.ParseGroupMode)), "is " + strings.Join(render.GroupModes(), " or "), "tsnoop --group task SPEC"},
			{"time", "t", " MODE", "seconds since the trace began (rel, default), since the line above (delta), or since the host booted (boot); time of day (clock) in the time zone of the host, or of TZ: TZ=Asia/Tokyo; it follows the clock of the host when it is set; or none",
				program.Suggested(render.TimeModes(), program.Parsed(&o.Show.Time, render.ParseTimeMode)), "is one of " + strings.Join(render.TimeModes(), ", "), "tsnoop -t clock SPEC"},
		}, o.notations(), []Row{
			{"output", "o", " FILE", "write to FILE instead of stdout; with record: the recording",
				program.Word(&o.Output), "takes the name of a file", "tsnoop -o calls SPEC"},
			{"compress", "", "", "with record: version 7 of trace.dat, with zstd",
				program.Yes(&o.Compress), "", ""},
			{"sync", "", " DUR", "with record: write events to the disk before they are this old, so that a power cut loses no more: 1s (default); 0: leave it to the kernel",
				program.Parsed(&o.Sync, parseSync), "takes 500ms, 2s or seconds; 0: never", "tsnoop record --sync 5s -o FILE SPEC"},
			{"color", "", "[=WHEN]", "auto (default), always or never",
				program.Optional("always", program.OneOf(&o.Color, "auto", "always", "never")), "is auto, always or never", "tsnoop --color=never SPEC"},
			{"verbose", "v", "", "also print each write to tracefs, callers with their offsets, and at the end what the hits cost",
				program.Yes(&o.Show.Verbose), "", ""},
		})},
		{"Instead of tracing", []Row{
			{"emit", "", "[=FORM]", "print the definitions instead. tracefs (default): lines for kprobe_events, with the commands to run after that as comments; shell: a script that traces until Ctrl-C or until its shell ends, and then removes its probes; boot: parameters for the kernel's command line",
				program.Optional("tracefs", program.OneOf(&o.Emit, "tracefs", "shell", "boot")), "is tracefs, shell or boot", "tsnoop --emit=shell SPEC"},
			{"explain", "", "", "print how each value is fetched and, as root, what a call costs on this host",
				program.Yes(&o.Explain), "", ""},
			{"btf", "", " FILE", "types of another kernel; can be repeated, for each module; in a trace, types that this kernel lacks",
				program.Names(&o.BTF), "takes the name of a file", "tsnoop --btf vmlinux.btf --emit SPEC"},
			{"arch", "", " ARCH", "for another host: amd64 or arm64",
				program.Suggested(abi.Names(), program.Parsed(&o.Plan.Arch, parseArch)), "takes " + strings.Join(abi.Names(), " or "), "tsnoop --arch arm64 --emit SPEC"},
			{"kernel", "", " X.Y", "for a kernel of this version",
				program.Parsed(&o.Plan.Features, parseKernel), "takes a version", "tsnoop --kernel 5.10 --emit SPEC"},
		}},
		{"The host", []Row{
			{"buffer", "b", " SIZE", "buffer of each CPU: 512K, 4M",
				program.Parsed(&o.Trace.BufferKB, parseBuffer), "takes a size per CPU such as 512K or 4M", "tsnoop -b 4M SPEC"},
			{"pages", "P", " N", "buffer of each CPU in pages of 4 KiB",
				program.Parsed(&o.Trace.BufferKB, parsePages), "takes a number of pages from 1", "tsnoop -P 256 SPEC"},
			{"maxactive", "", " N", "how many calls of a function can be followed to their return at a time",
				program.Number(&o.Plan.MaxActive, 1, dynevent.MostActive), "takes a number from 1 to " + strconv.Itoa(dynevent.MostActive), "tsnoop --maxactive 100 SPEC"},
			{"kprobes", "", "", "an event for each function that a glob matches, also where the kernel has one event for all of them (since 6.5): it enables a thousand functions in a second, but does not count the calls that it misses",
				program.Yes(&o.Plan.Kprobes), "", ""},
			{"max-rate", "", " N", "switch off the probes of a function when one of them has more than N events a second: 10000 if calls are shown on a terminal, else 1000000, also with record. Calls and returns count separately.\n0: never",
				program.Parsed(&o.Trace.MaxRate, parseRate), "takes a number of events a second, 0 for any", "tsnoop --max-rate 1000 SPEC"},
			{"force", "", "", "also trace functions that might bring this host to a stop",
				program.Yes(&o.Trace.Force), "", ""},
			{"on-tamper", "", "=restore", "undo changes that other programs make to the trace (default: warn)",
				o.formerly("guard", "rearm", "restore", program.OneOf(&o.OnTamper, "warn", "restore")), "is warn or restore", "tsnoop --on-tamper=restore SPEC"},
			{"reader", "", "=text", "read trace_pipe instead of trace_pipe_raw",
				program.OneOf(&o.Reader, "raw", "text"), "is raw or text", "tsnoop --reader=text SPEC"},
			{"tracefs", "", " DIR", "where tracefs is mounted",
				program.Word(&o.Tracefs), "takes a directory", "tsnoop --tracefs /sys/kernel/tracing SPEC"},
			{"version", "V", "", "",
				o.instead("version"), "", ""},
			{"help", "h", "", "",
				o.instead("help"), "", ""},
		}},
		{"", []Row{ // which the synopsis explains
			{"recover", "", " FILE", "rebuild the recording of a killed recorder",
				program.Word(&o.Recover), "takes the name of a file", "tsnoop record --recover FILE"},
		}},
	}
}

// notations returns the flags that choose how calls are written.
func (o *Options) notations() (rows []Row) {
	for _, n := range notation.All[1:] {
		rows = append(rows, Row{n.Name, "", "", n.Text, o.writes(n), "", ""})
	}
	return rows
}
