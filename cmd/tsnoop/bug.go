package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/users"
)

// runBug prints what a bug report needs, and nothing that reveals whose machine it is:
// everything from the machine goes through discreet.
func runBug(o *flags.Options, ui *terminal.UI) error {
	kernel, err := target.Kernel(o)
	if err != nil {
		return err
	}
	names := private(o)
	out := []byte("Above this, please: the command line, what it showed, and what it should have shown.\n\n")
	out = fmt.Appendf(out, "%-17s %s\n%-17s %s\n", "tsnoop", version(), "built", built())
	row := func(what, note string) {
		out = append(render.AppendMessage(out, fmt.Sprintf("%-17s %s", what, discreet(note, names))), '\n')
	}
	fs, _ := target.Tracefs(o)
	for _, f := range host.SysInfo(fs) {
		row(f.What, f.Note)
	}
	for _, f := range host.Check(kernel, func() (*tracefs.FS, error) { return target.Tracefs(o) }) {
		mark := "ok"
		if f.Err != nil {
			mark = "no: " + f.Note
		}
		row("check", f.What+" "+mark)
	}
	_, err = ui.Stdout.Write(out)
	return err
}

// built says which compiler, platform and settings this program was built with.
func built() string {
	text := fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return text
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "CGO_ENABLED", "-race", "vcs.modified", "GOAMD64", "GOARM64":
			text += " " + s.Key + "=" + s.Value
		}
	}
	return text
}

// private returns names of this host and its user, and paths from the command line,
// longest first.
func private(o *flags.Options) []string {
	host, _ := os.Hostname()
	short, _, _ := strings.Cut(host, ".")
	home := os.Getenv("HOME")
	names := append([]string{host, short, os.Getenv("USER"), os.Getenv("LOGNAME"), os.Getenv("SUDO_USER"), home, filepath.Base(home), o.Tracefs}, o.BTF...)
	if u, _ := users.Lookup(strconv.Itoa(os.Getuid())); u.Name != "" {
		names = append(names, u.Name, u.Home, filepath.Base(u.Home))
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return len(name) < 3 || slices.Contains([]string{"root", "/root", "localhost", "linux", "tracefs", "tracing"}, name)
	})
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	return names
}

// discreet returns a note without these names and without addresses. A note with a path
// that not every machine has is left out as a whole, since it is not clear where the
// path ends.
func discreet(note string, names []string) string {
	for _, name := range names {
		note = replace(note, "(name)", func(_, rest string) int {
			if len(name) <= len(rest) && strings.EqualFold(rest[:len(name)], name) {
				return len(name)
			}
			return 0
		})
	}
	if host.HasPath(note) {
		return "(left out, for it has a path)"
	}
	return replace(note, "(address)", address)
}

// address returns the length of the address that rest begins with: of 0x and at least 5
// digits, or of 16 digits that are a word.
func address(before, rest string) int {
	if digits, ok := strings.CutPrefix(rest, "0x"); ok {
		if n := len(digits) - len(strings.TrimLeft(digits, "0123456789abcdefABCDEF")); n >= 5 {
			return 2 + n
		}
	}
	after := strings.TrimLeft(rest, "0123456789abcdef")
	if n := len(rest) - len(after); n != 16 || before != "" && isWord(before[len(before)-1]) || after != "" && isWord(after[0]) {
		return 0
	}
	return 16
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// replace replaces each part of text that found returns the length of, by the text before
// it and the text from there on.
func replace(text, by string, found func(before, rest string) int) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := found(text[:i], text[i:]); n > 0 {
			b.WriteString(by)
			i += n
		} else {
			b.WriteByte(text[i])
			i++
		}
	}
	return b.String()
}
