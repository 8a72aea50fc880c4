package value

import "strings"

// A Use says with which values of another parameter a call uses a parameter. If it does not
// use it, what the program left in its register means nothing.
type Use struct {
	Arg    int      // index into the probe's Args of the other parameter
	Mask   uint64   // the bits of it that are one of Values; 0 if Values are flags, of which it has one
	Values []uint64 // none: the call never uses the parameter
	Not    bool     // it is used with all other values
}

// holds reports whether the parameter is used where the other one is x.
func (u *Use) holds(x uint64) bool {
	for _, v := range u.Values {
		if u.Mask != 0 && x&u.Mask == v || u.Mask == 0 && x&v == v {
			return !u.Not
		}
	}
	return u.Not
}

// IsUnused reports whether v stands for a parameter that the call does not use.
func (v *Value) IsUnused() bool { return v.Kind == None && v.Reason == Unused }

// A Usage is the rule for a [Use], in names.
type Usage struct {
	By   string // the other parameter
	Mask string // a macro, AllBits, or "" if Only and But are flags
	Only string // the macros with which it is used
	But  string // the macros with which it is not used
}

// AllBits is the Mask of a parameter that is a number, such as a command.
const AllBits = "*"

// All returns the macros, and whether they are those with which it is not used.
func (u *Usage) All() (macros []string, not bool) {
	return strings.Fields(u.Only + u.But), u.But != ""
}

// UsageOf returns when a system call, by its name without sys_, uses a parameter; nil if it
// always does. Functions of the kernel show all that they are given.
func UsageOf(call, param string) *Usage {
	if u, ok := usages[call+"."+param]; ok {
		return &u
	}
	return nil
}

const (
	creating = "O_CREAT O_TMPFILE"

	fcntlNone = "F_GETFD F_GETFL F_GETOWN F_GETSIG F_GETLEASE F_GETPIPE_SZ F_GET_SEALS"

	ioctlNone = "FIOCLEX FIONCLEX TIOCEXCL TIOCNXCL TIOCNOTTY TIOCVHANGUP TIOCSBRK TIOCCBRK BLKRRPART BLKFLSBUF LOOP_CLR_FD FIFREEZE FITHAW"

	// Options of prctl(2) with no argument, with one, and with two (kernel/sys.c). Those
	// that insist on 0 in the others use them.
	prctlNone = "PR_GET_DUMPABLE PR_GET_KEEPCAPS PR_GET_TIMING PR_GET_SECCOMP PR_GET_SECUREBITS PR_GET_TIMERSLACK PR_TASK_PERF_EVENTS_DISABLE PR_TASK_PERF_EVENTS_ENABLE PR_GET_FP_MODE PR_SVE_GET_VL PR_SME_GET_VL "
	prctlOne  = prctlNone + "PR_SET_PDEATHSIG PR_GET_PDEATHSIG PR_SET_DUMPABLE PR_SET_KEEPCAPS PR_SET_UNALIGN PR_GET_UNALIGN PR_SET_FPEMU PR_GET_FPEMU PR_SET_FPEXC PR_GET_FPEXC PR_SET_TIMING PR_SET_NAME PR_GET_NAME PR_SET_ENDIAN PR_GET_ENDIAN PR_SET_TSC PR_GET_TSC PR_SET_SECUREBITS PR_SET_TIMERSLACK PR_CAPBSET_READ PR_CAPBSET_DROP PR_SET_CHILD_SUBREAPER PR_GET_CHILD_SUBREAPER PR_GET_TID_ADDRESS PR_SET_PTRACER PR_SET_FP_MODE PR_SVE_SET_VL PR_SME_SET_VL "
	prctlTwo  = prctlOne + "PR_SET_SECCOMP"

	ptraceNone   = "PTRACE_TRACEME PTRACE_KILL PTRACE_ATTACH PTRACE_INTERRUPT PTRACE_LISTEN "
	ptraceNoAddr = ptraceNone + "PTRACE_CONT PTRACE_DETACH PTRACE_SYSCALL PTRACE_SINGLESTEP PTRACE_SINGLEBLOCK PTRACE_SYSEMU PTRACE_SYSEMU_SINGLESTEP PTRACE_SETOPTIONS PTRACE_GETEVENTMSG PTRACE_GETSIGINFO PTRACE_SETSIGINFO PTRACE_GETREGS PTRACE_SETREGS PTRACE_GETFPREGS PTRACE_SETFPREGS"

	// Operations of keyctl(2) with no argument, with one, two and three.
	keyctlNone  = "KEYCTL_SESSION_TO_PARENT "
	keyctlOne   = keyctlNone + "KEYCTL_JOIN_SESSION_KEYRING KEYCTL_REVOKE KEYCTL_CLEAR KEYCTL_SET_REQKEY_KEYRING KEYCTL_ASSUME_AUTHORITY KEYCTL_INVALIDATE "
	keyctlTwo   = keyctlOne + "KEYCTL_GET_KEYRING_ID KEYCTL_SETPERM KEYCTL_LINK KEYCTL_UNLINK KEYCTL_SET_TIMEOUT KEYCTL_GET_PERSISTENT KEYCTL_CAPABILITIES "
	keyctlThree = keyctlTwo + "KEYCTL_UPDATE KEYCTL_CHOWN KEYCTL_DESCRIBE KEYCTL_READ KEYCTL_NEGATE KEYCTL_GET_SECURITY KEYCTL_RESTRICT_KEYRING KEYCTL_WATCH_KEY"

	futexNoTime  = "FUTEX_WAKE FUTEX_FD FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI FUTEX_WAKE_BITSET"
	futexNoVal   = "FUTEX_LOCK_PI FUTEX_LOCK_PI2 FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI"
	futexOne     = "FUTEX_WAIT FUTEX_WAKE FUTEX_FD FUTEX_LOCK_PI FUTEX_LOCK_PI2 FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI FUTEX_WAIT_BITSET FUTEX_WAKE_BITSET"
	futexNoVal3  = "FUTEX_WAIT FUTEX_WAKE FUTEX_FD FUTEX_REQUEUE FUTEX_LOCK_PI FUTEX_LOCK_PI2 FUTEX_UNLOCK_PI FUTEX_TRYLOCK_PI FUTEX_WAIT_REQUEUE_PI"
	semctlNone   = "IPC_RMID GETVAL GETPID GETNCNT GETZCNT"
	settingChild = "CLONE_CHILD_SETTID CLONE_CHILD_CLEARTID"
)

