package main

import (
	"strings"
)

// A command is one of tsnoop's words.
type command struct {
	name string
	run  func(*options, *ui) error
}

// commands is filled by init, because some of them read it.
var commands []*command

func init() {
	commands = []*command{
		{"trace", runTrace},
		{"info", runInfo},
		{"list", runList},
		{"record", runRecord},
		{"replay", runReplay},
		{"check", runCheck},
		{"clean", runClean},
		{"help", runHelp},
		{"version", runVersion},
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
		if strings.HasPrefix(c.name, o.args[0]) {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		o.command = found[0]
		o.args = o.args[1:]
	}
}
