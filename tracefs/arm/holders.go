package arm

import (
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// WarnWaiting warns that a lock on a file is waited for, and names the process that holds it.
func WarnWaiting(file string, w tracefs.Warner) {
	if h, ok := proc.LockHolder(file); ok {
		w.Warnf("waiting for %s, which has a lock on %s; if it was stopped, kill -CONT %d continues it", h, file, h.PID)
	} else {
		w.Warnf("waiting for a process that has a lock on %s", file)
	}
}

// InUse adds to an EBUSY error who keeps the instance of a session from being removed.
func InUse(s *tracefs.Session, err error) error {
	if !errors.Is(err, unix.EBUSY) {
		return err
	}
	name := "instances/" + s.Group()
	for _, h := range proc.Holders(name) {
		return &tracefs.HostError{Err: err,
			Msg:  fmt.Sprintf("%s cannot be removed: %s has its %s open", name, h, h.File),
			Hint: "run tsnoop clean when that has ended"}
	}
	return err
}
