package value

import "github.com/tsnoop/tsnoop/btf"

// members lists members that hold a set of constants, which their types do not show.
var members = map[string]string{
	"file.f_flags":                        "open", // include/linux/fs.h
	"open_how.flags":                      "open", // include/uapi/linux/openat2.h
	"open_how.mode":                       "mode",
	"open_how.resolve":                    "resolve",
	"open_flags.open_flag":                "open", // fs/internal.h
	"flock.l_type":                        "locktype",
	"file_lock.fl_type":                   "locktype", // include/linux/filelock.h
	"file_lock_core.flc_type":             "locktype", // the same
	"sembuf.sem_flg":                      "semflags", // include/uapi/linux/sem.h
	"super_block.s_flags":                 "sb",       // include/linux/fs.h
	"iattr.ia_valid":                      "iattr",    // the same
	"vm_area_struct.vm_flags":             "vm",       // include/linux/mm_types.h
	"vm_area_struct.__vm_flags":           "vm",       // the same
	"vm_fault.flags":                      "fault",    // include/linux/mm.h
	"kernel_clone_args.flags":             "clone3",   // include/linux/sched/task.h
	"kernel_clone_args.exit_signal":       "signal",   // the same
	"clone_args.flags":                    "clone3",   // include/uapi/linux/sched.h
	"clone_args.exit_signal":              "signal",
	"task_struct.exit_signal":             "signal",     // include/linux/sched.h
	"task_struct.pdeath_signal":           "signal",     // the same
	"task_struct.policy":                  "sched",      // the same
	"sched_attr.sched_policy":             "sched",      // include/uapi/linux/sched/types.h
	"kernel_siginfo.si_signo":             "signal",     // include/linux/signal_types.h
	"siginfo.si_signo":                    "signal",     // include/uapi/asm-generic/siginfo.h
	"ksignal.sig":                         "signal",     // include/linux/signal_types.h
	"pollfd.events":                       "poll",       // include/uapi/asm-generic/poll.h
	"epoll_event.events":                  "epoll",      // include/uapi/linux/eventpoll.h
	"stat.st_mode":                        "mode",       // arch/x86/include/uapi/asm/stat.h
	"statx.stx_mode":                      "mode",       // include/uapi/linux/stat.h
	"statx.stx_mask":                      "statx",      // the same
	"pollfd.revents":                      "poll",       // the same
	"sockaddr.sa_family":                  "af",         // include/linux/socket.h
	"__kernel_sockaddr_storage.ss_family": "af",         // include/uapi/linux/socket.h
	"sockaddr_in.sin_family":              "af",         // include/uapi/linux/in.h
	"sockaddr_in6.sin6_family":            "af",         // include/uapi/linux/in6.h
	"sockaddr_un.sun_family":              "af",         // include/uapi/linux/un.h
	"sockaddr_nl.nl_family":               "af",         // include/uapi/linux/netlink.h
	"sock_common.skc_family":              "af",         // include/net/sock.h
	"proto_ops.family":                    "af",         // include/linux/net.h
	"net_proto_family.family":             "af",         // the same
	"dst_ops.family":                      "af",         // include/net/dst_ops.h
	"neigh_table.family":                  "af",         // include/net/neighbour.h
	"socket.type":                         "sockettype", // include/linux/net.h
	"sock.sk_type":                        "sockettype", // include/net/sock.h
	"inet_protosw.type":                   "sockettype", // include/net/protocol.h
	"inet_protosw.protocol":               "ipproto",    // the same
	"flowi_common.flowic_proto":           "ipproto",    // include/net/flow.h
	"iphdr.protocol":                      "ipproto",    // include/uapi/linux/ip.h
	"ipv6hdr.nexthdr":                     "nexthdr",    // include/uapi/linux/ipv6.h
	"msghdr.msg_flags":                    "msg",        // include/linux/socket.h
	"user_msghdr.msg_flags":               "msg",        // the same
	"sk_buff.protocol":                    "ethertype",  // include/linux/skbuff.h
	"sk_buff.pkt_type":                    "packettype", // the same
	"ethhdr.h_proto":                      "ethertype",  // include/uapi/linux/if_ether.h
	"vlan_ethhdr.h_vlan_proto":            "ethertype",  // include/linux/if_vlan.h
	"packet_type.type":                    "ethertype",  // include/linux/netdevice.h
	"net_device.type":                     "arphrd",     // the same
	"net_device.flags":                    "iff",        // the same
}

// SetOfMember returns the set of constants that a member of a struct or union is known to
// hold, or the FORMAT that it is known to have; "" if there is none.
func SetOfMember(of btf.Type, member string) string {
	name := ""
	switch t := btf.Strip(of).(type) {
	case *btf.Struct:
		name = t.Name + "." + member
	case *btf.Union:
		name = t.Name + "." + member
	}
	switch set, ok := members[name]; {
	case ok:
		return set
	case memberFormats[name] != "":
		return memberFormats[name]
	}
	return formatOfName(member)
}

// SetOfEvent returns the set of constants, or the FORMAT, of a field of one of the kernel's
// events, SYSTEM:EVENT; "" if there is none for this event. It knows more than the print fmt.
func SetOfEvent(event, field string) string {
	name := event + "." + field
	if set, ok := params[name]; ok {
		return set
	}
	return paramFormats[name]
}

// SetOfParam returns the set of constants, or the FORMAT, of a parameter of a function;
// "" if there is none.
func SetOfParam(function, param string) string {
	for _, name := range []string{function + "." + param, param} {
		if set, ok := params[name]; ok {
			return set
		}
		if format, ok := paramFormats[name]; ok {
			return format
		}
	}
	return formatOfName(param)
}
