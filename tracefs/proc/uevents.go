package proc

import (
	"errors"
	"iter"
	"os"
	"strings"
	"syscall"
	"time"
)

// A ModuleEvent says that a module has come or gone.
type ModuleEvent struct {
	Name string // as in /sys/module; "" if news were lost
	Gone bool
}

// ModuleEvents is an open source of them: what the kernel tells by netlink(7) of the
// objects of sysfs. A module comes after its functions can be probed, and goes after
// they cannot any more.
type ModuleEvents struct{ f *os.File }

// WatchModules opens the source. It has all that happens from now on.
func WatchModules() (*ModuleEvents, error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, syscall.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	const fromKernel = 1 // udev's own are 2
	if err := syscall.Bind(fd, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK, Groups: fromKernel}); err != nil {
		syscall.Close(fd)
		return nil, os.NewSyscallError("bind", err)
	}
	return &ModuleEvents{os.NewFile(uintptr(fd), "uevents")}, nil
}

// All waits for events until Drain or Close.
func (m *ModuleEvents) All() iter.Seq[ModuleEvent] {
	return func(yield func(ModuleEvent) bool) {
		b := make([]byte, 16<<10) // more than the kernel sends at once: UEVENT_BUFFER_SIZE and a path
		for {
			n, err := m.read(b)
			if errors.Is(err, syscall.ENOBUFS) {
				if !yield(ModuleEvent{}) {
					return
				}
				continue
			}
			if err != nil {
				return
			}
			if e, ok := parseModuleEvent(string(b[:n])); ok && !yield(e) {
				return
			}
		}
	}
}

// read waits for an event, or after Drain takes one that has come already.
func (m *ModuleEvents) read(b []byte) (n int, err error) {
	if n, err = m.f.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	conn, err := m.f.SyscallConn()
	if err != nil {
		return 0, err
	}
	if e := conn.Control(func(fd uintptr) { n, err = syscall.Read(int(fd), b) }); e != nil {
		return 0, e
	}
	return n, err
}

// Drain has All end when it has yielded what has happened until now.
func (m *ModuleEvents) Drain() error { return m.f.SetReadDeadline(time.Unix(1, 0)) }

// Close ends All at once.
func (m *ModuleEvents) Close() error { return m.f.Close() }

// parseModuleEvent reads an event of the kernel's: "add@/module/veth" and, each with
// a NUL before it, what else there is to know.
func parseModuleEvent(text string) (ModuleEvent, bool) {
	head, _, _ := strings.Cut(text, "\x00")
	action, path, _ := strings.Cut(head, "@")
	name, ok := strings.CutPrefix(path, "/module/")
	if !ok || name == "" || strings.Contains(name, "/") || action != "add" && action != "remove" {
		return ModuleEvent{}, false
	}
	return ModuleEvent{Name: name, Gone: action == "remove"}, true
}
