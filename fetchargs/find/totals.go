package find

import "github.com/tsnoop/tsnoop/fetchargs/spec"

// Bounds of all specs of a run, so that a short file of specs does not take minutes.
const (
	// maxFunctions is the most functions that a glob may match in a live trace, and all
	// globs but the largest in any case. Each takes milliseconds to arm, and somebody who
	// writes '*' by mistake should not slow down every function of a machine.
	maxFunctions = 5000
	// maxGlobs is how many globs there may be: for each all functions are looked at.
	maxGlobs = 200
	// maxAlternatives is how many alternatives there may be, without the first ones. One that
	// cannot be traced takes as long as a misspelt name, and is not even an error.
	maxAlternatives = 500
)

// totals are sums over the specs of a run.
type totals struct {
	globs, alternatives int
	matched, largest    int // functions of all globs, and of the largest
	errs                int
}

// addSpec counts a spec, or an alternative of one. It returns an error if there are too many.
func (n *totals) addSpec(s *spec.Spec) *spec.Error {
	if s.Nth > 0 {
		n.alternatives++
	}
	if spec.IsGlob(s.Func.Text) {
		n.globs++
	}
	switch {
	case n.alternatives > maxAlternatives:
		return s.Errorf("leave out alternatives that this kernel does not have", "the specs up to this one have %d alternatives, and at most %d are possible", n.alternatives, maxAlternatives)
	case n.globs > maxGlobs:
		return s.Errorf("use one glob for more functions, or name the functions", "the specs up to this one have %d globs, and at most %d are possible", n.globs, maxGlobs)
	}
	return nil
}

// addFound counts the functions of a glob. It returns an error if those of all globs but the
// largest are more than maxFunctions: one can want a glob for everything, but not twice.
func (n *totals) addFound(s *spec.Spec, found int) *spec.Error {
	if !spec.IsGlob(s.Func.Text) {
		return nil
	}
	n.matched, n.largest = n.matched+found, max(n.largest, found)
	if n.matched-n.largest <= maxFunctions {
		return nil
	}
	return s.Errorf("trace fewer functions at once, or all of them by one glob",
		"the globs up to %s stand for %d functions; all but the largest glob, of %d, may stand for %d", s.Func.Text, n.matched, n.largest, maxFunctions)
}
