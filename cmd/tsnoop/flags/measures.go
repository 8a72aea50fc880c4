package flags

import (
	"errors"
	"slices"
	"time"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render/sum"
)

// duration is the value of --hist for how long calls took.
const duration = "duration"

// heatEvery is the default interval of the rows of --heat.
const heatEvery = time.Second

// implied sets what --sort, --by, --hist and --heat imply: a summary, and with --heat
// only the summary.
func (o *Options) implied(set *pflag.FlagSet) error {
	o.measured = o.Heat || len(o.By) > 0 || len(o.Hists) > 0 || set.Changed("sort")
	switch {
	case o.Summary != "" || !o.measured:
	case o.Heat:
		o.Summary = "only"
	default:
		o.Summary = "too"
	}
	if o.Heat && o.Interval == 0 {
		o.Interval = heatEvery
	}
	o.By = unique(o.By)
	o.Trace.Stacks = o.Trace.Stacks || slices.Contains(o.By, sum.ByStack)
	measures, err := o.measures()
	o.Plan.Measures = measures
	return err
}

// unique returns words without those that are there already.
func unique(words []string) (all []string) {
	for _, w := range words {
		if !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return all
}

// measures parses the values of --by and --hist. A duration needs no measure, since it
// is always counted.
func (o *Options) measures() (all []*measure.Measure, err error) {
	var wrong spec.Errors
	add := func(text string, number bool) {
		m, err := measure.Parse(text, number)
		var errs spec.Errors
		if errors.As(err, &errs) {
			wrong = append(wrong, errs...)
		}
		all = append(all, m)
	}
	for _, text := range o.By {
		if !sum.IsKeyWord(text) {
			add(text, false)
		}
	}
	for _, text := range o.Hists {
		if text != duration {
			add(text, true)
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return all, nil
}

// Numbers returns the values that have histograms, besides the duration.
func (o *Options) Numbers() (names []string) {
	for _, m := range o.Plan.Measures {
		if m.Number {
			names = append(names, m.Text)
		}
	}
	return names
}

// Bare reports whether durations have no histogram because other values have one.
func (o *Options) Bare() bool {
	return len(o.Hists) > 0 && !slices.Contains(o.Hists, duration)
}

// Asked reports whether only the durations of functions have a histogram whose return
// value is shown: each row of --by would have one.
func (o *Options) Asked() bool { return len(o.By) > 0 && len(o.Hists) == 0 }
