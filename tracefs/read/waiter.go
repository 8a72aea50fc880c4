package read

import (
	"context"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A waiter waits for the pipes of many CPUs at once with epoll(7), which allows them to
// be closed meanwhile.
type waiter struct {
	epoll   int
	mu      sync.Mutex // guards event, which other goroutines write to
	event   int        // an eventfd: a write to it ends every wait
	woken   bool
	ready   [64]unix.EpollEvent
	release []func() bool
}

func newWaiter() (*waiter, error) {
	w := &waiter{epoll: -1, event: -1}
	var err error
	if w.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if w.event, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		w.close()
		return nil, err
	}
	return w, w.add(w.event)
}

func (w *waiter) add(fd int) error {
	return unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
}

// watch makes wait end when there is something to read from conn.
func (w *waiter) watch(conn syscall.RawConn) (err error) {
	if e := conn.Control(func(fd uintptr) { err = w.add(int(fd)) }); e != nil {
		return e
	}
	return err
}

// wakeOn makes wait and sleep end when ctx is done.
func (w *waiter) wakeOn(ctx context.Context) {
	w.release = append(w.release, context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.event >= 0 {
			unix.Write(w.event, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // any number except 0
		}
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
	var err error
	e := conn.Control(func(fd uintptr) {
		if err = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_DEL, int(fd), nil); err == nil {
			err = w.add(int(fd))
		}
	})
	if e != nil {
		return e
	}
	return err
}

// wait waits for pages. idle says that there were none after the last wait, away that
// there may be some that the waiter cannot wait for. It returns true if it has waited for
// patience and nothing has come.
func (w *waiter) wait(idle, away bool) (vain bool) {
	if w.woken {
		return false
	}
	timeout := int(patience / time.Millisecond)
	if away {
		timeout = int(pause / time.Millisecond)
	}
	n, err := unix.EpollWait(w.epoll, w.ready[:], timeout)
	for i := range w.ready[:max(n, 0)] {
		w.woken = w.woken || int(w.ready[i].Fd) == w.event
	}
	if idle && !w.woken && (n > 0 || err != nil) {
		w.sleep(int64(time.Millisecond))
	}
	return n == 0 && err == nil && !away
}

// sleep waits for ns nanoseconds, or until the waiter is woken.
func (w *waiter) sleep(ns int64) {
	if w.woken {
		return
	}
	fds := []unix.PollFd{{Fd: int32(w.event), Events: unix.POLLIN}}
	ts := unix.NsecToTimespec(ns)
	if n, _ := unix.Ppoll(fds, &ts, nil); n > 0 {
		w.woken = true
	}
}

func (w *waiter) close() {
	for _, stop := range w.release {
		stop()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, fd := range []int{w.epoll, w.event} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	w.epoll, w.event = -1, -1
}
