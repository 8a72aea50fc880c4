package flags

import "strings"

// A Command is one of tsnoop's subcommands.
type Command struct {
	Name string
	Text string // what it does, in a few words; "" if it is internal
}

// Commands are all commands.
var Commands = []Command{
	{"trace", "show calls, live"},
	{"info", "prototypes of functions, layouts of types"},
	{"list", "functions that can be probed"},
	{"record", "write a trace.dat file"},
	{"replay", "show a recording, or pasted text"},
	{"check", "what this host offers and lacks"},
	{"bug", "what a report of a fault needs"},
	{"clean", "remove what dead runs left behind"},
	{"completion", "a shell's script for completion"},
	{"help", "the command line"},
	{"version", "print the version"},
	{"__manual", ""},
	{"__complete", ""},
}

// pickCommand removes the command's name from the arguments. The name may be
// abbreviated if it is unambiguous. Without a name the command is trace.
func (o *Options) pickCommand() {
	if len(o.Args) == 0 {
		return
	}
	var found []string
	for _, c := range Commands {
		if c.Name == o.Args[0] {
			found = []string{c.Name}
			break
		}
		if c.Text != "" && strings.HasPrefix(c.Name, o.Args[0]) {
			found = append(found, c.Name)
		}
	}
	if len(found) == 1 {
		o.Command = found[0]
		o.Args = o.Args[1:]
	}
}
