package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"
)

// crowd starts N threads and then is like pid. Then the i-th thread names itself ti and
// calls lseek(2) with offset i.
func crowd(file, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	debug.SetMaxThreads(2*n + 100)
	// The usual limit depends on the machine's memory.
	if err := os.WriteFile("/proc/sys/kernel/threads-max", []byte(strconv.Itoa(2*n+2000)), 0); err != nil {
		return err
	}
	// A process may have fewer open files than threads.
	s, err := newSeeker()
	if err != nil {
		return err
	}
	begin, done := make(chan struct{}), make(chan error)
	for i := range n {
		go func() {
			runtime.LockOSThread()
			done <- nil
			<-begin
			done <- s.named(i)
		}()
	}
	if err := wait(done, n); err != nil {
		return err
	}
	if err := ready(file); err != nil {
		return err
	}
	close(begin)
	return wait(done, n)
}

// reuse is like pid. Then N threads do what those of crowd do, one after the other.
// They are so many that most have a reused thread ID.
func reuse(file, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	if err := ready(file); err != nil {
		return err
	}
	s, err := newSeeker()
	if err != nil {
		return err
	}
	done := make(chan error)
	for i := range n {
		go func() {
			runtime.LockOSThread() // never unlocked, so the thread ends
			done <- s.named(i)
		}()
		if err := <-done; err != nil {
			return err
		}
	}
	return nil
}

// named calls lseek(2) under a task name that contains the offset.
func (s seeker) named(i int) error {
	name := fmt.Appendf(nil, "t%d\x00", i)
	if err := unix.Prctl(unix.PR_SET_NAME, pointer(name), 0, 0, 0); err != nil {
		return err
	}
	s.seek(int64(i))
	return nil
}
