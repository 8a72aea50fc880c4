package find

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// IsLater reports whether a module that is not loaded may have what a spec names, or what
// starts one of its clocks: an event, or a function of a module whose types are not known.
func IsLater(t *target.Target, s *spec.Spec) bool {
	return eachLater(t, s) || slices.ContainsFunc(s.Starters(), func(o *spec.Spec) bool { return isLater(t, o) })
}

// eachLater reports that of all alternatives of a spec.
func eachLater(t *target.Target, s *spec.Spec) bool {
	for ; s != nil; s = s.Else {
		if !isLater(t, s) {
			return false
		}
	}
	return true
}

func isLater(t *target.Target, s *spec.Spec) bool {
	group, name := s.Module.Text, s.Func.Text
	if t.Tracepoints == nil || group == "" || group == syscalls.Module || isProbeWord(group) {
		return false
	}
	match, err := btf.Glob(name)
	if err != nil || slices.ContainsFunc(t.Tracepoints.Events(group), match) || len(eventsNamed(t, name)) > 0 {
		return false
	}
	awaited, why := t.Waits(group)
	return awaited && (why != nil || isTracepoint(t, group, name))
}

// isProbeWord reports whether other tools write a word before a function or a tracepoint.
func isProbeWord(word string) bool {
	_, is := probeWords[word]
	return is || slices.Contains(rawWords, word)
}

// ofAbsent returns the error for an event of a module whose types say that it has the event,
// and that is not loaded. It returns nil if there is none.
func ofAbsent(t *target.Target, s *spec.Spec) *spec.Error {
	awaited, why := t.Waits(s.Module.Text)
	if !awaited || why != nil || !isTracepoint(t, s.Module.Text, s.Func.Text) {
		return nil
	}
	return &spec.Error{Text: s.Text, Span: s.Func.Span,
		Msg:  s.Func.Text + " is an event of the module " + s.Module.Text + ", which is not loaded: its fields are not known",
		Hint: "load it first: modprobe " + s.Module.Text + " (only a trace of single calls can wait for it)"}
}
