package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"golang.org/x/term"
)

const stdin = "standard input"

// export reads all inputs and writes the output.
func (o *options) export(ui *terminal.UI) (err error) {
	if len(o.files) == 0 {
		if term.IsTerminal(int(os.Stdin.Fd())) {
			return program.Errorf(fmt.Sprintf("run %s %s trace.dat, or tsnoop --json SPEC | %s %s", name, o.word, name, o.word), "which file? %s is a terminal", stdin)
		}
		o.files = []string{"-"}
	}
	inputs, err := openInputs(o.files)
	if err != nil {
		return err
	}
	file, err := o.create(inputs)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, file.close()) }()
	ctx, stop := interrupted(ui, inputs)
	defer stop()
	live := slices.ContainsFunc(inputs, func(in *source) bool { return !in.regular() })
	out, err := o.kind.open(output.To{Context: ctx, W: file.f, Warn: ui.Warn, Live: live, Version: program.Version(linked)})
	if err != nil {
		return err
	}
	failed := readAll(ctx, inputs, out, ui)
	if errors.Is(failed, context.Canceled) {
		failed = context.Canceled
	}
	err = out.Close(failed)
	if failed == context.Canceled {
		return cmp.Or(err, errors.New("interrupted: what was written is not whole"))
	}
	return cmp.Or(failed, err)
}

// readAll exports one input after the other. One that is damaged does not end the export.
func readAll(ctx context.Context, inputs []*source, out output.Output, ui *terminal.UI) error {
	var damage error
	for _, in := range inputs {
		err := in.read(ctx, out, ui)
		var damaged *input.Damaged
		if err != nil && !errors.As(err, &damaged) {
			return err
		}
		if damage != nil && err != nil {
			ui.Warn("%v", err)
		}
		damage = cmp.Or(damage, err)
		in.file.Close()
	}
	return damage
}
