package hitcost

import (
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// function is the system call that has the test probes: it changes nothing, takes no lock and
// next to no time, and programs seldom call it. The one it is compared with does the same.
const function = "sched_get_priority_max"

const (
	probed  uintptr = unix.SYS_SCHED_GET_PRIORITY_MAX
	without uintptr = unix.SYS_SCHED_GET_PRIORITY_MIN
)

// A stage has several short batches of calls. Other tasks and power management slow some of
// them down, so each has one of the other system call beside it.
const batches, perBatch = 100, 20

// A caller is a thread of its own that makes the calls.
type caller struct {
	tid  int
	todo chan struct{}
	done chan took
}

func newCaller() *caller {
	c := &caller{todo: make(chan struct{}), done: make(chan took)}
	started := make(chan int)
	go func() {
		runtime.LockOSThread()
		started <- unix.Gettid()
		for range c.todo {
			c.done <- compare()
		}
		runtime.UnlockOSThread()
	}()
	c.tid = <-started
	return c
}

// run makes batches * perBatch calls of either system call.
func (c *caller) run() took {
	c.todo <- struct{}{}
	return <-c.done
}

func (c *caller) end() { close(c.todo) }

// took is how many ns a call takes.
type took struct{ probed, without float64 }

func compare() took {
	var with, plain [batches]float64
	for i := range batches {
		plain[i], with[i] = batch(without), batch(probed)
	}
	return took{undisturbed(with[:]), undisturbed(plain[:])}
}

// undisturbed returns the lower quartile.
func undisturbed(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/4]
}

// batch returns how many ns a call of the system call takes.
func batch(call uintptr) float64 {
	start := time.Now()
	for range perBatch {
		unix.RawSyscall(call, 1, 0, 0) // SCHED_FIFO
	}
	return float64(time.Since(start)) / perBatch
}
