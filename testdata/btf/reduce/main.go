// Command reduce makes a small fixture of a kernel's BTF:
//
//	go run ./testdata/btf/reduce VMLINUX OUT [syscalls]
//
// VMLINUX is raw BTF (/sys/kernel/btf/vmlinux) or ELF with a section .BTF. OUT gets the
// functions and types listed below with all types that they need, as the kernel has them.
// But a struct or union that is not listed and only pointed to becomes a declaration.
// With the argument syscalls, OUT gets what some system calls need instead.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/cilium/ebpf/btf"
)

// functions are kept with their prototypes.
const functions = `
	__netif_receive_skb_one_core __tcp_transmit_skb __x64_sys_openat
	arp_rcv dev_hard_start_xmit __dev_queue_xmit
	ip_finish_output ip_local_deliver ip_output ip_rcv ip_send_skb icmp_rcv
	sk_skb_reason_drop sock_sendmsg sock_recvmsg
	tcp_connect tcp_recvmsg tcp_rcv_established tcp_sendmsg tcp_set_state tcp_v4_connect
	udp_recvmsg udp_sendmsg unix_stream_sendmsg inet_csk_accept
	do_exit do_filp_open do_group_exit do_sys_openat2 do_task_dead dput
	fput generic_file_read_iter get_task_mm kernel_clone kernel_wait4
	ksys_lseek ksys_read ksys_write notify_change send_signal_locked
	try_to_wake_up vfs_fsync_range vfs_getattr vfs_llseek vfs_mkdir vfs_open
	vfs_read vfs_readv vfs_rename vfs_rmdir vfs_statfs vfs_symlink vfs_unlink vfs_write
	wake_up_new_task security_file_open filp_close bprm_execve begin_new_exec
	handle_mm_fault do_mmap __alloc_pages_noprof __kmalloc_noprof kfree _printk
	submit_bio blk_mq_start_request schedule hrtimer_start_range_ns
`

// structs are kept with their members where a pointer leads to them.
const structs = `
	sk_buff net_device net sock socket msghdr iov_iter kiocb sockaddr
	sock_common proto file inode super_block file_system_type path dentry vfsmount qstr
	address_space task_struct cred mm_struct pid signal_struct nsproxy uts_namespace
	new_utsname iattr open_how filename open_flags kernel_clone_args pt_regs
	linux_binprm renamedata kstat kstatfs mnt_idmap user_namespace list_head
	file_operations block_device gendisk bio request in_device neighbour rtable
	files_struct fdtable napi_struct page folio vm_area_struct
`

// types are kept although no function uses them, because people cast to them.
const types = `
	iphdr ipv6hdr tcphdr udphdr icmphdr ethhdr arphdr tcp_sock inet_sock udp_sock
	unix_sock sockaddr_in sockaddr_in6 sockaddr_un skb_drop_reason pid_type
	mount rq atomic_t kuid_t refcount_t spinlock_t
	u8 u16 u32 u64 s8 s16 s32 s64 __be16 __be32 __be64 umode_t dev_t pid_t size_t
	ssize_t loff_t sector_t gfp_t ktime_t bool
`

// constants name the anonymous enums to keep.
const constants = `TCP_ESTABLISHED IPPROTO_TCP SS_CONNECTED`

// syscalls are kept in each of their forms.
const syscalls = `
	openat openat2 connect mmap newuname getpid clone pread64 clock_nanosleep execve write
	landlock_restrict_self landlock_add_rule read close mount pselect6 futex sendfile64
	mmap_pgoff ia32_mmap aarch32_mmap2 ia32_clone ia32_pread64 aarch32_pread64 pselect6_time32 pselect6_time64
	futex_time32 clock_nanosleep_time32 sendfile chown chown16 getuid getuid16 socketcall fcntl fcntl64 uname
`

// syscallTypes are the types of their parameters.
const syscallTypes = `
	pt_regs user_pt_regs sockaddr new_utsname __kernel_timespec open_how landlock_rule_type
	size_t umode_t loff_t u32 s32 u64 u16 __u32 __u64 clockid_t pid_t sigset_t
	old_uid_t old_gid_t uid_t gid_t
`

