package find

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// inlined maps functions and macros that people know, but that no kernel or only
// older kernels have, to what their callers call instead. The hint offers those
// that the kernel at hand has. Seen on 5.10, 6.1, 6.12 and 7.3, in include/linux:
// slab.h, spinlock.h, skbuff.h, gfp.h, uaccess.h, wait.h.
var inlined = map[string]string{
	"kmalloc":                "__kmalloc_noprof __kmalloc_cache_noprof kmalloc_trace __kmalloc kmem_cache_alloc_trace",
	"kzalloc":                "__kmalloc_noprof __kmalloc_cache_noprof kmalloc_trace __kmalloc kmem_cache_alloc_trace",
	"kcalloc":                "__kmalloc_noprof __kmalloc",
	"kmalloc_array":          "__kmalloc_noprof __kmalloc",
	"kmalloc_node":           "__kmalloc_node_noprof __kmalloc_node",
	"kvmalloc":               "__kvmalloc_node_noprof kvmalloc_node",
	"kvzalloc":               "__kvmalloc_node_noprof kvmalloc_node",
	"vmalloc":                "vmalloc_noprof",
	"kmem_cache_alloc":       "kmem_cache_alloc_noprof",
	"kmem_cache_zalloc":      "kmem_cache_alloc_noprof kmem_cache_alloc",
	"alloc_pages":            "__alloc_frozen_pages_noprof __alloc_pages_noprof __alloc_pages __alloc_pages_nodemask",
	"alloc_page":             "__alloc_frozen_pages_noprof __alloc_pages_noprof __alloc_pages __alloc_pages_nodemask",
	"__alloc_pages":          "__alloc_frozen_pages_noprof __alloc_pages_noprof __alloc_pages_nodemask",
	"get_zeroed_page":        "get_zeroed_page_noprof",
	"alloc_percpu":           "pcpu_alloc_noprof __alloc_percpu",
	"kstrdup":                "kstrdup_noprof",
	"put_page":               "__folio_put __put_page",
	"lock_page":              "__folio_lock __lock_page",
	"spin_lock":              "_raw_spin_lock",
	"spin_lock_bh":           "_raw_spin_lock_bh",
	"spin_lock_irq":          "_raw_spin_lock_irq",
	"spin_lock_irqsave":      "_raw_spin_lock_irqsave",
	"spin_trylock":           "_raw_spin_trylock",
	"spin_unlock":            "_raw_spin_unlock",
	"spin_unlock_bh":         "_raw_spin_unlock_bh",
	"spin_unlock_irq":        "_raw_spin_unlock_irq",
	"spin_unlock_irqrestore": "_raw_spin_unlock_irqrestore",
	"raw_spin_lock":          "_raw_spin_lock",
	"read_lock":              "_raw_read_lock",
	"write_lock":             "_raw_write_lock",
	"read_unlock":            "_raw_read_unlock",
	"write_unlock":           "_raw_write_unlock",
	"inode_lock":             "down_write",
	"inode_unlock":           "up_write",
	"mmap_read_lock":         "down_read",
	"mmap_write_lock":        "down_write",
	"kfree_skb":              "sk_skb_reason_drop kfree_skb_reason",
	"kfree_skb_reason":       "sk_skb_reason_drop kfree_skb",
	"kfree_skb_list":         "kfree_skb_list_reason",
	"dev_kfree_skb":          "consume_skb",
	"dev_kfree_skb_any":      "dev_kfree_skb_any_reason __dev_kfree_skb_any",
	"alloc_skb":              "__alloc_skb",
	"dev_alloc_skb":          "__netdev_alloc_skb",
	"netdev_alloc_skb":       "__netdev_alloc_skb",
	"dev_queue_xmit":         "__dev_queue_xmit",
	"sock_put":               "sk_free",
	"copy_from_user":         "_copy_from_user _inline_copy_from_user",
	"copy_to_user":           "_copy_to_user _inline_copy_to_user",
	"copy_from_iter":         "_copy_from_iter",
	"copy_to_iter":           "_copy_to_iter",
	"wake_up":                "__wake_up",
	"wake_up_interruptible":  "__wake_up",
	"queue_work":             "queue_work_on",
	"schedule_work":          "queue_work_on",
	"schedule_delayed_work":  "queue_delayed_work_on",
	"queue_delayed_work":     "queue_delayed_work_on",
	"del_timer":              "timer_delete",
	"del_timer_sync":         "timer_delete_sync __timer_delete_sync",
	"kthread_run":            "kthread_create_on_node",
	"kthread_create":         "kthread_create_on_node",
	"printk":                 "_printk vprintk",
	"pr_info":                "_printk printk",
	"pr_err":                 "_printk printk",
	"dev_info":               "_dev_info",
	"dev_err":                "_dev_err",
	"rcu_read_lock":          "__rcu_read_lock",
	"kfree_rcu":              "kvfree_call_rcu",
	"generic_make_request":   "submit_bio_noacct",
	"request_irq":            "request_threaded_irq",
	"dma_map_single":         "dma_map_page_attrs",
	"dma_alloc_coherent":     "dma_alloc_attrs",
	"usleep_range":           "usleep_range_state",
	"put_task_struct":        "__put_task_struct",
	"do_fork":                "kernel_clone _do_fork",
	"_do_fork":               "kernel_clone",
	"do_page_fault":          "do_user_addr_fault handle_mm_fault",
	"unlock_page":            "folio_unlock",
}

