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
	{"comm task_comm execname", "$comm", "the task's name is "},
	{"retval ret retvalue result rc rval", "return", "the returned value is "},
	{"arg0", "$arg1", "the first argument is "},
	{"pid tid tgid common_pid", "", "each line has the task's id; -p PID chooses processes"},
	{"current curtask task", "", "the running task is not a parameter: its name is $comm, each line has its id"},
	{"args", "", "without parentheses all parameters are shown"},
	{"cpu CPU common_cpu", "", "each line has the CPU; --cpu LIST chooses some"},
	{"caller ip", "", "each line has the caller"},
	{"kstack stack ustack", "", "-k shows the kernel's stack"},
	{"nsecs elapsed time timestamp", "", "each line has the time; -t chooses how it is shown"},
	{"func probe name", "", "each line has the function"},
}

// elsewhere returns advice on a name that other tools use.
func elsewhere(name string) (otherName, bool) {
	name = strings.TrimPrefix(name, "$")
	if n, ok := strings.CutPrefix(name, "arg"); ok && n != "" && n != "0" && strings.Trim(n, "0123456789") == "" {
		return otherName{name, "$" + name, "an argument by its place is "}, true
	}
	for _, o := range otherNames {
		if slices.Contains(strings.Fields(o.names), name) {
			return o, true
		}
	}
	return otherName{}, false
}

// runningTask replaces what otherNames has under these names where the task can be fetched.
var runningTask = otherName{"current curtask task", "$current", "the running task is "}

// noParameter returns the error for a name that is not a parameter of the function.
func (r *Walker) noParameter(x *spec.Ident) *spec.Error {
	if r.fn.Proto.Untyped {
		return r.fn.NoPrototype(x.Span, nil)
	}
	names := make([]string, len(r.fn.Proto.Params))
	for i, p := range r.fn.Proto.Params {
		names[i] = p.Name
	}
	hint := r.fn.Proto.Name + " has no " + r.fn.Source.Values()
	if len(names) > 0 {
		hint = r.fn.Source.Values() + ": " + strings.Join(names, ", ")
	}
	if call := find.CallOf(r.fn.Target, r.fn.Proto.Name); call != "" {
		hint = call + " has the parameters of the system call"
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
