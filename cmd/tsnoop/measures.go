package main

import (
	"errors"
	"time"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render"
)

// duration is the value of --hist for how long calls took.
const duration = "duration"

// heatEvery is the default interval of the rows of --heat.
const heatEvery = time.Second

// implied sets what --sort, --by, --hist and --heat imply: a summary, and with --heat
// only the summary.
func (o *options) implied(set *pflag.FlagSet) error {
	o.measured = o.heat || o.by != "" || len(o.hists) > 0 || set.Changed("sort")
	switch {
	case o.summary != "" || !o.measured:
	case o.heat:
		o.summary = "only"
	default:
		o.summary = "too"
	}
	if o.heat && o.interval == 0 {
		o.interval = heatEvery
	}
	measures, err := o.measures()
	o.plan.Measures = measures
	return err
}

// measures parses the values of --by and --hist. A duration needs no measure, since it
// is always counted.
func (o *options) measures() (all []*fetchargs.Measure, err error) {
	var wrong spec.Errors
	add := func(text string, number bool) {
		m, err := fetchargs.ParseMeasure(text, number)
		var errs spec.Errors
		if errors.As(err, &errs) {
			wrong = append(wrong, errs...)
		}
		all = append(all, m)
	}
	if o.by != "" && o.by != render.ByComm && o.by != render.ByCaller {
		add(o.by, false)
	}
	for _, text := range o.hists {
		if text != duration {
			add(text, true)
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return all, nil
}

// numbers returns the values that have histograms, besides the duration.
func (o *options) numbers() (names []string) {
	for _, m := range o.plan.Measures {
		if m.Number {
			names = append(names, m.Text)
		}
	}
	return names
}

// bare reports whether durations have no histogram. That is so if other values have
// one, or if each row would have one.
func (o *options) bare() bool {
	for _, text := range o.hists {
		if text == duration {
			return false
		}
	}
	return o.by != "" || len(o.hists) > 0
}
