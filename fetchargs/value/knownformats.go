package value

import "strings"

// memberFormats lists members with a FORMAT that their types do not show: times and
// durations in jiffies are just unsigned long, and per-CPU pointers are marked only in
// kernels built by clang or gcc 16.
var memberFormats = map[string]string{
	"xarray.xa_flags":                   "x",       // include/linux/xarray.h: few of them are those of gfp_t
	"mm_struct.start_code":              "addr",    // include/linux/mm_types.h
	"mm_struct.end_code":                "addr",    // the same
	"mm_struct.start_data":              "addr",    // the same
	"mm_struct.end_data":                "addr",    // the same
	"mm_struct.start_brk":               "addr",    // the same
	"mm_struct.brk":                     "addr",    // the same
	"mm_struct.start_stack":             "addr",    // the same
	"mm_struct.arg_start":               "addr",    // the same
	"mm_struct.arg_end":                 "addr",    // the same
	"mm_struct.env_start":               "addr",    // the same
	"mm_struct.env_end":                 "addr",    // the same
	"mm_struct.mmap_base":               "addr",    // the same
	"mm_struct.mmap_legacy_base":        "addr",    // the same
	"mm_struct.task_size":               "addr",    // the same
	"fs_struct.umask":                   "o",       // include/linux/fs_struct.h
	"stat.st_dev":                       "userdev", // arch/x86/include/uapi/asm/stat.h
	"stat.st_rdev":                      "userdev", // the same
	"timer_list.expires":                "jiffies", // include/linux/timer_types.h
	"inode.dirtied_when":                "jiffies", // include/linux/fs.h
	"inode.dirtied_time_when":           "jiffies", // the same
	"request.deadline":                  "jiffies", // include/linux/blk-mq.h
	"request.timeout":                   "jiffies", // the same
	"request_queue.rq_timeout":          "jiffies", // include/linux/blkdev.h
	"bdi_writeback.bw_time_stamp":       "jiffies", // include/linux/backing-dev-defs.h
	"bdi_writeback.last_old_flush":      "jiffies", // the same
	"net_device.watchdog_timeo":         "jiffies", // include/linux/netdevice.h
	"netdev_queue.trans_start":          "jiffies", // the same
	"dst_entry.lastuse":                 "jiffies", // include/net/dst.h
	"dst_entry.expires":                 "jiffies", // the same
	"neighbour.confirmed":               "jiffies", // include/net/neighbour.h
	"neighbour.updated":                 "jiffies", // the same
	"neighbour.used":                    "jiffies", // the same
	"inet_connection_sock.icsk_timeout": "jiffies", // include/net/inet_connection_sock.h
	"inet_connection_sock.icsk_rto":     "jiffies", // the same
	"sock.sk_rcvtimeo":                  "jiffies", // include/net/sock.h
	"sock.sk_sndtimeo":                  "jiffies", // the same
	"sock.sk_lingertime":                "jiffies", // the same
	"tcp_sock.keepalive_time":           "jiffies", // include/linux/tcp.h
	"tcp_sock.keepalive_intvl":          "jiffies", // the same
	"task_struct.last_switch_time":      "jiffies", // include/linux/sched.h: of the search for hung tasks
	"mm_struct.numa_next_scan":          "jiffies", // include/linux/mm_types.h
	"sched_domain.last_balance":         "jiffies", // include/linux/sched/topology.h
	"rq.next_balance":                   "jiffies", // kernel/sched/sched.h
	"rq.calc_load_update":               "jiffies", // the same
	"ratelimit_state.interval":          "jiffies", // include/linux/ratelimit_types.h
	"ratelimit_state.begin":             "jiffies", // the same
	"transaction_s.t_expires":           "jiffies", // include/linux/jbd2.h
	"transaction_s.t_start":             "jiffies", // the same
	"journal_s.j_commit_interval":       "jiffies", // the same
	"rcu_state.gp_start":                "jiffies", // kernel/rcu/tree.h
	"rcu_state.gp_activity":             "jiffies", // the same
	"scsi_cmnd.jiffies_at_alloc":        "jiffies", // include/scsi/scsi_cmnd.h
	"net_device.pcpu_refcnt":            "percpu",  // include/linux/netdevice.h
	"net_device.lstats":                 "percpu",  // the same
	"net_device.tstats":                 "percpu",  // the same
	"net_device.dstats":                 "percpu",  // the same
	"net_device.core_stats":             "percpu",  // the same
	"net_device.xdp_bulkq":              "percpu",  // the same
	"percpu_counter.counters":           "percpu",  // include/linux/percpu_counter.h
	"percpu_ref.percpu_count_ptr":       "percpu",  // include/linux/percpu-refcount.h: its low bits are flags
	"percpu_rw_semaphore.read_count":    "percpu",  // include/linux/percpu-rwsem.h
	"mount.mnt_pcp":                     "percpu",  // fs/mount.h
	"zone.pageset":                      "percpu",  // include/linux/mmzone.h
	"zone.per_cpu_pageset":              "percpu",  // the same
	"zone.per_cpu_zonestats":            "percpu",  // the same
	"pglist_data.per_cpu_nodestats":     "percpu",  // the same
	"request_queue.queue_ctx":           "percpu",  // include/linux/blkdev.h
	"block_device.bd_stats":             "percpu",  // include/linux/blk_types.h
	"hd_struct.dkstats":                 "percpu",  // include/linux/genhd.h
	"blkcg_gq.iostat_cpu":               "percpu",  // block/blk-cgroup.h
	"cgroup.rstat_cpu":                  "percpu",  // include/linux/cgroup-defs.h
	"cgroup.rstat_base_cpu":             "percpu",  // the same
	"cgroup_subsys_state.rstat_cpu":     "percpu",  // the same
	"mem_cgroup.vmstats_percpu":         "percpu",  // include/linux/memcontrol.h
	"psi_group.pcpu":                    "percpu",  // include/linux/psi_types.h
	"kmem_cache.cpu_slab":               "percpu",  // mm/slab.h
	"kmem_cache.cpu_sheaves":            "percpu",  // the same
	"workqueue_struct.cpu_pwqs":         "percpu",  // kernel/workqueue.c
	"workqueue_struct.cpu_pwq":          "percpu",  // the same
	"srcu_struct.sda":                   "percpu",  // include/linux/srcutree.h
	"trace_event_call.perf_events":      "percpu",  // include/linux/trace_events.h
	"array_buffer.data":                 "percpu",  // kernel/trace/trace.h
	"pmu.pmu_disable_count":             "percpu",  // include/linux/perf_event.h
	"pmu.pmu_cpu_context":               "percpu",  // the same
	"pmu.cpu_pmu_context":               "percpu",  // the same
	"Qdisc.cpu_bstats":                  "percpu",  // include/net/sch_generic.h
	"Qdisc.cpu_qstats":                  "percpu",  // the same
	"dst_cache.cache":                   "percpu",  // include/net/dst_cache.h
	"fib_nh_common.nhc_pcpu_rth_output": "percpu",  // include/net/ip_fib.h
	"fib6_nh.rt6i_pcpu":                 "percpu",  // include/net/ip6_fib.h
	"neigh_table.stats":                 "percpu",  // include/net/neighbour.h
	"net_bridge.mcast_stats":            "percpu",  // net/bridge/br_private.h
	"netns_mib.ip_statistics":           "percpu",  // include/net/netns/mib.h
	"netns_mib.ipv6_statistics":         "percpu",  // the same
	"netns_mib.tcp_statistics":          "percpu",  // the same
	"netns_mib.net_statistics":          "percpu",  // the same
	"netns_mib.udp_statistics":          "percpu",  // the same
	"netns_mib.udplite_statistics":      "percpu",  // the same
	"netns_mib.icmp_statistics":         "percpu",  // the same; not icmpmsg_statistics
	"netns_mib.icmpv6_statistics":       "percpu",  // the same
	"netns_mib.xfrm_statistics":         "percpu",  // the same
	"netns_mib.tls_statistics":          "percpu",  // the same
	"netns_mib.mptcp_statistics":        "percpu",  // the same
	"netns_ct.stat":                     "percpu",  // include/net/netns/conntrack.h
	"swap_info_struct.percpu_cluster":   "percpu",  // include/linux/swap.h
	"sbitmap.alloc_hint":                "percpu",  // include/linux/sbitmap.h
	"sbitmap_queue.alloc_hint":          "percpu",  // the same
	"blk_stat_callback.cpu_stat":        "percpu",  // block/blk-stat.h
	"bpf_prog.active":                   "percpu",  // include/linux/bpf.h
	"bpf_prog.stats":                    "percpu",  // the same: of its aux
	"bpf_prog_aux.stats":                "percpu",  // the same
}

