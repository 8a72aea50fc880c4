// Load makes known calls, so that a trace of them can be checked:
//
//	load open FILE...         open each file, whether it exists or not
//	load seek OFFSET...       lseek(2) on a file of sysfs, which calls
//	                          generic_file_llseek on every kernel and machine
//	load read FILE SIZE...    read(2) of each of these sizes, in bytes
//	load udp SIZE...          a datagram of each of these sizes over loopback
//	load name COMM WORDS...   "load WORDS" under another task name (Go quoted)
//	load open-null            open(2) with NULL for a name
//	load udp6 SIZE...         like udp, over IPv6
//	load names NAME...        lseek(2) with offset i under the i-th name, from 0
//	load veth A MAC B MAC     a veth pair with these names and addresses, up
//	load frame DEV DSTMAC     an IPv4 frame out of DEV
//	load tcp SIZE...          send(2) messages over loopback; "100+": hold it back
//	load opens N MISSING FORBIDDEN   open(2) N files; that many of them fail
//	load nest FILE N          like pid, then ioctl(2) on the last of N block
//	                          devices, each of which passes it on to the previous
//	load sleepers FILE N S    like pid, then N threads sleep at once; S are woken
//	load waiters FILE N       like pid, then N threads wait for an event of inotify
//	load cat FILE             read(2) FILE until its end, write(2) it to /dev/null
//	load times N WORDS...     "load WORDS", N times
//	load timed FILE WORDS...  "load WORDS"; how long it took is in FILE
//	load used FILE WORDS...   "load WORDS"; the CPU time that it took is in FILE
//	load thread WORDS...      "load WORDS" on another thread than the first one
//	load exec PATH WORDS...   execve(2) the program at PATH as "load WORDS"
//	load pid FILE WORDS...    write the PID to FILE, wait for FILE.go, then "load WORDS"
//	load on CPU WORDS...      "load WORDS" on one CPU
//	load burst FIRST N        N times lseek(2) with the offsets FIRST, FIRST+1,
//	                          ... as fast as possible; NxM: N times M of them and
//	                          a pause of up to 20 ms, NxM-: a longer one
//	load crew FILE N CPU...   a thread on each CPU; like pid, then all do
//	                          burst, the i-th starting at i<<32
//	load lock FILE            like pid, with the lock on kprobe_events
//	load threads FILE N       like pid, then N threads, each with a child and
//	                          a grandchild, all of which call lseek(2)
//	load user CALL...         system calls whose memory is mapped or not: see userCalls
//	load turns FILE N         like pid, then two threads, on CPU 0 and 1, take
//	                          turns: the i-th is lseek(2) with offset i
//	load seeks FILE N T SEED  like pid, then N random calls of lseek(2) on each of
//	                          T threads; FILE.made lists the calls
//	load pipes FILE N T       like pid, then N calls of read(2) on each of T
//	                          threads, which have to wait; FILE.made as above
//	load crowd FILE N         N threads, then like pid, then the i-th thread names
//	                          itself ti and calls lseek(2) with offset i
//	load reuse FILE N         like pid, then N threads do so one after the other
//	load forge FILE N SEED    like pid, then open(2) N files whose names, and the task's,
//	                          are made to be mistaken for something else; FILE.made
//	                          lists the calls
//	load paths FILE SEED N    open(2) N files below random mounts: see paths
//	load texts FILE N...      write(2) texts of these lengths to it: see texts
//	load syscalls             one system call of each of some kinds
//	load sockets              socket addresses of many lengths: see sockets
//	load contents             structs, data and lists in memory: see contents
//	load words                system calls with flags and numbers that have names
//	load fault [-t TREE] FILE HOW N ERRNO PROGRAM [ARG...]   run the program; the N-th
//	                          of its calls into tracefs, or TREE, fails: see faulted
//	load rights OFFSET        print this process's users, groups and HOME, like seek
//	load compat FILE          openat(2) it and write(2) as a 32-bit program does
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	runtime.LockOSThread() // one task makes all calls
	if err := loadOne(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func loadOne(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("nothing to do")
	}
	rest := args[1:]
	switch args[0] {
	case "open":
		for _, name := range rest {
			name, err := unquoted(name)
			if err != nil {
				return err
			}
			if fd, err := unix.Open(name, unix.O_RDONLY, 0); err == nil {
				unix.Close(fd)
			}
		}
		return nil
	case "stat":
		for _, name := range rest {
			unix.Statx(unix.AT_FDCWD, name, 0, unix.STATX_BASIC_STATS, new(unix.Statx_t))
			unix.Statfs(name, new(unix.Statfs_t))
		}
		return nil
	case "seek":
		return seek(rest)
	case "timed":
		start := time.Now()
		err := loadOne(rest[1:])
		took := time.Since(start)
		return errors.Join(err, os.WriteFile(rest[0], []byte(took.String()), 0o644))
	case "used":
		start, err := used()
		err = errors.Join(err, loadOne(rest[1:]))
		end, err2 := used()
		return errors.Join(err, err2, os.WriteFile(rest[0], []byte((end-start).String()), 0o644))
	case "syscalls":
		return syscalls()
	case "rights":
		groups, err := unix.Getgroups()
		if err != nil {
			return err
		}
		ruid, euid, suid := unix.Getresuid()
		rgid, egid, sgid := unix.Getresgid()
		fmt.Println("users", ruid, euid, suid, "groups", rgid, egid, sgid, groups, "home", os.Getenv("HOME"))
		return seek(rest)
	case "sockets":
		return sockets()
	case "contents":
		return contents()
	case "words":
		return words()
	case "compat":
		return compat(rest[0])
	case "read":
		return readSizes(rest[0], rest[1:])
	case "udp":
		return udp("udp4", "127.0.0.1:0", rest)
	case "name":
		name, err := unquoted(rest[0])
		if err != nil {
			return err
		}
		b := append([]byte(name), 0)
		if err := unix.Prctl(unix.PR_SET_NAME, pointer(b), 0, 0, 0); err != nil {
			return err
		}
		return loadOne(rest[1:])
	case "open-null":
		return openNull()
	case "udp6":
		return udp("udp6", "[::1]:0", rest)
	case "names":
		for i, name := range rest {
			if err := loadOne([]string{"name", name, "seek", strconv.Itoa(i)}); err != nil {
				return err
			}
		}
		return nil
	case "times":
		n, err := strconv.Atoi(rest[0])
		for ; err == nil && n > 0; n-- {
			err = loadOne(rest[1:])
		}
		return err
	case "thread":
		result := make(chan error)
		go func() {
			runtime.LockOSThread()
			result <- loadOne(rest)
		}()
		return <-result
	case "exec":
		path, err := exec.LookPath(rest[0])
		if err != nil {
			return err
		}
		return unix.Exec(path, append([]string{"load"}, rest[1:]...), os.Environ())
	case "fault":
		return faulted(rest)
	case "filtered":
		return filtered(rest)
	case "pid":
		return waitFor(rest[0], rest[1:])
	case "cat":
		return cat(rest[0])
	case "on":
		if err := pin(rest[0]); err != nil {
			return err
		}
		return loadOne(rest[1:])
	case "burst":
		return burst(rest[0], rest[1])
	case "crew":
		return crew(rest[0], rest[1], rest[2:])
	case "seeks":
		return seeks(rest[0], rest[1:])
	case "pipes":
		return pipes(rest[0], rest[1:])
	case "turns":
		return turns(rest[0], rest[1])
	case "tcp":
		return sendTCP(rest)
	case "opens":
		return opens(rest)
	case "nest":
		return nest(rest[0], rest[1])
	case "sleepers":
		return sleepers(rest[0], rest[1], rest[2])
	case "waiters":
		return waiters(rest[0], rest[1])
	case "threads":
		return kinsfolk(rest[0], rest[1])
	case "crowd":
		return crowd(rest[0], rest[1])
	case "paths":
		seed, err := strconv.ParseUint(rest[1], 10, 64)
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(rest[2])
		return errors.Join(err, paths(rest[0], seed, n))
	case "texts":
		return texts(rest[0], rest[1:])
	case "reuse":
		return reuse(rest[0], rest[1])
	case "forge":
		return forge(rest[0], rest[1], rest[2])
	case "lock":
		return lock(rest[0])
	case "veth":
		return veth(rest[0], rest[1], rest[2], rest[3])
	case "frame":
		return frame(rest[0], rest[1])
	case "user":
		return userCalls(rest)
	}
	return fmt.Errorf("unknown %q", args[0])
}