// usages are by system call and parameter.
var usages = map[string]Usage{
	"open.mode":                {By: "flags", Only: creating}, // WILL_CREATE in fs/open.c
	"openat.mode":              {By: "flags", Only: creating},
	"mq_open.mode":             {By: "oflag", Only: "O_CREAT"}, // ipc/mqueue.c
	"mq_open.u_attr":           {By: "oflag", Only: "O_CREAT"},
	"mknod.dev":                {By: "mode", Mask: "S_IFMT", Only: "S_IFCHR S_IFBLK"}, // fs/namei.c
	"mknodat.dev":              {By: "mode", Mask: "S_IFMT", Only: "S_IFCHR S_IFBLK"},
	"mmap.fd":                  {By: "flags", But: "MAP_ANONYMOUS"}, // mm/mmap.c
	"mmap_pgoff.fd":            {By: "flags", But: "MAP_ANONYMOUS"},
	"mremap.new_addr":          {By: "flags", Only: "MREMAP_FIXED MREMAP_DONTUNMAP"}, // mm/mremap.c
	"clone.parent_tidptr":      {By: "clone_flags", Only: "CLONE_PARENT_SETTID CLONE_PIDFD"},
	"clone.child_tidptr":       {By: "clone_flags", Only: settingChild}, // kernel/fork.c
	"clone.tls":                {By: "clone_flags", Only: "CLONE_SETTLS"},
	"ia32_clone.parent_tidptr": {By: "clone_flags", Only: "CLONE_PARENT_SETTID CLONE_PIDFD"},
	"ia32_clone.child_tidptr":  {By: "clone_flags", Only: settingChild},
	"ia32_clone.tls":           {By: "clone_flags", Only: "CLONE_SETTLS"},
	"membarrier.cpu_id":        {By: "flags", Only: "MEMBARRIER_CMD_FLAG_CPU"},  // kernel/sched/membarrier.c
	"getcpu.unused":            {By: "cpup"},                                    // kernel/sys.c
	"epoll_ctl.event":          {By: "op", Mask: AllBits, But: "EPOLL_CTL_DEL"}, // fs/eventpoll.c
	"fcntl.arg":                {By: "cmd", Mask: AllBits, But: fcntlNone},      // fs/fcntl.c
	"fcntl64.arg":              {By: "cmd", Mask: AllBits, But: fcntlNone},
	"ioctl.arg":                {By: "cmd", Mask: AllBits, But: ioctlNone},
	"reboot.arg":               {By: "cmd", Mask: AllBits, Only: "LINUX_REBOOT_CMD_RESTART2"}, // kernel/reboot.c
	"prctl.arg2":               {By: "option", Mask: AllBits, But: prctlNone},
	"prctl.arg3":               {By: "option", Mask: AllBits, But: prctlOne},
	"prctl.arg4":               {By: "option", Mask: AllBits, But: prctlTwo},
	"prctl.arg5":               {By: "option", Mask: AllBits, But: prctlTwo},
	"ptrace.pid":               {By: "request", Mask: AllBits, But: "PTRACE_TRACEME"}, // kernel/ptrace.c
	"ptrace.addr":              {By: "request", Mask: AllBits, But: ptraceNoAddr},
	"ptrace.data":              {By: "request", Mask: AllBits, But: ptraceNone},
	"keyctl.arg2":              {By: "option", Mask: AllBits, But: keyctlNone}, // security/keys/keyctl.c
	"keyctl.arg3":              {By: "option", Mask: AllBits, But: keyctlOne},
	"keyctl.arg4":              {By: "option", Mask: AllBits, But: keyctlTwo},
	"keyctl.arg5":              {By: "option", Mask: AllBits, But: keyctlThree},
	"futex.val":                {By: "op", Mask: "FUTEX_CMD_MASK", But: futexNoVal}, // kernel/futex
	"futex.utime":              {By: "op", Mask: "FUTEX_CMD_MASK", But: futexNoTime},
	"futex.uaddr2":             {By: "op", Mask: "FUTEX_CMD_MASK", But: futexOne},
	"futex.val3":               {By: "op", Mask: "FUTEX_CMD_MASK", But: futexNoVal3},
	"futex_time32.val":         {By: "op", Mask: "FUTEX_CMD_MASK", But: futexNoVal},
	"futex_time32.utime":       {By: "op", Mask: "FUTEX_CMD_MASK", But: futexNoTime},
	"futex_time32.uaddr2":      {By: "op", Mask: "FUTEX_CMD_MASK", But: futexOne},
	"futex_time32.val3":        {By: "op", Mask: "FUTEX_CMD_MASK", But: futexNoVal3},
	"semctl.arg":               {By: "cmd", Mask: AllBits, But: semctlNone}, // ipc/sem.c
	"shmctl.buf":               {By: "cmd", Mask: AllBits, But: "IPC_RMID SHM_LOCK SHM_UNLOCK"},
	"msgctl.buf":               {By: "cmd", Mask: AllBits, But: "IPC_RMID"},
}
