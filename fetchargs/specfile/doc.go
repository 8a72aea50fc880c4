// Package specfile reads files of specs: one spec a line, with comments and includes.
//
//	# who opens what
//	do_sys_openat2(filename, return)  # to the end of the line
//	tcp_connect(sk->__sk_common.skc_daddr:ip4,
//	    sk->__sk_common.skc_dport:port)
//	    if return < 0
//	include net/drops.tsnoop
//
// A line that begins with a space continues the spec above it. # begins a comment, except
// in a string. The name of an include is relative to the file that has it, unless it is
// absolute or begins with @. A file that is included twice is read once. Errors have the
// place in the file.
//
// The package opens no files: the caller turns names into text.
package specfile