func main() {
	if len(os.Args) < 3 || len(os.Args) > 4 {
		fmt.Fprintln(os.Stderr, "usage: reduce VMLINUX OUT [syscalls]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], len(os.Args) == 4); err != nil {
		fmt.Fprintln(os.Stderr, "reduce:", err)
		os.Exit(1)
	}
}

func run(from, to string, calls bool) error {
	spec, err := btf.LoadSpec(from)
	if err != nil {
		return err
	}
	functions, types, structs := functions, types, structs
	if calls {
		functions, types, structs = "", syscallTypes, syscallTypes
		for _, name := range strings.Fields(syscalls) {
			for _, prefix := range []string{"__x64_sys_", "__ia32_compat_sys_", "__ia32_sys_", "__arm64_sys_", "__arm64_compat_sys_", "__do_sys_"} {
				functions += " " + prefix + name
			}
		}
	}
	roots, err := pick(spec, functions, types)
	if err != nil {
		return err
	}
	p := pruner{keep: set(structs + types), seen: map[btf.Type]bool{}, forward: map[string]*btf.Fwd{}}
	for _, t := range roots {
		p.visit(t)
	}
	p.cut()
	b, err := btf.NewBuilder(roots, &btf.BuilderOptions{Deduplicate: true})
	if err != nil {
		return err
	}
	raw, err := b.Marshal(nil, nil)
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes, %d types visited\n", len(raw), len(p.seen))
	return os.WriteFile(to, raw, 0o644)
}

// pick returns the functions and types to keep, in the order of the lists, and reports
// those that this kernel does not have.
func pick(spec *btf.Spec, functions, types string) ([]btf.Type, error) {
	var roots []btf.Type
	for _, name := range strings.Fields(functions) {
		var f *btf.Func
		if err := spec.TypeByName(name, &f); err != nil {
			fmt.Fprintf(os.Stderr, "reduce: function %s: %v\n", name, err)
			continue
		}
		roots = append(roots, f)
	}
	for _, name := range strings.Fields(types) {
		found, err := spec.AnyTypesByName(name)
		if err != nil {
			fmt.Fprintf(os.Stderr, "reduce: type %s: %v\n", name, err)
			continue
		}
		for _, t := range found {
			switch t.(type) {
			case *btf.Struct, *btf.Union, *btf.Enum, *btf.Typedef:
				roots = append(roots, t)
			}
		}
	}
	wanted := set(constants)
	for t, err := range spec.All() {
		if err != nil {
			return nil, err
		}
		if e, ok := t.(*btf.Enum); ok && hasAny(e, wanted) {
			roots = append(roots, e)
		}
	}
	return roots, nil
}

func hasAny(e *btf.Enum, wanted map[string]bool) bool {
	for _, v := range e.Values {
		if wanted[v.Name] {
			return true
		}
	}
	return false
}

func set(words string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// A pruner finds the types to keep. Then it replaces the other structs and unions that
// pointers lead to by declarations, in place.
type pruner struct {
	keep     map[string]bool // structs and unions
	seen     map[btf.Type]bool
	pointers []*btf.Pointer
	forward  map[string]*btf.Fwd
}

// visit keeps a type and the types it is made of. It keeps a pointer's target only if it
// is a struct or union that is listed.
func (p *pruner) visit(t btf.Type) {
	if p.seen[t] {
		return
	}
	p.seen[t] = true
	switch t := t.(type) {
	case *btf.Pointer:
		p.pointers = append(p.pointers, t)
		if name, composite := tag(*unqualified(&t.Target)); !composite || name == "" || p.keep[name] {
			p.visit(t.Target)
		}
	case *btf.Struct:
		p.members(t.Members)
	case *btf.Union:
		p.members(t.Members)
	case *btf.Array:
		p.visit(t.Index)
		p.visit(t.Type)
	case *btf.FuncProto:
		p.visit(t.Return)
		for _, a := range t.Params {
			p.visit(a.Type)
		}
	case *btf.Func:
		p.visit(t.Type)
	case *btf.Typedef:
		p.visit(t.Type)
	case *btf.Const:
		p.visit(t.Type)
	case *btf.Volatile:
		p.visit(t.Type)
	case *btf.Restrict:
		p.visit(t.Type)
	case *btf.TypeTag:
		p.visit(t.Type)
	}
}

func (p *pruner) members(list []btf.Member) {
	for _, m := range list {
		p.visit(m.Type)
	}
}

// cut replaces structs and unions that were not visited by declarations.
func (p *pruner) cut() {
	for _, ptr := range p.pointers {
		t := unqualified(&ptr.Target)
		name, composite := tag(*t)
		if !composite || p.seen[*t] {
			continue
		}
		kind := btf.FwdStruct
		if _, union := (*t).(*btf.Union); union {
			kind = btf.FwdUnion
		}
		key := kind.String() + " " + name
		if p.forward[key] == nil {
			p.forward[key] = &btf.Fwd{Name: name, Kind: kind}
		}
		*t = p.forward[key]
	}
}

// unqualified looks through qualifiers.
func unqualified(t *btf.Type) *btf.Type {
	for {
		switch v := (*t).(type) {
		case *btf.Const:
			t = &v.Type
		case *btf.Volatile:
			t = &v.Type
		case *btf.Restrict:
			t = &v.Type
		case *btf.TypeTag:
			t = &v.Type
		default:
			return t
		}
	}
}

// tag returns the name of a struct or union, false for other types.
func tag(t btf.Type) (string, bool) {
	switch t := t.(type) {
	case *btf.Struct:
		return t.Name, true
	case *btf.Union:
		return t.Name, true
	}
	return "", false
}
