package live

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/users"
	"golang.org/x/sys/unix"
)

// A set-user-ID program has no effect if the process that started it could not trace its
// owner when tracing began. So tsnoop starts itself, as root, with these words in front of
// the command; that process becomes the user and then executes the command.
const (
	asUser = "__as"   // UID:GID and the groups
	asSelf = "__wait" // as the user who it is, once it may: not traced at all
)

// Becomes reports whether a process with these arguments was started to become the command.
func Becomes(args []string) bool {
	return len(args) >= 5 && (args[1] == asUser || args[1] == asSelf)
}

// Become executes the command in place of this process, whose arguments these are: see
// Becomes. It returns the exit status if it cannot. It must run on the process's first
// thread, because ptrace holds only that one.
func Become(args []string) int {
	how, ids, name, args := args[1], args[2], args[3], args[4:]
	var err error
	if how == asUser {
		err = become(ids)
	} else {
		gate := os.NewFile(3, "gate")
		if n, _ := gate.Read(make([]byte, 1)); n == 0 {
			return 2 // tsnoop was killed
		}
		unix.CloseOnExec(3)
	}
	if err == nil {
		err = &exec.Error{Name: name, Err: syscall.Exec(name, args, os.Environ())}
	}
	return terminal.New("tsnoop", "auto", false).Report(cannotRun(name, err))
}

// become changes the groups and then the user, which takes away the right to.
func become(ids string) error {
	var numbers []int
	for id := range strings.SplitSeq(ids, ",") {
		n, err := strconv.Atoi(id)
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	uid, gid, groups := numbers[0], numbers[1], numbers[2:]
	if err := syscall.Setgroups(groups); err != nil {
		return os.NewSyscallError("setgroups", err)
	}
	if err := syscall.Setgid(gid); err != nil {
		return os.NewSyscallError("setgid", err)
	}
	return os.NewSyscallError("setuid", syscall.Setuid(uid))
}

// becoming makes the command one that is executed as the user.
func becoming(cmd *exec.Cmd, user string) error {
	if os.Geteuid() != 0 {
		return &tracefs.HostError{Msg: "--user: only root can run a command as another user", Hint: "run tsnoop as root, or omit --user"}
	}
	u, err := users.Lookup(user)
	if err != nil {
		return &tracefs.HostError{Msg: fmt.Sprintf("--user: unknown user %q: %v", user, err), Err: err,
			Hint: "give UID:GID; to run with the groups of a user of a directory service: tsnoop SPEC -- runuser -u USER -- COMMAND"}
	}
	ids := fmt.Sprintf("%d,%d", u.UID, u.GID)
	for _, group := range u.Groups {
		ids += fmt.Sprintf(",%d", group)
	}
	through(cmd, asUser, ids)
	return nil
}

// waiting makes the command one that waits until it may run: see tracee.HoldWaiting.
func waiting(cmd *exec.Cmd) { through(cmd, asSelf, "") }

func through(cmd *exec.Cmd, how, ids string) {
	cmd.Args = append([]string{"tsnoop", how, ids, cmd.Path}, cmd.Args...)
	cmd.Path = proc.Executable
}

// setsID reports whether a program gets the rights of a file: its owner, group or
// capabilities.
func setsID(program string) bool {
	var st unix.Stat_t
	if unix.Stat(program, &st) != nil {
		return false
	}
	const group = unix.S_ISGID | unix.S_IXGRP
	size, err := unix.Getxattr(program, "security.capability", nil)
	return st.Mode&unix.S_ISUID != 0 || st.Mode&group == group || err == nil && size > 0
}

// mayTraceRoot reports whether this process may trace processes of all users.
func mayTraceRoot() bool {
	var caps [2]unix.CapUserData
	err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &caps[0])
	return err == nil && caps[0].Effective&(1<<unix.CAP_SYS_PTRACE) != 0
}
