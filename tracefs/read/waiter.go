package read

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A waiter waits for the pipes of many CPUs at once with epoll(7), which allows them to
// be closed meanwhile. It leaves the waiting to the Go runtime: a thread that waits in a
// system call of its own has the runtime look each 20 us whether it is stuck. The runtime is
// given a door, which is opened once for each wait: it would be woken by each event
// otherwise, also while the waiter sleeps.
type waiter struct {
	pipes  int      // an epoll of the pipes
	door   *os.File // an epoll of pipes
	conn   syscall.RawConn
	poll   func(door uintptr) bool // sets ready and its number n, or err
	ready  [64]unix.EpollEvent
	n      int
	err    error
	timer  *time.Timer
	wake   chan struct{} // is closed to end every wait
	waking sync.Once
	woken  bool
	ended  []func() bool
}

func newWaiter() (*waiter, error) {
	w := &waiter{timer: time.NewTimer(time.Hour), wake: make(chan struct{})}
	w.timer.Stop()
	var err error
	if w.pipes, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	door, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		unix.Close(w.pipes)
		return nil, err
	}
	unix.SetNonblock(door, true) // the runtime takes no other
	w.door = os.NewFile(uintptr(door), "epoll")
	w.poll = w.look
	if w.conn, err = w.door.SyscallConn(); err == nil {
		err = w.door.SetReadDeadline(time.Time{}) // fails if the runtime has not taken it
	}
	if err == nil {
		err = unix.EpollCtl(door, unix.EPOLL_CTL_ADD, w.pipes, &unix.EpollEvent{Events: unix.EPOLLONESHOT})
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// look looks which pipes are ready. If there are some it shuts the door, if not it opens it.
func (w *waiter) look(door uintptr) bool {
	w.n, w.err = unix.EpollWait(w.pipes, w.ready[:], 0)
	if w.n == 0 {
		w.err = unix.EpollCtl(int(door), unix.EPOLL_CTL_MOD, w.pipes, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT})
		return w.err != nil
	}
	var shut [1]unix.EpollEvent
	unix.EpollWait(int(door), shut[:], 0)
	return true
}

// control does something with epoll_ctl(2) about the descriptor of conn.
func (w *waiter) control(conn syscall.RawConn, op int) (err error) {
	e := conn.Control(func(fd uintptr) {
		err = unix.EpollCtl(w.pipes, op, int(fd), &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	})
	if e != nil {
		return e
	}
	return err
}

// watch makes wait end when there is something to read from conn.
func (w *waiter) watch(conn syscall.RawConn) error { return w.control(conn, unix.EPOLL_CTL_ADD) }

// wakeOn makes wait and sleep end when ctx is done.
func (w *waiter) wakeOn(ctx context.Context) {
	w.ended = append(w.ended, context.AfterFunc(ctx, func() {
		w.waking.Do(func() { close(w.wake) })
		w.door.SetReadDeadline(time.Unix(1, 0))
	}))
}

// pause is how long to wait when there is nothing to wait for: the kernel reports data
// but returns none (a record is still being written), or a CPU that poll(2) cannot wait
// for may come online.
const pause = 20 * time.Millisecond

// patience is the longest wait. When another program takes a snapshot, the kernel swaps
// the buffers, and does not wake those who wait for the old ones.
const patience = 500 * time.Millisecond

// again registers conn once more, so that wait ends when there is something to read from
// it.
func (w *waiter) again(conn syscall.RawConn) error {
	if err := w.control(conn, unix.EPOLL_CTL_DEL); err != nil {
		return err
	}
	return w.control(conn, unix.EPOLL_CTL_ADD)
}

// wait waits for pages. idle says that there were none after the last wait, away that
// there may be some that the waiter cannot wait for. It returns true if it has waited for
// patience and nothing has come.
func (w *waiter) wait(idle, away bool) (vain bool) {
	if w.woken {
		return false
	}
	timeout := patience
	if away {
		timeout = pause
	}
	w.door.SetReadDeadline(time.Now().Add(timeout))
	if w.isWoken() { // perhaps between these two: then its deadline has been replaced
		return false
	}
	w.n, w.err = 0, nil
	if err := w.conn.Read(w.poll); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		w.err = err
	}
	if idle && !w.isWoken() && (w.n > 0 || w.err != nil) {
		w.sleep(int64(time.Millisecond))
	}
	return w.n == 0 && w.err == nil && !w.woken && !away
}

func (w *waiter) isWoken() bool {
	select {
	case <-w.wake:
		w.woken = true
	default:
	}
	return w.woken
}

// sleep waits for ns nanoseconds, or until the waiter is woken.
func (w *waiter) sleep(ns int64) {
	if w.woken {
		return
	}
	w.timer.Reset(time.Duration(ns))
	select {
	case <-w.timer.C:
	case <-w.wake:
		w.timer.Stop()
		w.woken = true
	}
}

func (w *waiter) close() {
	for _, stop := range w.ended {
		stop()
	}
	w.door.Close()
	unix.Close(w.pipes)
}
