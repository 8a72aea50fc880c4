package flags

import (
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/notation"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Rows returns all flags of tsnoop.
func Rows() []Row { return new(Options).rows() }

// rows returns the flags, which set the fields of o. To add one, add a row here, a field
// in Options and a line in the help.
func (o *Options) rows() []Row {
	rows := []Row{
		{"file", "F", names(&o.Files), "takes the name of a file of specs, or -", "tsnoop -F opens.tsnoop"},
		{"watch", "", yes(&o.Trace.Replan), "", ""},
		{"pid", "p", setter{set: o.addPIDs}, "takes process ids separated by commas", "tsnoop -p 17,42 SPEC"},
		{"follow", "f", yes(&o.Trace.Follow), "", ""},
		{"user", "u", word(&o.User), "takes a user's name or UID, or UID:GID", "tsnoop -u alice SPEC -- COMMAND"},
		{"comm", "", parsed(&o.Plan.Comm, parseComm), "takes a glob for names of tasks", "tsnoop --comm 'nginx*' SPEC"},
		{"cpu", "", parsed(&o.Trace.CPUs, tracefs.ParseCPUs), "takes numbers of CPUs", "tsnoop --cpu 0,2-3 SPEC"},
		{"wait-module", "", yes(&o.Plan.Wait), "", ""},
		{"count", "n", number(&o.Count, 0, 1<<62), "takes a number of calls", "tsnoop -n 10 SPEC"},
		{"duration", "d", parsed(&o.Duration, parseDuration), "takes 10s, 500ms, 2m or seconds", "tsnoop -d 10s SPEC"},

		{"chain", "s", yes(&o.Plan.Chain), "", ""},
		{"tree", "", yes(&o.Tree), "", ""},
		{"kstack", "k", yes(&o.Trace.Stacks), "", ""},
		{"deep", "", yes(&o.Plan.Deep), "", ""},
		{"zeros", "", yes(&o.Show.Zeros), "", ""},
		{"types", "", yes(&o.Show.Types), "", ""},
		{"compact", "", yes(&o.Show.Compact), "", ""},
		{"summary", "", optional("too", oneOf(&o.Summary, "too", "only")), "takes nothing or only", "tsnoop --summary=only SPEC"},
		{"sort", "", suggested(sum.Orders(), parsed(&o.Sort, sum.ParseOrder)), "is one of " + strings.Join(sum.Orders(), ", "), "tsnoop --sort calls SPEC"},
		{"by", "", suggested(sum.KeyWords(), names(&o.By)), "takes a value, or " + strings.Join(sum.KeyWords(), ", "), "tsnoop --by comm SPEC"},
		{"hist", "", suggested([]string{duration}, words(&o.Hists)), "takes a value", "tsnoop --hist count 'vfs_read(count)'"},
		{"heat", "", yes(&o.Heat), "", ""},
		{"interval", "i", parsed(&o.Interval, parseDuration), "takes 10s, 500ms, 2m or seconds", "tsnoop --summary -i 1s SPEC"},
		{"group", "", suggested(render.GroupModes(), parsed(&o.Show.Group, render.ParseGroupMode)), "is " + strings.Join(render.GroupModes(), " or "), "tsnoop --group task SPEC"},
		{"time", "t", suggested(render.TimeModes(), parsed(&o.Show.Time, render.ParseTimeMode)), "is one of " + strings.Join(render.TimeModes(), ", "), "tsnoop -t clock SPEC"},
		{"output", "o", word(&o.Output), "takes the name of a file", "tsnoop -o calls SPEC"},
		{"compress", "", yes(&o.Compress), "", ""},
		{"recover", "", word(&o.Recover), "takes the name of a file", "tsnoop record --recover FILE"},
		{"sync", "", parsed(&o.Sync, parseSync), "takes 500ms, 2s or seconds; 0: never", "tsnoop record --sync 5s -o FILE SPEC"},
		{"color", "", optional("always", oneOf(&o.Color, "auto", "always", "never")), "is auto, always or never", "tsnoop --color=never SPEC"},
		{"verbose", "v", yes(&o.Show.Verbose), "", ""},

		{"emit", "", optional("tracefs", oneOf(&o.Emit, "tracefs", "shell", "boot")), "is tracefs, shell or boot", "tsnoop --emit=shell SPEC"},
		{"explain", "", yes(&o.Explain), "", ""},
		{"btf", "", names(&o.BTF), "takes the name of a file", "tsnoop --btf vmlinux.btf --emit SPEC"},
		{"arch", "", suggested(abi.Names(), parsed(&o.Plan.Arch, parseArch)), "takes " + strings.Join(abi.Names(), " or "), "tsnoop --arch arm64 --emit SPEC"},
		{"kernel", "", parsed(&o.Plan.Features, parseKernel), "takes a version", "tsnoop --kernel 5.10 --emit SPEC"},

		{"buffer", "b", parsed(&o.Trace.BufferKB, parseBuffer), "takes a size per CPU such as 512K or 4M", "tsnoop -b 4M SPEC"},
		{"pages", "P", parsed(&o.Trace.BufferKB, parsePages), "takes a number of pages", "tsnoop -P 256 SPEC"},
		{"maxactive", "", number(&o.Plan.MaxActive, 1, fetchargs.MostActive), "takes a number from 1 to " + strconv.Itoa(fetchargs.MostActive), "tsnoop --maxactive 100 SPEC"},
		{"reader", "", oneOf(&o.Reader, "raw", "text"), "is raw or text", "tsnoop --reader=text SPEC"},
		{"guard", "", oneOf(&o.Guard, "warn", "rearm"), "is warn or rearm", "tsnoop --guard=rearm SPEC"},
		{"max-rate", "", parsed(&o.Trace.MaxRate, parseRate), "takes a number of events a second, 0 for any", "tsnoop --max-rate 1000 SPEC"},
		{"yes-really", "", yes(&o.Trace.Really), "", ""},
		{"tracefs", "", word(&o.Tracefs), "takes a directory", "tsnoop --tracefs /sys/kernel/tracing SPEC"},
		{"version", "V", o.instead("version"), "", ""},
		{"help", "h", o.instead("help"), "", ""},
	}
	for _, n := range notation.All[1:] {
		rows = append(rows, Row{n.Name, "", o.writes(n), "", ""})
	}
	return rows
}
