package tracefs

import (
	"errors"
	"slices"
)

// An undoStack takes back what was done, last first.
type undoStack []undo

type undo struct {
	name string
	do   func() error
}

func (u *undoStack) push(name string, do func() error) {
	*u = append(*u, undo{name, do})
}

// run carries out every step even if some fail, and leaves the stack empty.
func (u *undoStack) run(log func(string, ...any)) error {
	var errs []error
	for _, step := range slices.Backward(*u) {
		log("undo: %s", step.name)
		if err := step.do(); err != nil {
			errs = append(errs, err)
		}
	}
	*u = nil
	return errors.Join(errs...)
}
