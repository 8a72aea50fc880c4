package report

import (
	"bufio"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
)

//go:embed page
var files embed.FS

// scripts are put together in this order.
var scripts = []string{"data.js", "text.js", "filter.js", "heat.js", "timeline.js", "list.js", "detail.js", "main.js"}

// A page is what the template shows.
type page struct {
	Title      string
	Policy     string // Content-Security-Policy
	Style      template.CSS
	Script     template.JS
	Incomplete []string // why the page does not show all calls
	Traces     []traceRow
	MoreTraces int
	Figures    []figure
	Functions  []functionRow
	More       bool // functions that have no row of their own
}

// A traceRow describes a trace.
type traceRow struct {
	Host, File string
	Facts      []figure
	Specs      []string
}

type figure struct{ Name, Value string }

// source returns a file of the page.
func source(name string) string {
	b, err := fs.ReadFile(files, "page/"+name)
	if err != nil {
		panic(err) // it is linked in
	}
	return string(b)
}

// script returns the program of the page, which can see nothing else, and be seen by nothing.
func script() string {
	var b strings.Builder
	b.WriteString("'use strict';\n(() => {\n")
	for _, name := range scripts {
		b.WriteString(source(name))
	}
	b.WriteString("})();\n")
	return b.String()
}

// policy forbids all that the page does not contain: only its own script and style are
// run, by their hashes, and nothing is loaded or sent.
func policy(script, style string) string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) + "; base-uri 'none'; form-action 'none'"
}

// write writes the page. missing is why there are not all calls.
func (r *reporter) write(missing error) error {
	w := bufio.NewWriterSize(r.to.W, 64<<10)
	pages, err := template.ParseFS(files, "page/*.html")
	if err != nil {
		return err
	}
	code, style := script(), source("style.css")
	p := &page{
		Title: r.title(), Policy: policy(code, style), Style: template.CSS(style), Script: template.JS(code),
		Incomplete: r.incomplete(missing), Traces: r.traces(), MoreTraces: r.line.others + max(0, len(r.line.traces)-mostShown),
		Figures: r.figures(), Functions: r.functions(), More: r.sums.rows[others] != nil,
	}
	if err := pages.ExecuteTemplate(w, "head.html", p); err != nil {
		return err
	}
	w.WriteString(`<script type="application/octet-stream" id="data">`)
	if err := r.writePayload(w); err != nil {
		return err
	}
	w.WriteString("</script>\n")
	if err := pages.ExecuteTemplate(w, "tail.html", p); err != nil {
		return err
	}
	return w.Flush()
}

// leftOut says which calls the page does not list.
func leftOut(listed int, all uint64, most int) string {
	why := fmt.Sprintf("there is no memory for more: list fewer values, or choose a part with %s", part)
	if listed >= most {
		why = fmt.Sprintf("list more with --calls, or choose a part with %s", part)
	}
	return fmt.Sprintf("the timeline and the list have the first %d of %s; the summary and the heat map count all; %s", listed, plural.Of(all, "call"), why)
}

const part = "tsnoop replay --json --from TIME --to TIME trace.dat | tsnoop-export report"

// incomplete returns why the page does not show all calls.
func (r *reporter) incomplete(missing error) (all []string) {
	switch {
	case errors.Is(missing, context.Canceled):
		all = append(all, "The export was interrupted: later calls are not in this page.")
	case missing != nil:
		all = append(all, "Not all could be read: "+shown(missing.Error())+".")
	}
	if listed := len(r.calls.at); uint64(listed) < r.all {
		all = append(all, "Not all calls are listed: "+leftOut(listed, r.all, r.most)+".")
	}
	for i := range r.line.traces {
		if t := &r.line.traces[i]; t.Origin.Began != nil && t.Origin.Ended == nil && len(all) < mostShown {
			all = append(all, fmt.Sprintf("The end of the trace %s was not recorded: it may have been cut off.", shown(t.Name)))
		}
	}
	if r.line.unplaced() {
		all = append(all, "The time of day of a trace is not known: its place in the time line is a guess.")
	}
	for _, s := range r.losses.sentences() {
		all = append(all, upper(s)+".")
	}
	return all
}

// upper returns a sentence that begins with a capital, unless a name begins it.
func upper(s string) string {
	if strings.HasPrefix(s, "events ") || strings.HasPrefix(s, "a loss ") {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

func (r *reporter) title() string {
	host := ""
	for _, t := range r.line.traces {
		if t.Origin.Host != "" && t.Origin.Host != "(none)" {
			host = " on " + shown(t.Origin.Host)
			break
		}
	}
	if len(r.line.traces) > 1 {
		host = fmt.Sprintf(" of %d traces", len(r.line.traces)+r.line.others)
	}
	return "Kernel calls" + host
}

// mostShown is how many traces are described.
const mostShown = 50

func (r *reporter) traces() (all []traceRow) {
	for i := range r.line.traces[:min(len(r.line.traces), mostShown)] {
		t := &r.line.traces[i]
		o := t.Origin
		row := traceRow{Host: shown(o.Host), File: shown(t.Name)}
		add := func(name, value string) {
			if value != "" {
				row.Facts = append(row.Facts, figure{name, shown(value)})
			}
		}
		add("Kernel", strings.TrimSpace(o.Kernel+" "+o.Arch))
		add("Began", moment(o.Began))
		add("Ended", moment(o.Ended))
		if o.Began != nil && o.Ended != nil {
			add("Length", time.Duration(o.Ended.Trace-o.Began.Trace).String())
		}
		add("Recorder", o.Recorder)
		add("Clock", o.Clock)
		add("Boot", o.BootID)
		add("File", t.Name)
		for _, s := range o.Specs {
			row.Specs = append(row.Specs, shown(s))
		}
		all = append(all, row)
	}
	return all
}

// moment returns the time of day, with its error if that is known.
func moment(m *tracefs.Moment) string {
	if m == nil {
		return ""
	}
	text := time.Unix(0, m.Wall).UTC().Format("2006-01-02 15:04:05.000000") + " UTC"
	if m.MaxError != nil {
		text += fmt.Sprintf(" (±%v", time.Duration(*m.MaxError))
		if !m.Synced {
			text += ", not synchronized"
		}
		text += ")"
	}
	return text
}
