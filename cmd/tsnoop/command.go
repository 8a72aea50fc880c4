package main

import (
	"strings"
)

// A command is one of tsnoop's words.
type command struct {
	name string
	says string // what it does, in a few words; "" if it is not for people
	run  func(*options, *ui) error
}

// commands is filled by init, because some of them read it.
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

// pickCommand takes the command's word off the arguments. It may be shortened
// as long as only one begins so; without one, trace is meant.
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
