package terminal

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
)

// An ExitStatus is an error that ends tsnoop with this status. Everything has been
// reported already.
type ExitStatus int

func (s ExitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// Report prints err and returns the exit status for it.
func (u *UI) Report(err error) int {
	err = NoTypes(err)
	var specs spec.Errors
	var use *program.Error
	var host *tracefs.HostError
	var status ExitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &specs):
		u.wrong(specs)
		return 2
	case errors.As(err, &use):
		u.Warn("%s", use.Msg)
		u.Hint(use.Hint)
		return 2
	case errors.As(err, &host):
		u.Warn("%s", host.Msg)
		u.Hint(host.Hint)
		return 1
	}
	for _, text := range each(err) {
		u.Warn("%s", text)
	}
	return 1
}

// each returns the texts of the errors that errors.Join has joined, or that of err.
func each(err error) (texts []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			texts = append(texts, each(e)...)
		}
		if strings.Join(texts, "\n") == err.Error() {
			return texts
		}
	}
	return []string{err.Error()}
}

// wrong prints the errors in specs.
func (u *UI) wrong(all spec.Errors) {
	for _, e := range all[:min(len(all), spec.MaxErrors)] {
		u.write(render.AppendError(nil, e, u.Color, u.columns()), false)
	}
	if len(all) >= spec.MaxErrors {
		u.Warn("there may be more errors: tsnoop looks for %d", spec.MaxErrors)
	}
}

// NoTypes adds to an error about missing BTF how to get it.
func NoTypes(err error) error {
	if errors.Is(err, btf.ErrSplit) {
		return &tracefs.HostError{Msg: err.Error(), Err: err,
			Hint: "give the kernel's types first: --btf /sys/kernel/btf/vmlinux, or a copy of it, and then --btf FILE of the module"}
	}
	if err == nil || !errors.Is(err, btf.ErrNoBTF) {
		return err
	}
	return &tracefs.HostError{
		Msg:  fmt.Sprintf("there are no types to resolve names with: %v", err),
		Hint: "give BTF of this very kernel with --btf FILE: pahole --btf_encode_detached makes it from a vmlinux with debug information; BTFHub has it for many distributions",
		Err:  err,
	}
}
