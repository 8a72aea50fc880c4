package route

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// An otherName lists names that other tools, or C, have for something that tsnoop
// names differently, or shows on every line.
type otherName struct {
	names string // separated by spaces
	fix   string // what to write; "" if nothing can replace it
	hint  string // before fix
}

var otherNames = []otherName{
	{"comm task_comm execname", "$comm", "write the task's name as "},
	{"retval ret retvalue result rc rval", "return", "write the returned value as "},
	{"arg0", "$arg1", "write the first argument as "},
	{"pid tid tgid common_pid", "", "leave it out: each line shows the task's id; choose processes with -p PID"},
	{"current curtask task", "", "use $comm for the name of the running task; each line shows its id"},
	{"args", "", "leave out the parentheses to show all parameters"},
	{"cpu CPU common_cpu", "", "leave it out: each line shows the CPU; choose CPUs with --cpu LIST"},
	{"caller ip", "", "leave it out: each line shows the caller"},
	{"kstack stack ustack", "", "use -k to show the kernel's stack"},
	{"nsecs elapsed time timestamp", "", "leave it out: each line shows the time; choose its form with -t MODE"},
	{"func probe name", "", "leave it out: each line shows the function"},
}

// elsewhere returns advice on a name that other tools use.
func elsewhere(name string) (otherName, bool) {
	name = strings.TrimPrefix(name, "$")
	if n, ok := strings.CutPrefix(name, "arg"); ok && n != "" && n != "0" && strings.Trim(n, "0123456789") == "" {
		return otherName{name, "$" + name, "write an argument by its place as "}, true
	}
	for _, o := range otherNames {
		if slices.Contains(strings.Fields(o.names), name) {
			return o, true
		}
	}
	return otherName{}, false
}

// runningTask replaces what otherNames has under these names where the task can be fetched.
var runningTask = otherName{"current curtask task", "$current", "write the running task as "}

// noParameter returns the error for a name that is not a parameter of the function.
func (r *Walker) noParameter(x *spec.Ident) *spec.Error {
	if r.fn.Proto.Untyped {
		return r.fn.NoPrototype(x.Span, nil)
	}
	names := make([]string, len(r.fn.Proto.Params))
	for i, p := range r.fn.Proto.Params {
		names[i] = p.Name
	}
	hint := "leave it out: " + r.fn.Proto.Name + " has no " + r.fn.Source.Values()
	if len(names) > 0 {
		hint = "choose a " + r.fn.Source.Value() + ": " + strings.Join(names, ", ")
	}
	if call := find.CallOf(r.fn.Target, r.fn.Proto.Name); call != "" {
		hint = "trace " + call + ", which has the parameters of the system call"
	}
	suggestions := btf.Suggest(x.Text, slices.Values(names))
	missing := &btf.NotFoundError{What: r.fn.Source.Value(), Name: x.Text, In: r.fn.Proto.Name, Suggestions: suggestions, All: r.operands}
	err := spec.ErrorWith(x.Span, missing, spec.DidYouMean(suggestions, hint), "%s has no %s %q", r.fn.Proto.Name, r.fn.Source.Value(), x.Text)
	if o, ok := elsewhere(x.Text); ok && len(suggestions) == 0 {
		if o.names == runningTask.names && r.fn.Target.HasCurrent() {
			o = runningTask
		}
		o.advise(err)
	}
	return err
}

// advise replaces the hint of an error by that of o.
func (o otherName) advise(e *spec.Error) {
	if e.Hint = o.hint; o.fix != "" {
		e.Mend(e.Span, o.hint, o.fix)
	}
}
