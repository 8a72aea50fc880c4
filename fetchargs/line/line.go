// Package line collects the fetchargs of one probe, each once, and names them.
package line

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A Line has the fetchargs of a probe. Others refer to a fetcharg by its index in Args,
// which does not change.
type Line struct {
	Args []dynevent.Arg

	kind   dynevent.Kind
	enc    *encode.Encoder
	nonce  string
	errs   *spec.Collector
	byText map[string]int // indexes of Args by what they fetch
	names  map[string]bool
}

// New returns the line of a probe of a kind. The names of strings end with the nonce. errs
// receives what cannot be fetched.
func New(kind dynevent.Kind, enc *encode.Encoder, nonce string, errs *spec.Collector) *Line {
	return &Line{kind: kind, enc: enc, nonce: nonce, errs: errs, byText: map[string]int{}, names: map[string]bool{}}
}

// Add returns the index of the fetcharg a. It adds a unless it is there already. It reports
// false if a cannot be fetched.
//
//go:noinline
func (l *Line) Add(a dynevent.Arg, label string, at spec.Span) (int, bool) {
	return l.AddFor("", a, label, at)
}

// AddFor is like Add, but adds a followed by next, and shares them only with the same use.
func (l *Line) AddFor(use string, a dynevent.Arg, label string, at spec.Span, next ...dynevent.Arg) (int, bool) {
	args := append([]dynevent.Arg{a}, next...)
	texts := make([]string, len(args))
	for i, a := range args {
		if a.Base.Kind == dynevent.Comm {
			a = l.kind.Comm()
		}
		fit, text, limit := l.enc.Fitted(a)
		if len(text) > limit {
			l.errs.Add(encode.TooLong(at, text, limit))
			return 0, false
		}
		if err := l.enc.TooDeep(at, &fit); err != nil {
			l.errs.Add(err)
			return 0, false
		}
		args[i], texts[i] = fit, fit.Key()
		if !l.kind.Takes(&fit) || use != "" && !l.kind.Defined() && fit.Base != dynevent.Head {
			l.errs.FailWith(at, source.Limit{Why: label}, "", "%s cannot be fetched: %s", label, l.kind.Has())
			return 0, false
		}
	}
	text := use + strings.Join(texts, " ")
	i, known := l.byText[text]
	if !known {
		i = len(l.Args)
		l.byText[text] = i
		for _, a := range args {
			l.Append(a, label, at)
		}
	}
	return i, true
}

// Has reports whether Add has added a fetcharg with this text.
func (l *Line) Has(text string) bool {
	_, has := l.byText[text]
	return has
}

// Copy adds a fetcharg of the line of another part of the probe, with its name.
func (l *Line) Copy(a dynevent.Arg) {
	l.byText[a.Key()] = len(l.Args)
	l.names[a.Name] = true
	l.Args = append(l.Args, a)
}

// Append adds the fetcharg with a name made from a label: skb->dev->name becomes
// skb_dev_name. The name of a string gets the run's nonce, because in text the string
// ends where the next name begins.
func (l *Line) Append(a dynevent.Arg, label string, at spec.Span) {
	if !l.kind.Defined() { // it has its name already
		label = a.Base.Name
	}
	base := Identifier(strings.TrimPrefix(label, "$"))
	switch {
	case base == "" || spec.IsDigit(base[0]):
		base = "v" + base
	case strings.HasPrefix(base, "common_") || strings.HasPrefix(base, "__probe_"):
		base = "v_" + base
	}
	// These names have a meaning in filters (kernel/trace/trace_events.c).
	if l.kind.Defined() && slices.Contains([]string{"comm", "cpu", "stacktrace", "ustring"}, strings.ToLower(base)) {
		base = "task_" + base
	}
	nonce := ""
	if a.IsString() && l.nonce != "" {
		nonce = "_" + l.nonce
	}
	name := base[:min(len(base), dynevent.MaxArgName-len(nonce))] + nonce
	for n := 2; l.names[name]; n++ {
		suffix := fmt.Sprintf("_%d%s", n, nonce)
		name = base[:min(len(base), dynevent.MaxArgName-len(suffix))] + suffix
	}
	l.names[name] = true
	a.Name, a.Span = name, at
	l.Args = append(l.Args, a)
}

// Identifier returns the letters and digits of s, with everything between them
// replaced by single underscores.
func Identifier(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch {
		case spec.IsWord(s[i]):
			b.WriteByte(s[i])
		case b.Len() > 0 && b.String()[b.Len()-1] != '_':
			b.WriteByte('_')
		}
	}
	return strings.TrimRight(b.String(), "_")
}