// used returns the CPU time of this thread, which makes all calls. Unlike getrusage(2),
// which may lag by a tick, the clock is exact.
func used() (time.Duration, error) {
	var ts unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
	return time.Duration(ts.Nano()), err
}

// unquoted undoes Go quoting, if there is any.
func unquoted(s string) (string, error) {
	if strings.Contains(s, `\`) {
		return strconv.Unquote(`"` + s + `"`)
	}
	return s, nil
}

func seek(offsets []string) error {
	f, err := os.Open("/sys/kernel/uevent_seqnum")
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	for _, s := range offsets {
		n, err := strconv.ParseInt(s, 0, 64)
		if u, uerr := strconv.ParseUint(s, 0, 64); err != nil && uerr == nil {
			n, err = int64(u), nil
		}
		if err != nil {
			return err
		}
		unix.Seek(fd, n, unix.SEEK_SET) // most of these fail, which is the point
	}
	return nil
}

func readSizes(name string, sizes []string) error {
	fd, err := unix.Open(name, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for _, s := range sizes {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		if _, err := unix.Read(fd, make([]byte, n)); err != nil {
			return err
		}
	}
	return nil
}

// udp sends a datagram of each of these sizes over loopback.
func udp(network, address string, sizes []string) error {
	to, err := net.ListenPacket(network, address)
	if err != nil {
		return err
	}
	defer to.Close()
	from, err := net.Dial(network, to.LocalAddr().String())
	if err != nil {
		return err
	}
	defer from.Close()
	for _, s := range sizes {
		n, err := strconv.Atoi(s)
		if err != nil {
			return err
		}
		if _, err := from.Write(make([]byte, n)); err != nil {
			return err
		}
	}
	return nil
}

// waitFor is the command pid: it reports the PID and goes on when it may.
func waitFor(file string, args []string) error {
	if err := ready(file); err != nil {
		return err
	}
	return loadOne(args)
}

// ready writes the PID to a file and waits until the file FILE.go exists.
func ready(file string) error {
	if err := os.WriteFile(file+".tmp", []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	if err := os.Rename(file+".tmp", file); err != nil {
		return err
	}
	for {
		if _, err := os.Stat(file + ".go"); err == nil {
			return nil
		}
		unix.Nanosleep(&unix.Timespec{Nsec: 20e6}, nil)
	}
}
