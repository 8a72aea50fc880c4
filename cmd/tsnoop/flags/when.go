package flags

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/cmd/program"
)

// A When is a time in a recording, as it was given.
type When struct {
	Text  string        // "" if none was given
	Since time.Duration // since the recording began, or since the host booted, if Clock is zero
	Clock time.Time     // time of day; in UTC if it has no zone of its own
	Date  bool          // Clock has a date
	Zone  bool          // Clock has a zone
}

// takesWhen describes the value of --from and --to.
const takesWhen = "takes a time as the lines of calls show it: 1.5s, 250ms, 12.345678 or 14:03:05.123, also with a date as '2026-11-24 14:03:05'"

// clockForms are the forms of a time of day. A fraction may follow the seconds.
var clockForms = []struct {
	form       string
	date, zone bool
}{
	{"15:04", false, false}, {"15:04:05", false, false},
	{"2006-01-02 15:04", true, false}, {"2006-01-02 15:04:05", true, false}, {"2006-01-02T15:04:05", true, false},
	{time.RFC3339, true, true}, {"2006-01-02 15:04:05Z07:00", true, true},
}

// parseWhen parses what tsnoop prints for a time in a recording.
func parseWhen(s string) (When, error) {
	w := When{Text: s}
	if s = strings.TrimSpace(s); s == "" {
		return w, strconv.ErrSyntax
	}
	for _, f := range clockForms {
		if t, err := time.Parse(f.form, s); err == nil {
			w.Clock, w.Date, w.Zone = t, f.date, f.zone
			return w, nil
		}
	}
	var err error
	if w.Since, err = time.ParseDuration(s); err != nil {
		w.Since, err = time.ParseDuration(s + "s")
	}
	if err == nil && w.Since < 0 {
		err = errNegative
	}
	return w, err
}

var errNegative = errors.New("negative")

// when returns a setter for a time in a recording.
func when(name string, to *When) program.Setter {
	s := program.Parsed(to, parseWhen)
	return program.Setter{Set: func(text string) error {
		err := s.Set(text)
		if errors.Is(err, errNegative) {
			return Errorf("run tsnoop replay --"+name+" 0 FILE", "--%s %s is before the recording, which begins at 0", name, text)
		}
		return err
	}}
}

// IsClock reports whether the time is one of day.
func (w *When) IsClock() bool { return !w.Clock.IsZero() }

// Windowed reports whether only a part of a recording is shown.
func (o *Options) Windowed() bool { return o.From.Text != "" || o.To.Text != "" }

// TimeOfDay reports whether times of day are shown or asked for.
func (o *Options) TimeOfDay() bool { return o.From.IsClock() || o.To.IsClock() }
