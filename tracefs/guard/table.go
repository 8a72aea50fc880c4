package guard

import (
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
)

// The guard does and reports this about what it has seen. The first row of changeRows or
// listRows that fits describes what another program has done.
//
//	seen                           | with Restore    | reported then         | reported without Restore
//	-------------------------------+-----------------+-----------------------+-------------------------
//	a change                       | it is undone    | row, cost             | row, how to go on
//	a change of the whole host     | nothing         | row, how to go on     | row, how to go on
//	a probe that is gone,          |                 |                       |
//	while pages are recorded       | nothing         | row, that it ends     | row, how to go on
//	a list of threads that         |                 |                       |
//	was written to                 | it is undone    | row, cost             | row
//	all of these are over          | nothing         |                       | cost
//	a change that was undone again | nothing         | file, cost            | file, cost
//	the buffers were emptied       | nothing         | that, cost            | that, cost
//	our pipes were opened          | nothing         | by whom               | by whom
//	our events were read           | nothing         | by whom, how many     | by whom, how many

// A changeRow describes a change of the session.
type changeRow struct {
	fits func(c *tracefs.Change) bool
	text string // {what}, {of}, {was}, {is}, {cost} and {file} are those of the change
	goOn string // how to go on
}

const (
	changed = "another program has changed {what} of {of} from {was} to {is}{cost}"
	enable  = "to go on: echo 1 > {file}"
)

var changeRows = []changeRow{
	{(*tracefs.Change).Gone, "another program has removed the probe of {of}", "--on-tamper=restore defines it again"},
	{func(c *tracefs.Change) bool { return c.Silent && c.Shared }, "another program has switched off {what}", enable},
	{func(c *tracefs.Change) bool { return c.Silent }, "another program has switched this trace off", enable},
	{func(c *tracefs.Change) bool { return disables(c) && c.Event == "" }, "another program has switched off {what} of {of}", enable},
	{disables, "another program has switched off the probe of {of}", enable},
	{func(c *tracefs.Change) bool { return c.What == "the options" }, "another program has set options of this trace, {is}", "--on-tamper=restore sets them back"},
	{func(c *tracefs.Change) bool { return strings.HasSuffix(c.File, "/trigger") }, changed, "to go back: echo '!{is}' > {file}"},
	{func(c *tracefs.Change) bool { return c.Before == "none" }, changed, "to go back: echo 0 > {file}"},
	{func(c *tracefs.Change) bool { return true }, changed, "to go back: echo '{was}' > {file}"},
}

func disables(c *tracefs.Change) bool { return c.Before == "1" && c.After == "0" }

// describe returns what another program has done, and how to go on.
func (g *Guard) describe(c *tracefs.Change) (message, goOn string) {
	cost, of := "", "this trace"
	if c.Cost != "" {
		cost = ", and " + c.Cost
	}
	if c.Event != "" {
		of = g.funcOf(c.Event)
	}
	words := strings.NewReplacer("{what}", c.What, "{of}", of, "{was}", c.Before, "{is}", c.After, "{cost}", cost, "{file}", c.File)
	for _, row := range changeRows {
		if row.fits(c) {
			return words.Replace(row.text), words.Replace(row.goOn)
		}
	}
	return "", ""
}

// A listRow describes a list of threads that another program has written to.
type listRow struct {
	list string
	fits func(l tracefs.ThreadList, all bool) bool // all threads were asked for
	text string                                    // {lacks} are the threads that are missing
	less bool                                      // less is traced now than was asked for
}

var listRows = []listRow{
	{keptOut, func(l tracefs.ThreadList, _ bool) bool { return len(l.Lacks) > 0 && len(l.Others) > 0 }, "which kept what tsnoop itself does out of this trace", true},
	{keptOut, func(l tracefs.ThreadList, _ bool) bool { return len(l.Lacks) > 0 }, "which kept what tsnoop itself does out of this trace", false},
	{keptOut, func(l tracefs.ThreadList, _ bool) bool { return len(l.Others) == 0 }, "but nothing else is kept out of this trace than before", false},
	{keptOut, func(tracefs.ThreadList, bool) bool { return true }, "whose threads are kept out of this trace", true},
	{tracedOnly, func(l tracefs.ThreadList, all bool) bool { return all && l.Emptied }, "but all threads are traced as before", false},
	{tracedOnly, func(_ tracefs.ThreadList, all bool) bool { return all }, "and only the threads listed there are still traced", true},
	{tracedOnly, func(l tracefs.ThreadList, _ bool) bool { return l.Emptied }, "and all threads of this host are traced now", false},
	{tracedOnly, func(l tracefs.ThreadList, _ bool) bool { return len(l.Lacks) > 0 }, "and threads that were asked for are not traced any more: {lacks}", true},
	{tracedOnly, func(l tracefs.ThreadList, _ bool) bool { return len(l.Others) == 0 }, "but the threads that were asked for are traced as before", false},
	{tracedOnly, func(tracefs.ThreadList, bool) bool { return true }, "and other threads than those that were asked for may be traced", false},
}

// describeList returns what another program has done to a list, and whether less is traced
// now than was asked for.
func (g *Guard) describeList(list string, l tracefs.ThreadList) (message string, less bool) {
	for _, row := range listRows {
		if row.list == list && row.fits(l, g.o.Family == nil) {
			return "another program has written to " + l.File + ", " + strings.ReplaceAll(row.text, "{lacks}", plural.List(l.Lacks, 5)), row.less
		}
	}
	return "", false
}
