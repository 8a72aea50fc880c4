package target

import "github.com/tsnoop/tsnoop/btf"

// Variables has the types of variables that most BTF lacks, as the kernel's headers below
// include/ declare them, in all versions since 5.4.
var Variables = map[string]string{
	"cpu_number":         "int",                   // asm/smp.h; each CPU has its own, as of the next three
	"init_cred":          "struct cred",           // linux/init_task.h
	"init_mm":            "struct mm_struct",      // linux/mm_types.h
	"init_net":           "struct net",            // net/net_namespace.h
	"init_nsproxy":       "struct nsproxy",        // linux/init_task.h
	"init_pid_ns":        "struct pid_namespace",  // linux/pid.h
	"init_task":          "struct task_struct",    // linux/sched/task.h
	"init_user_ns":       "struct user_namespace", // linux/user_namespace.h
	"init_uts_ns":        "struct uts_namespace",  // linux/utsname.h
	"iomem_resource":     "struct resource",       // linux/ioport.h
	"jiffies":            "unsigned long",         // linux/jiffies.h
	"jiffies_64":         "u64",                   // linux/jiffies.h
	"kernel_cpustat":     "struct kernel_cpustat", // linux/kernel_stat.h
	"max_pfn":            "unsigned long",         // linux/memblock.h
	"nr_cpu_ids":         "unsigned int",          // linux/cpumask.h
	"nr_threads":         "int",                   // linux/sched/stat.h
	"oops_in_progress":   "int",                   // linux/printk.h
	"panic_timeout":      "int",                   // linux/panic.h
	"runqueues":          "struct rq",             // kernel/sched/sched.h
	"saved_command_line": "char *",                // linux/init.h
	"softnet_data":       "struct softnet_data",   // linux/netdevice.h
	"system_state":       "enum system_states",    // linux/kernel.h
	"total_forks":        "unsigned long",         // linux/sched/stat.h
}

// Variable returns the type of a variable, nil if it is not known, and whether it is per
// CPU.
func (t *Target) Variable(name string) (typ btf.Type, perCPU bool) {
	typ, perCPU, _ = t.Kernel.Variable(name)
	if typ == nil && Variables[name] != "" {
		if known, err := t.Kernel.Type(Variables[name]); err == nil {
			typ = known
		}
	}
	return typ, perCPU
}