// insteadOf returns the functions of this kernel that do the work of name, the
// closest first.
func insteadOf(t *target.Target, name string) []string {
	return t.Existing(strings.Fields(inlined[name])...)
}

// systemCall returns the functions that a system call goes through, if name is one:
// "openat", "sys_openat". The functions of with have the caller's arguments as
// parameters; entry has them in a struct pt_regs.
func systemCall(t *target.Target, name string) (with []string, entry string) {
	call := strings.TrimPrefix(strings.TrimPrefix(name, "__"), "se_")
	for _, prefix := range []string{"x64_", "arm64_", "do_", "ksys_", "SyS_"} {
		call = strings.TrimPrefix(call, prefix)
	}
	if call = strings.TrimPrefix(call, "sys_"); call == "" {
		return nil, ""
	}
	entry = t.Arch.Syscalls[0].Prefixes[0] + call
	if !t.Kernel.HasFunc(entry) {
		return nil, ""
	}
	candidates := append(strings.Fields(callees[call]), "__do_sys_"+call, "ksys_"+call, "do_sys_"+call, "__sys_"+call)
	return t.Existing(candidates...), entry
}

// CallOf returns the name by which a system call is traced, if fn is the function where one
// begins: sys_openat for __x64_sys_openat. Otherwise it returns "".
func CallOf(t *target.Target, fn string) string {
	call, ok := strings.CutPrefix(fn, t.Arch.Syscalls[0].Prefixes[0])
	if ok && slices.Contains(t.CallNames(), call) {
		return "sys_" + call
	}
	return ""
}

// callees maps system calls to the functions that have their parameters, where the
// compiler inlines the usual one into the entry and these have other names.
var callees = map[string]string{
	"open": "do_sys_openat2 do_sys_open", "openat": "do_sys_openat2 do_sys_open", "openat2": "do_sys_openat2", "creat": "do_sys_openat2 do_sys_open",
	"send": "__sys_sendto", "recv": "__sys_recvfrom",
	"execve": "do_execveat_common bprm_execve", "execveat": "do_execveat_common bprm_execve",
	"clone": "kernel_clone", "clone3": "kernel_clone", "fork": "kernel_clone", "vfork": "kernel_clone",
	"exit": "do_exit", "exit_group": "do_group_exit",
	"unlink": "do_unlinkat filename_unlinkat", "unlinkat": "do_unlinkat filename_unlinkat", "rmdir": "do_rmdir filename_rmdir",
	"mkdir": "do_mkdirat filename_mkdirat", "mkdirat": "do_mkdirat filename_mkdirat",
	"rename": "do_renameat2 filename_renameat2", "renameat": "do_renameat2 filename_renameat2", "renameat2": "do_renameat2 filename_renameat2",
	"stat": "vfs_statx", "lstat": "vfs_statx", "newstat": "vfs_statx", "newfstatat": "vfs_fstatat", "statx": "do_statx",
	"access": "do_faccessat", "faccessat": "do_faccessat", "chmod": "do_fchmodat", "fchmodat": "do_fchmodat",
	"chown": "do_fchownat", "fchownat": "do_fchownat", "link": "do_linkat", "linkat": "do_linkat", "symlink": "do_symlinkat",
	"mmap": "ksys_mmap_pgoff", "munmap": "__vm_munmap", "mount": "path_mount do_mount", "ioctl": "do_vfs_ioctl vfs_ioctl",
	"futex": "do_futex", "poll": "do_sys_poll", "select": "core_sys_select", "kill": "kill_pid_info",
	"pipe": "do_pipe2", "pipe2": "do_pipe2", "nanosleep": "hrtimer_nanosleep", "ptrace": "ptrace_request",
	"accept": "__sys_accept4", "read": "ksys_read", "write": "ksys_write",
}

// notFunction returns the error for a name that is known but is not a function of this
// kernel, nil if the name is not known.
func (r *Function) notFunction(missing *btf.NotFoundError) *spec.Error {
	name := r.Spec.Func
	if with, entry := systemCall(r.Target, name.Text); entry != "" {
		hint := fmt.Sprintf("trace %s, where it begins, with its arguments in a struct pt_regs", entry)
		if len(with) > 0 {
			hint = fmt.Sprintf("trace a function whose parameters are its arguments: %s; or %s", strings.Join(with, ", "), hint)
		}
		if call := CallOf(r.Target, entry); call != "" {
			hint = "trace it as a system call: " + call
		}
		return spec.ErrorWith(name.Span, missing, hint, "%s is a system call, not a function of this kernel", name.Text)
	}
	known, ok := inlined[name.Text]
	if !ok {
		return nil
	}
	if found := insteadOf(r.Target, name.Text); len(found) > 0 {
		return spec.ErrorWith(name.Span, missing, "trace what its callers call instead: "+strings.Join(found, ", "), "%s is inlined in this kernel, or a macro: there is no place to probe", name.Text)
	}
	return spec.ErrorWith(name.Span, missing, "trace a function that calls it; other kernels have "+strings.ReplaceAll(known, " ", ", ")+" for it", "%s is inlined in this kernel, or a macro: there is no place to probe", name.Text)
}
