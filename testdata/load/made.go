package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// A madeCall is a call that the load has made, as the load saw it.
type madeCall struct {
	TID    int
	Offset int64 // of lseek; for read it is the size that was asked for
	Whence int64
	Ret    int64 // the result, or a negated errno
}

// result returns what a system call has returned, as the kernel returns it.
func result(n int64, err error) int64 {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return -int64(errno)
	}
	return n
}

// seeks is like pid. Then it makes n random calls of lseek(2) on each of some threads,
// and lists them in FILE.made.
func seeks(file string, args []string) error {
	var num [3]int
	for i := range num {
		var err error
		if num[i], err = strconv.Atoi(args[i]); err != nil {
			return err
		}
	}
	n, threads, seed := num[0], num[1], uint64(num[2])
	return makeCalls(file, threads, func(thread int, made []madeCall) ([]madeCall, error) {
		rnd := rand.New(rand.NewPCG(seed, uint64(thread)))
		fd, err := unix.Open("/sys/kernel/uevent_seqnum", unix.O_RDONLY, 0)
		if err != nil {
			return nil, err
		}
		defer unix.Close(fd)
		for range n {
			c := madeCall{TID: unix.Gettid(), Offset: int64(rnd.IntN(24) - 8), Whence: int64(rnd.IntN(6) % 4)}
			got, err := unix.Seek(fd, c.Offset, int(c.Whence))
			c.Ret = result(got, err)
			made = append(made, c)
		}
		return made, nil
	})
}

// pipes makes each of some threads read n times from a pipe of its own, to which
// another thread writes. The size and the result of each call are unique.
func pipes(file string, args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	threads, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	return makeCalls(file, threads, func(thread int, made []madeCall) ([]madeCall, error) {
		var p [2]int
		if err := unix.Pipe(p[:]); err != nil {
			return nil, err
		}
		var writer sync.WaitGroup
		writer.Go(func() {
			for i := range n {
				unix.Nanosleep(&unix.Timespec{Nsec: int64(1+(thread+i)%3) * 1e6}, nil)
				unix.Write(p[1], make([]byte, 1+i%200+200*(thread%4)))
			}
			unix.Close(p[1])
		})
		defer writer.Wait()
		for i := range n {
			c := madeCall{TID: unix.Gettid(), Offset: int64(5000 + 1000*thread + i)}
			got, err := unix.Read(p[0], make([]byte, c.Offset))
			c.Ret = result(int64(got), err)
			made = append(made, c)
		}
		return made, nil
	})
}

// makeCalls is like pid. Then it runs calls on threads of their own, and lists what
// they made in FILE.made.
func makeCalls(file string, threads int, calls func(thread int, made []madeCall) ([]madeCall, error)) error {
	if err := ready(file); err != nil {
		return err
	}
	made, errs := make([][]madeCall, threads), make([]error, threads)
	var done sync.WaitGroup
	for i := range threads {
		done.Go(func() {
			runtime.LockOSThread()
			made[i], errs[i] = calls(i, nil)
		})
	}
	done.Wait()
	var all []madeCall
	for _, m := range made {
		all = append(all, m...)
	}
	b, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return errors.Join(errors.Join(errs...), os.WriteFile(file+".made", b, 0o644))
}
