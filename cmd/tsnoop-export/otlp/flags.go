package otlp

import (
	"errors"
	"fmt"
	"time"

	"github.com/tsnoop/tsnoop/cmd/program"
)

// Options are the flags of this output.
type Options struct {
	Nest  time.Duration // how long a call waits for the one that made it
	Retry time.Duration // how long to retry what the collector does not take

	Metrics time.Duration // how often sums are sent, in the time of the trace; 0 for spans instead
	By      []string      // what has sums of its own, beside functions
	Spans   bool          // beside metrics

	Parent string // name of the value that holds an application's span; "" for none
}

// Default are the options without flags.
var Default = Options{Nest: 5 * time.Second, Retry: time.Minute}

// Flags returns the flags that set o.
func Flags(o *Options) []program.Row {
	return []program.Row{
		{Name: "retry", Form: " TIME", Text: "give up a collector that takes nothing for that long (default 1m); during a live trace calls wait longer, in up to 32 MiB, and are dropped and counted after that",
			Value: program.Parsed(&o.Retry, duration), Takes: "is a time such as 500ms, 5s or 1m", Example: "tsnoop-export otlp --retry 10s http://localhost:4318 trace.dat"},
		{Name: "nest", Form: " TIME", Text: "how long a call waits, in the time of the trace, for the one that made it, which returns later and becomes its parent (default 5s); 0: no parents",
			Value: program.Parsed(&o.Nest, duration), Takes: "is a time such as 500ms, 5s or 1m", Example: "tsnoop-export otlp --nest 1m http://localhost:4318 trace.dat"},
		{Name: "parent", Form: " NAME", Text: "link spans to those of an application: the value NAME of a call, as asked for, holds a traceparent as text, or the 16 bytes of a trace's id, or with those of a span's 24",
			Value: program.Word(&o.Parent), Takes: "is the name of a value, as in the spec", Example: "tsnoop-export otlp --parent 'req->trace' http://localhost:4318 trace.dat"},
		{Name: "metrics", Form: " TIME", Text: "instead of spans and log records, send at such times tsnoop.call.duration, an exponential histogram, tsnoop.calls and tsnoop.events.lost",
			Value: program.Parsed(&o.Metrics, period), Takes: "is a time such as 10s", Example: "tsnoop-export otlp --metrics 10s http://localhost:9090/api/v1/otlp trace.dat"},
		{Name: "by", Form: " KEY", Text: "with --metrics: sums for each comm, pid, tid, cpu or caller, or for each value of that name, beside function and error; can be repeated",
			Value: program.Suggested(words(), program.Names(&o.By)), Takes: "is comm, pid, tid, cpu, caller or the name of a value", Example: "tsnoop-export otlp --metrics 10s --by comm http://localhost:4318 trace.dat"},
		{Name: "spans", Text: "with --metrics: send also spans and log records",
			Value: program.Yes(&o.Spans)},
	}
}

// duration parses a time.
func duration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if s == "0" || err == nil && d >= 0 {
		return d, nil
	}
	return 0, errors.New("not a time")
}

// period parses how often metrics are sent.
func period(s string) (time.Duration, error) {
	d, err := duration(s)
	if err == nil && d < time.Millisecond {
		err = fmt.Errorf("%v is too short", d)
	}
	return d, err
}
