package tracefs

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
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

// run carries out every step even if some fail, and leaves the stack empty. A step
// that fails is tried once more, for what stopped it (no memory, say) may be over; what
// somebody uses (EBUSY) has been waited for already.
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
