package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// faultTree is the directory of which calls fail. Calls outside of it do not.
var faultTree = "/sys/kernel/tracing"

// faultOrder begins the name of a file that does not exist. To open it is an order:
// "fault:HOW N[+] ERRNO" sets the fault from now on, and restarts the count. open(2)
// then returns not a file but how many calls were counted before; FILE says which one
// failed. "fault:mark" only asks for the count.
const faultOrder = "/sys/kernel/tracing/fault:"

// onTheWay are the flags, one or both, with which directories on the way to a file are
// opened.
const onTheWay = unix.O_DIRECTORY | unix.O_PATH

// A fault says how system calls of a program fail.
type fault struct {
	how   string // "fail", "late", "short", "kill", or "none", which only counts
	n     int    // which call, starting at 1
	only  string // counts only calls with this name and path, "" for all
	on    bool   // also all calls after it
	errno unix.Errno
}

// parseFault parses "HOW N[@CALL][+] ERRNO": "fail 7 EIO", "late 7+ EBUSY", "kill 7 -",
// "short 2@write/sys/kernel/tracing/kprobe_events -".
func parseFault(how, n, errno string) (f fault, err error) {
	f.how = how
	n, f.on = strings.CutSuffix(n, "+")
	n, f.only, _ = strings.Cut(n, "@")
	f.n, err = strconv.Atoi(n)
	for e := unix.Errno(1); e < 200; e++ {
		if unix.ErrnoName(e) == errno {
			f.errno = e
		}
	}
	if f.errno == 0 && errno != "-" {
		return f, fmt.Errorf("no error %s", errno)
	}
	return f, err
}

