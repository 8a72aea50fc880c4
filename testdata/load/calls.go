package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// sendTCP sends messages of these sizes over loopback. A size followed by "+" is held
// back until the next message (MSG_MORE).
func sendTCP(sizes []string) error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	// Else the kernel waits with a short message until the one before is acknowledged.
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return err
	}
	for _, s := range sizes {
		digits, more := strings.CutSuffix(s, "+")
		n, err := strconv.Atoi(digits)
		if err != nil {
			return err
		}
		flags := 0
		if more {
			flags = unix.MSG_MORE
		}
		if _, err := unix.SendmsgN(fd, make([]byte, n), nil, nil, flags); err != nil {
			return err
		}
	}
	return nil
}

// opens opens files N times as the user nobody: MISSING of them do not exist, FORBIDDEN
// may not be read, and the others can be opened.
func opens(counts []string) error {
	var n [3]int
	for i := range n {
		var err error
		if n[i], err = strconv.Atoi(counts[i]); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("/tmp", "opens") // everybody may enter it
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	good, forbidden := filepath.Join(dir, "good"), filepath.Join(dir, "forbidden")
	for name, mode := range map[string]os.FileMode{good: 0o644, forbidden: 0} {
		if err := os.WriteFile(name, nil, mode); err != nil {
			return err
		}
	}
	const nobody = 65534
	if err := unix.Setfsuid(nobody); err != nil { // for this thread, which loses root's rights to files
		return err
	}
	defer unix.Setfsuid(0)
	for i := range n[0] {
		name := good
		switch {
		case i%50 == 7 && n[1] > 0:
			name = filepath.Join(dir, "missing")
			n[1]--
		case i%50 == 8 && n[2] > 0:
			name = forbidden
			n[2]--
		}
		if fd, err := unix.Open(name, unix.O_RDONLY, 0); err == nil {
			unix.Close(fd)
		}
	}
	if n[1]+n[2] > 0 {
		return fmt.Errorf("%v are left", n)
	}
	return nil
}

// sleepers makes N threads sleep at the same time, on a clock that nothing else sleeps
// on. When all of them sleep, a signal ends the sleep of the first S; if that is 0, they
// sleep until they are killed.
func sleepers(file, count, interrupted string) error {
	signals, err := strconv.Atoi(interrupted)
	if err != nil {
		return err
	}
	time := unix.Timespec{Sec: 5}
	if signals == 0 {
		time.Sec = 3600
	}
	sleep := func(i int) error {
		err := unix.ClockNanosleep(unix.CLOCK_BOOTTIME, 0, &time, nil)
		if i < signals && err == unix.EINTR {
			return nil
		}
		return err
	}
	return together(file, count, sleep, func(tids []int) error {
		for _, tid := range tids[:signals] {
			// Go handles SIGURG at any time, with SA_RESTART. A sleep on a clock is
			// restarted by restart_syscall(2), which is another function.
			if err := unix.Tgkill(os.Getpid(), tid, unix.SIGURG); err != nil {
				return err
			}
		}
		return nil
	})
}

// waiters makes N threads wait in inotify's read(2) at the same time, until a file is
// created.
func waiters(file, count string) error {
	dir, err := os.MkdirTemp("", "waiters")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	wait := func(int) error {
		fd, err := unix.InotifyInit()
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_CREATE); err != nil {
			return err
		}
		_, err = unix.Read(fd, make([]byte, 512))
		return err
	}
	return together(file, count, wait, func([]int) error {
		return os.WriteFile(filepath.Join(dir, "made"), nil, 0o644)
	})
}

// together writes the PID to a file, makes N threads do something in which they sleep,
// and when all of them sleep does something else.
func together(file, count string, do func(i int) error, then func(tids []int) error) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	tids, done := make([]int, n), make(chan error)
	var begin, known sync.WaitGroup
	begin.Add(1)
	known.Add(n)
	for i := range n {
		go func() {
			runtime.LockOSThread()
			tids[i] = unix.Gettid()
			known.Done()
			begin.Wait()
			done <- do(i)
		}()
	}
	known.Wait()
	if err := ready(file); err != nil {
		return err
	}
	begin.Done()
	for _, tid := range tids {
		for !asleep(tid) {
			unix.Nanosleep(&unix.Timespec{Nsec: 5e6}, nil)
		}
	}
	if err := then(tids); err != nil {
		return err
	}
	return wait(done, n)
}

// asleep reports whether a thread of this process sleeps in the kernel, and not because
// Go has no work for it.
func asleep(tid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/stat", tid))
	if err != nil {
		return false
	}
	call, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/syscall", tid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	number, _, _ := strings.Cut(string(call), " ")
	return strings.HasPrefix(rest, "S") && (number == strconv.Itoa(unix.SYS_READ) || number == strconv.Itoa(unix.SYS_CLOCK_NANOSLEEP))
}
