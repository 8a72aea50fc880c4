package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// pin binds the thread to a CPU.
func pin(cpu string) error {
	n, err := strconv.Atoi(cpu)
	if err != nil {
		return err
	}
	var set unix.CPUSet
	set.Set(n)
	return unix.SchedSetaffinity(0, &set)
}

// A seeker calls lseek(2) directly, without any work of the runtime around it.
type seeker struct{ file *os.File }

func newSeeker() (seeker, error) {
	f, err := os.Open("/sys/kernel/uevent_seqnum")
	return seeker{f}, err
}

func (s seeker) seek(offset int64) {
	unix.RawSyscall(unix.SYS_LSEEK, s.file.Fd(), uintptr(offset), unix.SEEK_SET)
}

// burst makes N calls for the count "N", and for "NxM" N times M calls and a pause: four times
// as long as the calls took, which leaves a slow machine time for the others, of 4 to 20 ms.
// For "NxM-", of which nobody waits for the end, it is nine times as long, of 20 to 100 ms.
func burst(first, count string) error {
	n, err := strconv.ParseInt(first, 0, 64)
	if err != nil {
		return err
	}
	s, err := newSeeker()
	if err != nil {
		return err
	}
	defer s.file.Close()
	return s.burst(n, count)
}

func (s seeker) burst(first int64, count string) error {
	times, least, most := int64(4), int64(4e6), int64(20e6)
	if endless, ok := strings.CutSuffix(count, "-"); ok {
		count, times, least, most = endless, 9, 20e6, 100e6
	}
	bursts, size, paced := strings.Cut(count, "x")
	if !paced {
		bursts, size = "1", count
	}
	n, err := strconv.Atoi(bursts)
	if err != nil {
		return err
	}
	m, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	for ; n > 0; n-- {
		start := time.Now()
		for range m {
			s.seek(first)
			first++
		}
		if paced {
			pause := unix.NsecToTimespec(min(max(least, times*int64(time.Since(start))), most))
			unix.Nanosleep(&pause, nil)
		}
	}
	return nil
}

// crew makes a burst on several CPUs at once.
func crew(file, count string, cpus []string) error {
	begin, made := make(chan struct{}), make(chan error)
	for i, cpu := range cpus {
		go func() {
			runtime.LockOSThread()
			s, err := newSeeker()
			if err == nil {
				err = pin(cpu)
			}
			made <- err
			<-begin
			made <- s.burst(int64(i)<<32, count)
		}()
	}
	if err := wait(made, len(cpus)); err != nil {
		return err
	}
	if err := ready(file); err != nil {
		return err
	}
	close(begin)
	return wait(made, len(cpus))
}

// wait waits for n threads and returns one of their errors.
func wait(made <-chan error, n int) (err error) {
	for range n {
		if e := <-made; e != nil {
			err = e
		}
	}
	return err
}

// turns makes two threads call in turn, synchronized by two pipes.
func turns(file, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	var to, from [2]int
	if err := unix.Pipe(to[:]); err != nil {
		return err
	}
	if err := unix.Pipe(from[:]); err != nil {
		return err
	}
	made := make(chan error)
	for i, pipes := range [2][2]int{{from[0], to[1]}, {to[0], from[1]}} {
		go func() {
			runtime.LockOSThread()
			s, err := newSeeker()
			if err == nil {
				err = pin(strconv.Itoa(i))
			}
			made <- err
			for turn := i; turn < n && err == nil; turn += 2 {
				if _, err = unix.Read(pipes[0], []byte{0}); err != nil {
					break
				}
				s.seek(int64(turn))
				_, err = unix.Write(pipes[1], []byte{1})
			}
			made <- err
		}()
	}
	if err := wait(made, 2); err != nil {
		return err
	}
	if err := ready(file); err != nil {
		return err
	}
	if _, err := unix.Write(from[1], []byte{1}); err != nil { // the token
		return err
	}
	return wait(made, 2)
}

// cat copies a file to /dev/null, with one write(2) for each read(2), as cat(1) does
// with 128 KiB. It blocks in the kernel: the runtime would poll a pipe of tracefs.
func cat(name string) error {
	in, err := unix.Open(name, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	out, err := unix.Open("/dev/null", unix.O_WRONLY, 0)
	if err != nil {
		return err
	}
	b := make([]byte, 128<<10)
	for {
		n, err := unix.Read(in, b)
		if n == 0 || err != nil && err != unix.EINTR {
			return err
		}
		if _, err := unix.Write(out, b[:max(n, 0)]); err != nil {
			return err
		}
	}
}
