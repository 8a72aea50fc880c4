package main

import (
	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/folded"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/parquet"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/perfetto"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/report"
)

// A kind is an output that can be asked for.
type kind struct {
	name string
	text string        // what it is, in a few words
	rows []program.Row // its own flags
	open func(output.To) (output.Output, error)
}

// kinds returns the outputs, whose flags set the fields of o. To add one, add a package beside
// folded and a row here.
func (o *options) kinds() []kind {
	return []kind{
		{"folded", "stacks for flame graphs, one a line with its weight: flamegraph.pl, speedscope.app",
			folded.Flags(&o.folded), func(to output.To) (output.Output, error) { return folded.New(to, o.folded), nil }},
		{"otlp", "spans and log records for OpenTelemetry: sent to the URL of a collector, or to where OTEL_EXPORTER_OTLP_* say; without these, lines of OTLP/JSON",
			otlp.Flags(&o.otlp), func(to output.To) (output.Output, error) { return otlp.New(to, o.otlp, o.url, o.output) }},
		{"parquet", "Parquet files for SQL, a row for each call: DuckDB, ClickHouse",
			parquet.Flags(&o.parquet), func(to output.To) (output.Output, error) { return parquet.New(to, o.parquet) }},
		{"perfetto", "a trace for ui.perfetto.dev and trace_processor, with a track for each thread", nil, perfetto.New},
		{"report", "a page of HTML that needs no network: summary, heat map, timeline, calls",
			report.Flags(&o.report), func(to output.To) (output.Output, error) { return report.New(to, o.report), nil }},
	}
}
