package tracefs

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// An undoStack undoes what was done, last first.
type undoStack []undo

type undo struct {
	name string
	do   func() error
}

func (u *undoStack) push(name string, do func() error) {
	*u = append(*u, undo{name, do})
}

// run runs every step, even if some fail, and leaves the stack empty. It tries a step
// that fails once more, since the cause (no memory, say) may be over; steps have
// already waited for what is in use (EBUSY).
func (u *undoStack) run(log func(string, ...any)) error {
	var errs []error
	for _, step := range slices.Backward(*u) {
		log("undo: %s", step.name)
		err := step.do()
		if err != nil && !errors.Is(err, unix.EBUSY) {
			log("undo: %s: %v: again", step.name, err)
			err = step.do()
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	*u = nil
	return errors.Join(errs...)
}
