package sum

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/render"
)

// The calls of one function that several recordings have of one spec are summed up together: their
// sources are a class. Otherwise each source is a class of its own.

// A class is the sources whose calls are in one sum.
type class struct {
	sources []int // indexes; the first has what the class shows
}

// classes finds the class of each source.
type classes struct {
	all   []class
	of    []int          // the class of each source
	known map[string]int // classes by what their sources have in common
}

// add adds the tallies of further sources.
func (c *classes) add(tallies []*tally) {
	for i, t := range tallies {
		index := len(c.of)
		if t.from == nil {
			c.of = append(c.of, len(c.all))
			c.all = append(c.all, class{[]int{index}})
			continue
		}
		if c.known == nil {
			c.known = map[string]int{}
		}
		name := t.class()
		for j := i - 1; j >= 0 && tallies[j].from == t.from; j-- {
			if tallies[j].class() == name { // another one of the same recording
				name += "\x00again"
			}
		}
		n, ok := c.known[name]
		if !ok {
			n = len(c.all)
			c.known[name] = n
			c.all = append(c.all, class{})
		}
		c.all[n].sources = append(c.all[n].sources, index)
		c.of = append(c.of, n)
	}
}

// class returns text that sources have in common whose calls are summed up together: their values
// are shown in one form.
func (t *tally) class() string {
	f := t.function
	var b strings.Builder
	fmt.Fprintf(&b, "%s\x00%s\x00%v %v %v", f.Name, f.Module, f.Own, f.MayFail, t.keys != nil)
	if f.Plan.Spec != nil {
		b.WriteString("\x00" + f.Plan.Spec.Text)
	}
	for _, fields := range [][]measured{t.numbers, values(t.keys)} {
		for _, m := range fields {
			writeForm(&b, m.field)
		}
	}
	return b.String()
}

func values(keys []key) (all []measured) {
	for _, k := range keys {
		all = append(all, k.measured)
	}
	return all
}

// writeForm writes in which form a field is shown.
func writeForm(b *strings.Builder, f *render.Field) {
	if f != nil {
		fmt.Fprintf(b, "\x00%s %d %v", f.C, f.Form, f.Signed)
	}
}
