package route

import "github.com/tsnoop/tsnoop/btf"

// kernelOnly reports whether objects of type t are only ever in the kernel's
// memory, so that a user address of one is always wrong. These are types with a
// lock, a list, a reference count, a table of functions, or a pointer to a type
// that programs never see; structs that programs share with the kernel have none of
// these. All other objects, and those of unknown types, may be in user memory.
func kernelOnly(t btf.Type) bool { return nesting{}.kernelOnly(t, 0) }

// A nesting is how many structs a struct or union was nested in when it was looked at.
// Without it a crafted type whose structs contain each other would take hours.
type nesting map[btf.Type]int

// visit reports whether t, nested in depth structs, is worth a look.
func (seen nesting) visit(t btf.Type, depth int) bool {
	if before, ok := seen[t]; ok && before <= depth {
		return false
	}
	seen[t] = depth
	return true
}

func (seen nesting) kernelOnly(t btf.Type, depth int) bool {
	const deepest = 8 // structs in structs
	if t == nil || depth > deepest {
		return false
	}
	switch t := t.(type) {
	case *btf.Typedef:
		return internals[t.Name] || seen.kernelOnly(t.Type, depth+1)
	case *btf.Const:
		return seen.kernelOnly(t.Type, depth)
	case *btf.Volatile:
		return seen.kernelOnly(t.Type, depth)
	case *btf.Array:
		return seen.kernelOnly(t.Type, depth+1)
	case *btf.Struct:
		return internals[t.Name] || seen.visit(t, depth) && seen.hasInternal(t.Members, depth)
	case *btf.Union:
		return internals[t.Name] || seen.visit(t, depth) && seen.hasInternal(t.Members, depth)
	case *btf.Fwd:
		return internals[t.Name]
	}
	return false
}

func (seen nesting) hasInternal(members []btf.MemberOf, depth int) bool {
	const most = 2 // function pointers in structs that programs have, such as struct sigaction
	functions := 0
	for _, m := range members {
		if seen.kernelOnly(m.Type, depth+1) {
			return true
		}
		target := btf.Pointee(m.Type)
		if target == nil {
			continue
		}
		if _, is := btf.Strip(target).(*btf.FuncProto); is {
			functions++
		}
		if functions > most || internals[typeTag(target)] {
			return true
		}
	}
	return false
}

// typeTag returns the name of a struct or union, without qualifiers and typedefs.
func typeTag(t btf.Type) string {
	switch t := btf.Strip(t).(type) {
	case *btf.Struct:
		return t.Name
	case *btf.Union:
		return t.Name
	case *btf.Fwd:
		return t.Name
	}
	return ""
}

// internals lists types of include/linux that no header of include/uapi has.
var internals = map[string]bool{
	// These types make a struct the kernel's own.
	"list_head": true, "hlist_head": true, "hlist_node": true, "hlist_nulls_node": true, "llist_node": true,
	"rb_root": true, "rb_node": true, "xarray": true, "maple_tree": true, "callback_head": true,
	"atomic_t": true, "atomic64_t": true, "atomic_long_t": true, "refcount_t": true, "refcount_struct": true,
	"spinlock_t": true, "raw_spinlock_t": true, "spinlock": true, "raw_spinlock": true, "qspinlock": true, "rwlock_t": true,
	"mutex": true, "rw_semaphore": true, "semaphore": true, "seqlock_t": true, "seqcount_t": true,
	"wait_queue_head": true, "wait_queue_entry": true, "completion": true, "timer_list": true, "hrtimer": true,
	"work_struct": true, "kobject": true, "kref": true, "lockref": true, "percpu_ref": true, "percpu_counter": true,
	// Pointers to these types also do.
	"address_space": true, "bio": true, "block_device": true, "cred": true, "dentry": true, "device": true, "file": true,
	"file_operations": true, "file_system_type": true, "gendisk": true, "inode": true, "kmem_cache": true,
	"mm_struct": true, "module": true, "net": true, "net_device": true, "nsproxy": true, "page": true, "pid": true,
	"pid_namespace": true, "proto": true, "request": true, "request_queue": true, "seq_file": true, "sk_buff": true,
	"sock": true, "socket": true, "super_block": true, "task_struct": true, "user_namespace": true, "vfsmount": true,
	"vm_area_struct": true,
}
