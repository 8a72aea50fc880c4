package proc

import (
	"errors"
	"iter"
	"os"
	"strings"
	"syscall"
	"time"
)

// A ModuleEvent says that a module was loaded or unloaded.
type ModuleEvent struct {
	Name string // as in /sys/module; "" if events were lost
	// it was unloaded
	Gone bool
}

// ModuleEvents is an open source of module events: what the kernel reports by
// netlink(7) about the objects of sysfs. The event of a module comes after its
// functions can be probed, or after they can no longer be.
type ModuleEvents struct{ f *os.File }

// WatchModules opens the source. It reports everything that happens from now on.
func WatchModules() (*ModuleEvents, error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_RAW|syscall.SOCK_CLOEXEC|syscall.SOCK_NONBLOCK, syscall.NETLINK_KOBJECT_UEVENT)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	const fromKernel = 1 // 2 is for those of udev
	if err := syscall.Bind(fd, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK, Groups: fromKernel}); err != nil {
		syscall.Close(fd)
		return nil, os.NewSyscallError("bind", err)
	}
	return &ModuleEvents{os.NewFile(uintptr(fd), "uevents")}, nil
}

// All yields events until Drain or Close is called.
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

// read waits for an event. After Drain it only takes those that have come already.
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

// Drain makes All end after it has yielded what has happened until now.
func (m *ModuleEvents) Drain() error { return m.f.SetReadDeadline(time.Unix(1, 0)) }

// Close ends All at once.
func (m *ModuleEvents) Close() error { return m.f.Close() }

// parseModuleEvent parses an event from the kernel: "add@/module/veth", followed by
// further fields, each preceded by a NUL.
func parseModuleEvent(text string) (ModuleEvent, bool) {
	head, _, _ := strings.Cut(text, "\x00")
	action, path, _ := strings.Cut(head, "@")
	name, ok := strings.CutPrefix(path, "/module/")
	if !ok || name == "" || strings.Contains(name, "/") || action != "add" && action != "remove" {
		return ModuleEvent{}, false
	}
	return ModuleEvent{Name: name, Gone: action == "remove"}, true
}