// paramFormats lists parameters of functions with such a FORMAT.
var paramFormats = map[string]string{
	"do_mknodat.dev":                                    "userdev", // fs/namei.c
	"filename_mknodat.dev":                              "userdev",
	"init_mknod.dev":                                    "userdev", // fs/init.c
	"security_path_mknod.dev":                           "userdev", // security/security.c
	"mod_timer.expires":                                 "jiffies", // kernel/time/timer.c
	"mod_timer_pending.expires":                         "jiffies",
	"timer_reduce.expires":                              "jiffies",
	"__mod_timer.expires":                               "jiffies",
	"schedule_timeout.timeout":                          "jiffies",
	"schedule_timeout_interruptible.timeout":            "jiffies",
	"schedule_timeout_killable.timeout":                 "jiffies",
	"schedule_timeout_uninterruptible.timeout":          "jiffies",
	"schedule_timeout_idle.timeout":                     "jiffies",
	"io_schedule_timeout.timeout":                       "jiffies", // kernel/sched/core.c
	"queue_delayed_work_on.delay":                       "jiffies", // kernel/workqueue.c
	"mod_delayed_work_on.delay":                         "jiffies",
	"__queue_delayed_work.delay":                        "jiffies",
	"wait_for_completion_timeout.timeout":               "jiffies", // kernel/sched/completion.c
	"wait_for_completion_io_timeout.timeout":            "jiffies",
	"wait_for_completion_interruptible_timeout.timeout": "jiffies",
	"wait_for_completion_killable_timeout.timeout":      "jiffies",
	"sk_reset_timer.expires":                            "jiffies", // net/core/sock.c
	"jiffies_to_msecs.j":                                "jiffies", // kernel/time/time.c
	"jiffies_to_usecs.j":                                "jiffies",
	"__round_jiffies.j":                                 "jiffies", // kernel/time/timer.c
	"round_jiffies.j":                                   "jiffies",
	"round_jiffies_relative.j":                          "jiffies",
	"skb:kfree_skb.location":                            "sym",    // include/trace/events/skb.h: %p until 6.5
	"free_percpu.__pdata":                               "percpu", // mm/percpu.c
	"free_percpu.ptr":                                   "percpu",
}

// formatOfName returns the FORMAT of a member or parameter whose name shows what its type
// does not; "" if there is none. An address is one of those only if it has 64 bits.
func formatOfName(name string) string {
	switch {
	case strings.Contains(name, "jiffies") && !strings.HasPrefix(name, "nr_"):
		return "jiffies"
	case strings.HasSuffix(name, "addr"), strings.HasSuffix(name, "address"):
		return "addr"
	}
	return ofNames[name]
}

// ofNames lists names that mean the same wherever they are: an unsigned fd is also -1 for
// none.
var ofNames = map[string]string{
	"fd": "id", "ip": "addr", "pc": "addr", "sp": "addr", "vm_start": "addr", "vm_end": "addr",
}

// IsPerCPU reports whether format is that of a per-CPU pointer, which does not point to
// the copy of any CPU as it is.
func IsPerCPU(format string) bool { return format == "percpu" }

// OfPointers reports whether a FORMAT that a name implies is also for pointers: another one
// would hide where they point to.
func OfPointers(format string) bool { return IsPerCPU(format) || format == "sym" }
