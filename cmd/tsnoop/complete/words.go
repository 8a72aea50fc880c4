package complete

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/fetchargs/complete"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	fetchtarget "github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/users"
)

// specWords completes the start of a spec. For an empty one it returns nothing, since
// there are too many functions.
func specWords(o *flags.Options, word string) (words []shell.Word) {
	if word == "" {
		return nil
	}
	t, err := completionTarget(o, word)
	if err != nil {
		return nil
	}
	for _, c := range complete.Complete(word, t) {
		words = append(words, shell.Word{Text: c.Text, Is: c.Is})
	}
	return words
}

// completionTarget returns the target that the start of a spec is completed for.
func completionTarget(o *flags.Options, word string) (*fetchtarget.Target, error) {
	po, err := target.PlanOptions(o)
	if err != nil {
		return nil, err
	}
	po.Lines = true
	fs, err := target.Tracefs(o)
	if err != nil {
		fs = nil
	}
	h := host.New(fs)
	t, err := h.Target(po)
	if err != nil {
		return nil, err
	}
	u, _ := spec.Finish(word)
	if (u.Func || u.Other != "") && fs != nil && t.Places != nil {
		t.Traceable = functions(h)
	}
	if s, err := spec.Parse(u.Whole); err == nil {
		return t, h.Gather(t, []*spec.Spec{s})
	}
	return t, nil
}

// functions returns what reports whether a function can be probed. The kernel takes long to
// list them, so the list is kept.
func functions(h *host.Host) func(module, name string) bool {
	dir, err := os.UserCacheDir()
	if err != nil {
		return h.FS.TraceableFunctions()
	}
	return h.CachedFunctions(filepath.Join(dir, "tsnoop"))
}

// typeWords completes the names of types for info.
func typeWords(o *flags.Options, word string) (words []shell.Word) {
	k, err := target.Kernel(o)
	if keyword, _, ok := strings.Cut(word, " "); err == nil && ok && slices.Contains([]string{"struct", "union", "enum"}, keyword) {
		names, _ := k.TypeNames(word + "*")
		return among(word, names)
	}
	return nil
}

// flagNamed returns the row of a flag as it is written, such as "--pid" or "-p", or
// nil.
func flagNamed(rows []program.Row, written string) *program.Row {
	i := slices.IndexFunc(rows, func(f program.Row) bool {
		return written == "--"+f.Name || f.Short != "" && strings.HasPrefix(written, "-") && !strings.HasPrefix(written, "--") && strings.HasSuffix(written, f.Short)
	})
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// flagNames completes the name of a flag.
func flagNames(rows []program.Row, word string) shell.Answer {
	a := shell.Answer{Kind: shell.Words}
	for _, f := range rows {
		name := "--" + f.Name
		if strings.HasPrefix(name, word) {
			a.Words = append(a.Words, shell.Word{Text: name, Is: f.Brief()})
		}
	}
	return a
}

// completeValue completes the value of a flag.
func completeValue(f *program.Row, value string) shell.Answer {
	a := shell.Answer{Kind: shell.Words}
	if f == nil {
		return a
	}
	switch f.Name {
	case "output", "recover", "btf", "file", "offset":
		a.Kind = shell.Files
	case "tracefs":
		a.Kind = shell.Dirs
	case "pid":
		a.Words = pids(value)
	case "comm":
		a.Words = comms(value)
	case "user":
		a.Words = among(value, users.Names())
	default:
		a.Words = among(value, f.Words())
	}
	return a
}

// pids completes the last item of a list of process IDs.
func pids(list string) (words []shell.Word) {
	head := list[:strings.LastIndexByte(list, ',')+1]
	for _, p := range host.Processes() {
		if text := fmt.Sprint(head, p.PID); strings.HasPrefix(text, list) {
			words = append(words, shell.Word{Text: text, Is: string(render.AppendEscaped(nil, []byte(p.Comm), render.NoQuote))})
		}
	}
	return words
}

// comms completes the name of a process.
func comms(word string) (words []shell.Word) {
	var names []string
	for _, p := range host.Processes() {
		names = append(names, p.Comm)
	}
	slices.Sort(names)
	return among(word, slices.Compact(names))
}

// among returns the names that begin with word.
//
//go:noinline
func among(word string, names []string) (words []shell.Word) {
	for _, name := range names {
		if strings.HasPrefix(name, word) {
			words = append(words, shell.Word{Text: name})
		}
	}
	return words
}

// presetWords returns the presets that begin with word.
func presetWords(word string) (words []shell.Word) {
	for _, p := range preset.All() {
		if name := "@" + p.Name; strings.HasPrefix(name, word) {
			words = append(words, shell.Word{Text: name, Is: p.Brief})
		}
	}
	return words
}
