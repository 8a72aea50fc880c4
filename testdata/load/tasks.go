package main

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lock takes the lock that everybody who writes probes takes in turn, and then is like
// pid.
func lock(file string) error {
	f, err := os.Open("/sys/kernel/tracing/kprobe_events")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	return ready(file)
}

// kinsfolk starts a child and then is like pid. It starts N threads. The i-th calls
// lseek(2) with an offset that is 10 followed by i (101 for 1); a child and a
// grandchild of it use 20 followed by i. At the end the first child calls it with
// offset 3000.
func kinsfolk(file, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	elder := exec.Command("sh", "-c", "read go; exec load seek 3000")
	in, err := elder.StdinPipe()
	if err != nil {
		return err
	}
	if err := elder.Start(); err != nil {
		return err
	}
	if err := ready(file); err != nil {
		return err
	}
	done := make(chan error)
	for i := 1; i <= n; i++ {
		go func() { done <- parent(strconv.Itoa(i)) }()
	}
	if err := wait(done, n); err != nil {
		return err
	}
	in.Write([]byte("\n"))
	return elder.Wait()
}

// parent is one of these threads. It is locked to its goroutine and never unlocked, so
// it ends and the next one is new.
func parent(i string) error {
	runtime.LockOSThread()
	if err := seek([]string{"10" + i}); err != nil {
		return err
	}
	child := strings.ReplaceAll("load seek 20I; sh -c 'load seek 20I; :'", "I", i)
	return exec.Command("sh", "-c", child).Run()
}