// faulted runs a program and makes one of its calls into tracefs fail. It counts the
// calls of all threads and children in the order in which they come, except those that
// open a directory on the way to a file. The program sees the real tracefs. FILE gets a
// line for each call, "N NAME PATH", with " fault" appended to the one that failed.
// "none" only counts. "late" lets the call take effect and then fail. "short" does half
// of a read or write. "kill" kills the process that makes the call. With N+ all later
// calls fail too. With N@CALL, a name and path, only such calls count for N.
//
// A filter of seccomp(2) stops only the calls that may be into tracefs, since each stop
// costs two task switches.
//
// With a tree, it is the calls about files below that directory that fail, also those
// that tracefs does not have.
func faulted(args []string) error {
	if len(args) > 2 && args[0] == "-t" {
		faultTree, args = args[1], args[2:]
	}
	if len(args) < 5 {
		return errors.New("usage: fault [-t TREE] FILE HOW N ERRNO PROGRAM [ARG...]")
	}
	file, args := args[0], args[1:]
	f, err := parseFault(args[0], args[1], args[2])
	if err != nil {
		return err
	}
	// One thread makes all calls of ptrace(2). Other threads would only look for work,
	// which costs as much.
	runtime.GOMAXPROCS(1)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, append([]string{"filtered"}, args[3:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &unix.SysProcAttr{Ptrace: true, Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		return err
	}
	tr := &tracer{fault: f, file: file, main: cmd.Process.Pid, known: map[int]bool{cmd.Process.Pid: true}, entered: map[int]*stopped{}}
	if err := tr.run(); err != nil {
		return err
	}
	if err := os.WriteFile(file, tr.log.Bytes(), 0o644); err != nil {
		return err
	}
	if tr.status.Signaled() {
		os.Exit(128 + int(tr.status.Signal()))
	}
	os.Exit(tr.status.ExitStatus())
	return nil
}

// filtered makes the calls that faulted wants to see stop, and then executes the
// program.
func filtered(args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil {
		return err
	}
	if err := stopAt(faultCalls); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return unix.Exec(path, args, os.Environ())
}

// stopAt makes these system calls stop for the tracer. struct seccomp_data of
// include/uapi/linux/seccomp.h begins with the call's number.
func stopAt(calls map[uint64]faultCall) error {
	const (
		load, equal, above, some, ret = 0x20, 0x15, 0x25, 0x45, 0x06 // BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGT|K, BPF_JMP|JSET|K, BPF_RET|K
		trace, allow                  = 0x7ff00000, 0x7fff0000
		setFilter                     = 2       // SECCOMP_MODE_FILTER
		third                         = 16 + 16 // offset of args[2], whose lower half comes first
		most                          = 1 << 16 // bytes, for a read of tracefs; /proc/kallsyms is read in thousands of larger ones
	)
	prog := []unix.SockFilter{
		{Code: load, K: 0},
		{Code: equal, Jf: 4, K: unix.SYS_READ},
		{Code: load, K: third},
		{Code: above, Jt: 1, K: most},
		{Code: ret, K: trace},
		{Code: ret, K: allow},
		// These would be more than half of all stops.
		{Code: equal, Jf: 4, K: unix.SYS_OPENAT},
		{Code: load, K: third},
		{Code: some, Jt: 1, K: onTheWay},
		{Code: ret, K: trace},
		{Code: ret, K: allow},
	}
	for nr := range calls {
		prog = append(prog, unix.SockFilter{Code: equal, Jf: 1, K: uint32(nr)}, unix.SockFilter{Code: ret, K: trace})
	}
	prog = append(prog, unix.SockFilter{Code: ret, K: allow})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, setFilter, uintptr(unsafe.Pointer(&fprog)), 0, 0)
	runtime.KeepAlive(prog)
	return err
}

// A faultCall says which arguments of a system call are its file.
type faultCall struct {
	name string
	dir  bool // arguments 0 and 1 are a directory and a name in it; otherwise a file descriptor is
	fd   int  // this argument
}

var faultCalls = map[uint64]faultCall{
	unix.SYS_READ: {"read", false, 0}, unix.SYS_PREAD64: {"pread", false, 0}, unix.SYS_READV: {"readv", false, 0},
	unix.SYS_WRITE: {"write", false, 0}, unix.SYS_PWRITE64: {"pwrite", false, 0}, unix.SYS_WRITEV: {"writev", false, 0},
	unix.SYS_SPLICE: {"splice", false, 0}, unix.SYS_GETDENTS64: {"getdents", false, 0}, unix.SYS_FLOCK: {"flock", false, 0},
	unix.SYS_OPENAT: {"open", true, 0}, unix.SYS_OPENAT2: {"open", true, 0}, sysFstatat: {"stat", true, 0},
	unix.SYS_MKDIRAT: {"mkdir", true, 0}, unix.SYS_UNLINKAT: {"unlink", true, 0}, unix.SYS_FACCESSAT: {"access", true, 0},
	// Argument 1 is the name here too, but argument 0 is not a directory.
	unix.SYS_INOTIFY_ADD_WATCH: {"watch", true, 0},

	unix.SYS_FSYNC: {"sync", false, 0}, unix.SYS_FDATASYNC: {"sync", false, 0}, unix.SYS_FTRUNCATE: {"truncate", false, 0},
	unix.SYS_RENAMEAT: {"rename", true, 0}, unix.SYS_RENAMEAT2: {"rename", true, 0}, unix.SYS_LINKAT: {"link", true, 0},
	unix.SYS_FCHMOD: {"chmod", false, 0}, unix.SYS_FCHOWN: {"chown", false, 0}, unix.SYS_FALLOCATE: {"allocate", false, 0},
	unix.SYS_COPY_FILE_RANGE: {"copy", false, 2}, // to this file
}

// A tracer traces a program for faulted.
type tracer struct {
	fault   fault
	file    string
	main    int // PID of the program
	known   map[int]bool
	entered map[int]*stopped // calls that fail when they end, by thread
	calls   int
	counted int // those that fault.n counts
	log     bytes.Buffer
	status  unix.WaitStatus // how main ended
}

// A stopped is a thread that is stopped at a call.
type stopped struct {
	tid  int
	regs callRegs
}

func (tr *tracer) run() error {
	var ws unix.WaitStatus
	if _, err := unix.Wait4(tr.main, &ws, unix.WALL, nil); err != nil {
		return err
	}
	const options = unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
		unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(tr.main, options); err != nil {
		return err
	}
	tid := tr.main
	for next := tr.stop(tid, ws); ; {
		if err := next(tid); err != nil && err != unix.ESRCH { // killed in the meantime
			return err
		}
		var err error
		if tid, err = unix.Wait4(-1, &ws, unix.WALL, nil); err == unix.ECHILD {
			return nil
		} else if err != nil {
			return err
		}
		if ws.Exited() || ws.Signaled() {
			if tid == tr.main {
				tr.status = ws
			}
			next = func(int) error { return nil }
			continue
		}
		next = tr.stop(tid, ws)
	}
}

// stop handles the stop of a thread and returns how it continues.
func (tr *tracer) stop(tid int, ws unix.WaitStatus) (next func(int) error) {
	sig := 0
	switch {
	case ws.StopSignal() == unix.SIGTRAP|0x80:
		if s := tr.entered[tid]; s != nil {
			delete(tr.entered, tid)
			s.regs.fail(tid, tr.fault.errno)
		}
	case ws.StopSignal() == unix.SIGTRAP && ws.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		return tr.called(tid)
	case ws.StopSignal() == unix.SIGTRAP && (ws.TrapCause() > 0 || tid == tr.main && tr.calls == 0):
	case ws.StopSignal() == unix.SIGSTOP && !tr.known[tid]: // the first stop of a new thread
		tr.known[tid] = true
	default:
		sig = int(ws.StopSignal())
	}
	return func(tid int) error { return unix.PtraceCont(tid, sig) }
}

// called handles a call that may be into tracefs, before it takes effect.
func (tr *tracer) called(tid int) (next func(int) error) {
	next = func(tid int) error { return unix.PtraceCont(tid, 0) }
	s := &stopped{tid: tid}
	if s.regs.get(tid) != nil {
		return next
	}
	call := faultCalls[s.regs.nr()]
	path := s.path(call)
	if path != faultTree && !strings.HasPrefix(path, faultTree+"/") {
		return next
	}
	if order, ok := strings.CutPrefix(path, faultOrder); ok {
		s.regs.skip(tid, tr.order(order))
		return next
	}
	if call.name == "open" && s.regs.arg(2)&onTheWay != 0 {
		return next
	}
	tr.calls++
	fmt.Fprintf(&tr.log, "%d %s %s", tr.calls, call.name, path)
	defer tr.log.WriteString("\n")
	f := tr.fault
	if f.only != "" && f.only != call.name+path {
		return next
	}
	tr.counted++
	if f.how == "none" || tr.counted != f.n && !(f.on && tr.counted > f.n) {
		return next
	}
	tr.log.WriteString(" fault")
	switch f.how {
	case "fail":
		s.regs.skip(tid, -int64(f.errno))
	case "late":
		if call.name == "open" {
			break // the file would stay open, which no kernel does
		}
		tr.entered[tid] = s
		return func(tid int) error { return unix.PtraceSyscall(tid, 0) }
	case "short":
		if call.name == "read" || call.name == "write" || call.name == "pread" || call.name == "pwrite" {
			s.regs.halve(tid)
		}
	case "kill":
		unix.Kill(tid, unix.SIGKILL)
	}
	return next
}

// order carries out an order and returns the count so far.
func (tr *tracer) order(text string) (result int64) {
	result = int64(tr.calls)
	if text == "mark" {
		return result
	}
	words := strings.Fields(text)
	f, err := parseFault(words[0], words[1], words[2])
	if err == nil {
		err = os.WriteFile(tr.file, tr.log.Bytes(), 0o644)
	}
	if err != nil {
		return -int64(unix.EINVAL)
	}
	tr.fault, tr.calls, tr.counted = f, 0, 0
	tr.log.Reset()
	return result
}

// path returns the file that a call is about, "" if it is not known.
func (s *stopped) path(call faultCall) string {
	if !call.dir {
		return s.file(int32(s.regs.arg(call.fd)))
	}
	fd := int32(s.regs.arg(0))
	name := s.text(s.regs.arg(1))
	if filepath.IsAbs(name) || call.name == "watch" {
		return name
	}
	return filepath.Join(s.file(fd), name)
}

func (s *stopped) file(fd int32) string {
	link := fmt.Sprintf("/proc/%d/fd/%d", s.tid, fd)
	if fd == unix.AT_FDCWD {
		link = fmt.Sprintf("/proc/%d/cwd", s.tid)
	}
	path, _ := os.Readlink(link)
	return path
}

// text reads a C string of the thread.
func (s *stopped) text(addr uint64) string {
	var b [unix.PathMax]byte
	local := []unix.Iovec{{Base: &b[0], Len: uint64(len(b))}}
	// The copy ends at an unmapped page, but includes what precedes it.
	page := uint64(os.Getpagesize())
	first := page - addr%page
	remote := []unix.RemoteIovec{{Base: uintptr(addr), Len: int(first)}, {Base: uintptr(addr + first), Len: len(b) - int(first)}}
	n, err := unix.ProcessVMReadv(s.tid, local, remote, 0)
	if err != nil {
		return ""
	}
	name, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(name)
}
