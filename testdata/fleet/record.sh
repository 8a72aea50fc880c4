# In a virtual machine: records calls that are nested, fail and have stacks, and events.
mkdir -p /out
hostname web1
tsnoop record --compress --kstack -o /out/nest.dat 'ksys_read(fd, count, return)' \
	'vfs_read(file->f_path.dentry->d_name.name, count, return)' 'do_sys_openat2(filename, return)' \
	'path_openat(return)' 'vfs_open(path->dentry->d_name.name, return)' 'security_file_open(*file, return)' \
	'sched:sched_process_exec(filename)' 'ksys_write(count)' -- sh -c '
		for i in 1 2 3 4 5 6 7 8; do cat /proc/version /nonexistent; ls /proc >/dev/null; done
		dd if=/proc/kallsyms of=/dev/null bs=64 count=3000'
