package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/folded"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/parquet"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/report"
)

// options is the command line.
type options struct {
	word  string // the name of an output, or one of commands
	kind  *kind  // the output, nil for a command
	files []string
	url   string // where to send, "" for nowhere

	output  string // file to write, "" for stdout
	folded  folded.Options
	otlp    otlp.Options
	parquet parquet.Options
	report  report.Options
}

// rows returns the flags that all outputs have.
func (o *options) rows() []program.Row {
	return []program.Row{
		{Name: "output", Short: "o", Form: " FILE", Text: "write to FILE instead of stdout", Value: program.Word(&o.output),
			Takes: "takes the name of a file", Example: name + " folded -o stacks trace.dat"},
		{Name: "version", Short: "V", Value: o.instead("version")},
		{Name: "help", Short: "h", Value: o.instead("help")},
	}
}

// sections returns all flags, as the help lists them.
func (o *options) sections() (all []program.Section) {
	for _, k := range o.kinds() {
		if len(k.rows) > 0 {
			all = append(all, program.Section{Title: "For " + k.name, Rows: k.rows})
		}
	}
	return append(all, program.Section{Title: "For all", Rows: o.rows()})
}

// instead returns a setter for a flag that stands for a command.
func (o *options) instead(command string) program.Setter {
	return program.Optional("true", program.Setter{Set: func(string) error {
		o.word = command
		return nil
	}})
}

// parse parses the command line. If it is wrong, the options are what was understood.
func parse(args []string) (*options, error) {
	o := &options{otlp: otlp.Default}
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.Usage = func() {}
	of := map[string]string{} // the outputs that flags are for
	for _, s := range o.sections() {
		for _, f := range s.Rows {
			set.VarPF(&f, f.Name, f.Short, "").NoOptDefVal = f.Value.Bare
		}
	}
	kinds := o.kinds()
	for _, k := range kinds {
		for _, f := range k.rows {
			of[f.Name] = k.name
		}
	}
	if err := set.Parse(args); err != nil {
		known := program.Flags{FlagSet: set, Short: "choose a flag from the list in " + name + " help", Any: "choose a flag from the list in " + name + " help"}
		return o, known.Explain(err)
	}
	if o.word != "" {
		return o, nil
	}
	if err := o.pick(kinds, set.Args()); err != nil || o.kind == nil {
		return o, err
	}
	var err error
	set.Visit(func(f *pflag.Flag) {
		if k, own := of[f.Name]; own && k != o.word && err == nil {
			err = program.Errorf(fmt.Sprintf("run %s %s --%s", name, k, f.Name), "--%s works only with %s", f.Name, k)
		}
	})
	if o.word == "parquet" && o.output != "" && err == nil {
		err = program.Errorf("run "+name+" parquet --out calls trace.dat", "parquet writes a directory, not a file: use --out DIR")
	}
	return o, err
}

// pick finds the output or command that the first word names. It may be abbreviated if it is
// unambiguous.
func (o *options) pick(kinds []kind, args []string) error {
	if len(args) == 0 {
		return program.Errorf(fmt.Sprintf("run %s folded trace.dat, or %s help", name, name), "which output?")
	}
	var found []string
	for _, word := range o.words() {
		if word == args[0] {
			found = []string{word}
			break
		}
		if strings.HasPrefix(word, args[0]) {
			found = append(found, word)
		}
	}
	if args[0] == "__complete" || args[0] == "__manual" {
		found = args[:1] // they are not listed
	}
	if len(found) != 1 {
		o.files = args
		return unknown(args, o.words())
	}
	o.word, o.files = found[0], args[1:]
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == o.word }); i >= 0 {
		o.kind = &kinds[i]
		return o.takeURL()
	}
	return nil
}

// takeURL finds the URL among the files.
func (o *options) takeURL() error {
	is := func(word string) bool { return strings.Contains(word, "://") }
	i := slices.IndexFunc(o.files, is)
	if i < 0 {
		return nil
	}
	o.url = o.files[i]
	o.files = slices.Delete(slices.Clone(o.files), i, i+1)
	switch {
	case o.word != "otlp":
		return program.Errorf(fmt.Sprintf("run %s otlp %s", name, o.url), "%s is not sent to a URL", o.word)
	case slices.ContainsFunc(o.files, is):
		return program.Errorf("", "give one URL: the calls are sent to one collector")
	}
	return nil
}

// words returns the words that may begin a command line.
func (o *options) words() (all []string) {
	for _, k := range o.kinds() {
		all = append(all, k.name)
	}
	return append(all, "completion", "help", "version")
}

// unknown says that a word names no output.
func unknown(args, words []string) error {
	near := btf.Suggest(args[0], slices.Values(words))
	switch {
	case len(near) > 0:
		return program.Errorf(fmt.Sprintf("did you mean %s?", strings.Join(near, ", ")), "there is no output %q", args[0])
	case strings.Contains(args[0], "."):
		return program.Errorf(fmt.Sprintf("name the output first: %s folded %s", name, args[0]), "there is no output %q", args[0])
	}
	return program.Errorf("choose "+strings.Join(words, ", "), "there is no output %q", args[0])
}
