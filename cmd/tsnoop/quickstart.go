package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/specs"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/term"
)

// A trial is a command line for somebody who has never used tsnoop.
type trial struct {
	asks                  string
	flags, specs, program string
}

// trials are tried in this order. The first ones that this host can trace are shown.
var trials = []trial{
	{"Which files does ls open, and what comes of it?", "", "'do_sys_openat2(filename, return)'", " -- ls /"},
	{"Who writes how often and how long, in ten seconds?", "--summary=only --by comm -d 10s ", "'vfs_write(return)'", ""},
	{"Which functions open a file?", "--tree ", "'do_sys_openat2(filename)' 'vfs_open(path->dentry->d_name.name)'", " -- wc -l /etc/passwd"},
	{"Which files are read, ten times?", "-n 10 ", "'vfs_read(file->f_path.dentry->d_name.name, count)'", ""},
	{"Which programs are started?", "", "@exec", ""},
	{"Which packets come in, ten of them?", "-n 10 ", "'ip_rcv(skb->len, dev->name)'", ""},
	{"Which signals are sent?", "", "@signals", ""},
}

const mostTrials = 3

// runFirst prints command lines to try that work on this host. If nothing can be
// traced here, it prints what would help, and command lines that print what to paste
// elsewhere.
func runFirst(o *flags.Options, ui *terminal.UI) error {
	text := "tsnoop shows what functions of the kernel are given, and what they return.\n\n"
	line := func(t trial) string {
		return "# " + t.asks + "\n  tsnoop " + t.flags + t.specs + t.program
	}
	_, err := target.Host(o, true)
	switch {
	case err == nil:
		text += "Three lines to try on this host:\n"
	case errors.Is(err, fs.ErrPermission) && os.Geteuid() != 0:
		text += "Three lines to try on this host, as root:\n"
		line = func(t trial) string {
			return "# " + t.asks + "\n  sudo tsnoop " + t.flags + t.specs + t.program
		}
	default:
		var m *tracefs.HostError
		if errors.As(err, &m) {
			text += fmt.Sprintf("Nothing can be traced on this host: %s. To fix this:\n  %s\n", render.AppendMessage(nil, m.Msg), render.AppendMessage(nil, m.Hint))
		} else {
			text += fmt.Sprintf("Nothing can be traced on this host: %s.\n", render.AppendMessage(nil, err.Error()))
		}
		text += "\nThree lines to try, which print what to paste where that is possible:\n"
		line = func(t trial) string { return "tsnoop --emit=shell " + t.specs }
	}
	shown := 0
	for _, t := range trials {
		if shown < mostTrials && resolves(o, "tsnoop --emit "+t.specs, err == nil) {
			text += "\n  " + line(t) + "\n"
			shown++
		}
	}
	if shown == 0 {
		text += "\n  tsnoop check\n"
	}
	text += "\n'tsnoop help' shows what else there is, 'tsnoop help examples' more such lines.\n"
	_, err = io.WriteString(ui.Stdout, text)
	return err
}

// resolves reports whether all functions and members in a line exist: with traced,
// whether they can be traced, otherwise whether they have types.
func resolves(o *flags.Options, line string, traced bool) bool {
	words := shell.Parse(line+" ", "tsnoop").Words
	if o.Tracefs != "" {
		words = slices.Insert(words, 0, "--tracefs="+o.Tracefs)
	}
	of, err := flags.Parse(words[:len(words)-1])
	if err == nil {
		err = specs.Read(of)
	}
	switch {
	case err != nil:
	case traced:
		_, _, err = target.Plans(of, true, nil)
	default:
		_, err = target.LinePlans(of, of.Args)
	}
	return err == nil
}

// isQuestion reports whether somebody at a terminal has given no arguments.
func isQuestion(o *flags.Options) bool {
	return o.Empty && term.IsTerminal(int(os.Stdout.Fd()))
}
