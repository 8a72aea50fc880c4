package flags

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A shell splits at white space what belongs together: `-p $(pidof x)` with two
// processes, a spec without quotes, the name of a type. The functions below join it
// again where that is unambiguous.

// takePIDs moves numbers at the beginning of the arguments to those of --pid, since no
// command or file has such a name; all of them if everywhere is set.
func (o *Options) takePIDs(everywhere bool) (err error) {
	if len(o.Trace.Pids) == 0 {
		return nil
	}
	before := true
	o.Args = slices.DeleteFunc(o.Args, func(arg string) bool {
		number := arg != "" && strings.Trim(arg, "0123456789") == ""
		if before = before && number; before || number && everywhere {
			err = cmp.Or(err, o.addPIDs(arg))
			return true
		}
		return false
	})
	return err
}

// unquoted refuses a condition that is not part of a spec.
func (o *Options) unquoted() error {
	at := slices.IndexFunc(o.Args, func(arg string) bool { return arg == "if" || strings.HasPrefix(arg, "if ") })
	if at < 0 || o.Command == "info" || o.Command == "list" {
		return nil
	}
	if at == 0 {
		return Errorf("tsnoop 'ip_rcv(skb) if skb->len > 100'", "a condition follows a function, in the same quotes")
	}
	before := ""
	for _, arg := range o.Args[:at-1] {
		before += shellQuoted(arg) + " "
	}
	return Errorf("tsnoop "+before+shellQuoted(strings.Join(o.Args[at-1:], " ")), "a condition is part of its spec: quote them together")
}

// shellQuoted quotes arg for a shell.
func shellQuoted(arg string) string {
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// typeNames joins words such as "struct" and "sk_buff".
func typeNames(args []string) []string {
	var names []string
	for i := 0; i < len(args); i++ {
		name := args[i]
		if (name == "struct" || name == "union" || name == "enum") && i+1 < len(args) {
			i++
			name += " " + args[i]
		}
		names = append(names, name)
	}
	return names
}

// HintCommand adds to an error about the first word, which no function has as its name, the
// command that was perhaps meant.
func (o *Options) HintCommand(err error) {
	var wrong spec.Errors
	var missing *btf.NotFoundError
	if len(o.Args) == 0 || !errors.As(err, &wrong) || wrong[0].Text != o.Args[0] || !errors.As(wrong[0], &missing) {
		return
	}
	names := func(yield func(string) bool) {
		for _, c := range Commands {
			if !yield(c.Name) {
				return
			}
		}
	}
	if near := btf.Near(o.Args[0], names); len(near) > 0 {
		wrong[0].Hint = "did you mean the command " + near[0] + "? tsnoop " + near[0]
		for _, arg := range o.Args[1:] {
			wrong[0].Hint += " " + shellQuoted(arg)
		}
	}
}
