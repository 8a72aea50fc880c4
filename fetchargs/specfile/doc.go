// Package specfile reads files of specs: one a line, with comments and includes.
//
//	# who opens what
//	do_sys_openat2(filename, return)  # to the end of the line
//	tcp_connect(sk->__sk_common.skc_daddr:ip4,
//	    sk->__sk_common.skc_dport:port)
//	    if return < 0
//	include net/drops.tsnoop
//
// A line that begins with a blank goes on with the spec above it. # begins a comment
// but in a string. An include is sought beside the file that has it, but for names that
// begin with @; a file that is included twice is read once. What is wrong comes with its
// place.
//
// It opens nothing: how names become text is the caller's.
package specfile
