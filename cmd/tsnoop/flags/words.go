package flags

import (
	"cmp"
	"errors"
	"os/exec"
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
		return Errorf("run tsnoop 'ip_rcv(skb) if skb->len > 100'", "a condition follows a function, in the same quotes")
	}
	before := ""
	for _, arg := range o.Args[:at-1] {
		before += shellQuoted(arg) + " "
	}
	return Errorf("run tsnoop "+before+shellQuoted(strings.Join(o.Args[at-1:], " ")), "a condition is part of its spec: quote them together")
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

// HintCommand adds to an error about a word that is not the name of a function what was
// perhaps meant: a command, if it is the first word, or a program to run.
func (o *Options) HintCommand(err error) {
	var wrong spec.Errors
	var missing *btf.NotFoundError
	if !errors.As(err, &wrong) || !errors.As(wrong[0], &missing) {
		return
	}
	switch at := slices.Index(o.Args, wrong[0].Text); {
	case at < 0:
	case at == 0 && len(nearCommands(o.Args[0])) > 0:
		near := nearCommands(o.Args[0])[0]
		wrong[0].Hint = "did you mean the command " + near + "? " + commandLine("tsnoop "+near, o.Args[1:])
	case isProgram(wrong[0].Text) && o.Program == nil && (o.Command == "trace" || o.Command == "record"):
		begin, specs := "tsnoop", o.Args[:at]
		if o.Command == "record" {
			begin = "tsnoop record"
		}
		if at == 0 {
			specs = []string{"sys_*"}
		}
		wrong[0].Hint = "put a program to run after --: " + commandLine(commandLine(begin, specs)+" --", o.Args[at:])
	}
}

// nearCommands returns the commands whose names are like word. Words that are longer, such
// as list_add, are names of functions that only contain one.
func nearCommands(word string) []string {
	const longer = 2
	return btf.Suggest(word, func(yield func(string) bool) {
		for _, c := range Commands {
			if c.Text != "" && len(word) <= len(c.Name)+longer && !yield(c.Name) {
				return
			}
		}
	})
}

// isProgram reports whether a shell would run a program for this word.
func isProgram(word string) bool {
	_, err := exec.LookPath(word)
	return err == nil
}

// Line returns a command line of program with the arguments of o.
func (o *Options) Line(program string) string { return commandLine(program, o.Args) }

// commandLine joins words for a shell.
func commandLine(program string, quoted []string) string {
	for _, word := range quoted {
		program += " " + shellQuoted(word)
	}
	return program
}
