package main

import (
	"strings"
)

// A command is one of tsnoop's subcommands.
type command struct {
	name string
	says string // what it does, in a few words; "" if it is internal
	run  func(*options, *ui) error
}

// commands is set by init, because some of the commands read it.
var commands []*command

func init() {
	commands = []*command{
		{"trace", "show calls, live", runTrace},
		{"info", "prototypes of functions, layouts of types", runInfo},
		{"list", "functions that can be probed", runList},
		{"record", "write a trace.dat file", runRecord},
		{"replay", "show a recording, or pasted text", runReplay},
		{"check", "what this machine offers and lacks", runCheck},
		{"bug", "what a report of a fault needs", runBug},
		{"clean", "remove what dead runs left behind", runClean},
		{"completion", "a shell's script for completion", runCompletion},
		{"help", "the command line", runHelp},
		{"version", "print the version", runVersion},
		{"__manual", "", runManual},
		{"__complete", "", runComplete},
	}
}

func commandNamed(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

// pickCommand removes the command's name from the arguments. The name may be
// abbreviated if it is unambiguous. Without a name the command is trace.
func (o *options) pickCommand() {
	if len(o.args) == 0 {
		return
	}
	var found []*command
	for _, c := range commands {
		if c.name == o.args[0] {
			found = []*command{c}
			break
		}
		if c.says != "" && strings.HasPrefix(c.name, o.args[0]) {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		o.command = found[0]
		o.args = o.args[1:]
	}
}
