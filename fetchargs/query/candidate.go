package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A candidate is a recorded plan that a spec may be shown from.
type candidate struct {
	recorded *plan.Plan
	from     int        // its index
	own      bool       // it was recorded for this very spec
	plan     *plan.Plan // what the spec shows of it; nil if errs has reasons why it cannot
	sides    []cond.Values
	errs     spec.Errors
}

func newCandidate(wanted *spec.Spec, p *plan.Plan, from int, pair bool, measures []*measure.Measure) *candidate {
	s := newSelection(wanted, p)
	c := &candidate{recorded: p, from: from, own: s.own, sides: s.sides}
	c.plan, c.errs = s.selected(pair, measures), s.Errs.Unique()
	return c
}

// choose chooses among the recorded plans of one function: those that were recorded for
// the spec itself; or else those of one recorded spec that has every call; or else those of
// all, each without the calls of the others, so that no call is shown twice. Only a spec
// without a parameter list, which asks for no values, gets all that there is.
func choose(wanted *spec.Spec, all []*candidate) ([]*candidate, spec.Errors) {
	own := func(c *candidate) bool { return !c.own }
	if mine := slices.DeleteFunc(slices.Clone(all), own); len(mine) > 0 {
		return ofOneSpec(mine), mine[0].errs
	}
	able := slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return len(c.errs) > 0 })
	if len(able) == 0 {
		return nil, all[0].errs
	}
	if !wanted.Parens {
		return able, nil
	}
	if i := slices.IndexFunc(able, func(c *candidate) bool { return hasEveryCall(c.recorded) }); i >= 0 {
		return ofOneSpec(able[i:]), nil
	}
	if first := ofOneSpec(able); len(first) == len(able) || disjoint(able) {
		return able, nil
	}
	slices.Reverse(able)
	if disjoint(able) {
		slices.Reverse(able)
		return able, nil
	}
	return nil, spec.Errors{ambiguous(wanted, able)}
}

// disjoint removes from each candidate the calls that one before it has, and reports
// whether it knows which these are. If not, it changes nothing.
func disjoint(all []*candidate) bool {
	without := make([][]*cond.Test, len(all))
	for i, c := range all {
		for _, before := range all[:i] {
			if before.recorded.Spec.Text == c.recorded.Spec.Text {
				continue
			}
			t, ok := c.translate(before.recorded.Asked, before.recorded)
			if !ok {
				return false
			}
			without[i] = append(without[i], &cond.Test{Unless: t})
		}
	}
	for i, c := range all {
		if c.plan.Check != nil {
			without[i] = append(without[i], c.plan.Check)
		}
		if len(without[i]) > 0 {
			c.plan.Check = cond.Join(true, without[i]...)
		}
	}
	return true
}

// translate returns a test of another plan as one of the values that c has recorded.
func (c *candidate) translate(t *cond.Test, of *plan.Plan) (_ *cond.Test, ok bool) {
	if t == nil {
		return nil, false
	}
	own := *t
	own.And, own.Or = nil, nil
	for i, kid := range append(t.And[:len(t.And):len(t.And)], t.Or...) {
		k, ok := c.translate(kid, of)
		if !ok {
			return nil, false
		}
		if i < len(t.And) {
			own.And = append(own.And, k)
		} else {
			own.Or = append(own.Or, k)
		}
	}
	if t.And != nil || t.Or != nil {
		return &own, true
	}
	if t.Elapsed {
		return &own, c.recorded.Paired()
	}
	if own.Left, ok = c.same(of.FieldOf(t.Left), t.Left.Side); ok && t.Against {
		own.Right, ok = c.same(of.FieldOf(t.Right), t.Right.Side)
	}
	return &own, ok
}

// same finds a value of another plan among those that c has recorded.
func (c *candidate) same(f *value.Field, at dynevent.Side) (o cond.Operand, ok bool) {
	for i := range c.sides {
		s := &c.sides[i]
		for j, expr := range s.Exprs {
			g := &s.Fields[j]
			if s.At == at && expr == cmp.Or(f.Expr, f.Label) && g.Format == f.Format && g.Encoding == f.Encoding && g.Count == f.Count {
				return s.Ref(j).Operand(), true
			}
		}
	}
	return o, false
}

// ofOneSpec returns the candidates that were recorded for the same spec as the first.
func ofOneSpec(all []*candidate) (same []*candidate) {
	for _, c := range all {
		if c.recorded.Spec.Text == all[0].recorded.Spec.Text {
			same = append(same, c)
		}
	}
	return same
}

func ambiguous(wanted *spec.Spec, all []*candidate) *spec.Error {
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = strconv.Quote(c.recorded.Spec.Text)
	}
	slices.Sort(texts)
	return wanted.Errorf("ask for the calls of one: "+strings.Join(slices.Compact(texts), " or "),
		"%s was recorded by several specs with conditions, and which of their calls are the same is not known", wanted.Func.Text)
}

// hasEveryCall reports whether no condition has decided which calls were recorded.
func hasEveryCall(p *plan.Plan) bool {
	return p.Check == nil && !slices.ContainsFunc(p.Probes, func(p *plan.Probe) bool { return p.Filter != "" })
}

// funcName returns the name of the function that the plan probes.
func funcName(p *plan.Plan) btf.FuncName {
	if p.Func == nil {
		return btf.FuncName{Module: p.Spec.Module.Text, Name: p.Spec.Func.Text}
	}
	return btf.FuncName{Module: p.Func.Module, Name: p.Func.Name}
}

// isSpec reports whether wanted, for one function, is the spec that the plan was made for.
func isSpec(p *plan.Plan, wanted *spec.Spec) bool {
	mine := p.Spec.Alone()
	mine.Module, mine.Func = wanted.Module, wanted.Func
	return mine.String() == wanted.Alone().String()
}

// Parse parses the specs to select with from the plans of a recording. A number,
// which may have a % before it, stands for one of the specs that were recorded, from 1 on.
func Parse(texts []string, plans []*plan.Plan) ([]*spec.Spec, error) {
	var wanted []string
	recorded := recordedSpecs(plans)
	for _, text := range texts {
		if n, err := strconv.ParseUint(strings.TrimPrefix(text, "%"), 10, 16); err == nil {
			if n == 0 || int(n) > len(recorded) {
				return nil, noSpec(text, recorded)
			}
			text = recorded[n-1]
		}
		wanted = append(wanted, text)
	}
	specs, wrong := spec.ParseAll(wanted)
	if len(wrong) > 0 {
		return nil, wrong
	}
	return specs, nil
}

// recordedSpecs returns the texts of the specs that a recording was made with, in order.
func recordedSpecs(plans []*plan.Plan) (texts []string) {
	for _, p := range plans {
		if !p.IsOwn() && !slices.Contains(texts, p.Spec.Text) {
			texts = append(texts, p.Spec.Text)
		}
	}
	return texts
}

func noSpec(text string, recorded []string) error {
	var all []string
	for i, s := range recorded[:min(20, len(recorded))] {
		all = append(all, fmt.Sprintf("%%%d is '%s'", i+1, s))
	}
	return spec.Errors{{Text: text, Span: spec.Span{End: len(text)}, Msg: "no spec has this number", Hint: "choose from what was recorded: " + strings.Join(all, ", ")}}
}
