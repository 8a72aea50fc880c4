package main

import (
	"errors"
	"time"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render"
)

// duration is what --hist calls how long a call took.
const duration = "duration"

// heatEvery is how long a row of --heat is if --interval does not say.
const heatEvery = time.Second

// implied has what --sort, --by, --hist and --heat stand for beside themselves: a
// summary, and with --heat no lines.
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

// measures are the values of --by and --hist. A duration has been counted all along.
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

// numbers are what there are histograms of beside that of durations.
func (o *options) numbers() (names []string) {
	for _, m := range o.plan.Measures {
		if m.Number {
			names = append(names, m.Text)
		}
	}
	return names
}

// bare tells whether durations have no histogram: where other things have, or each row
// would have one.
func (o *options) bare() bool {
	for _, text := range o.hists {
		if text == duration {
			return false
		}
	}
	return o.by != "" || len(o.hists) > 0
}
