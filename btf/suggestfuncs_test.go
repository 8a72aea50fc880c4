package btf

import (
	"slices"
	"strings"
	"testing"
)

// TestSuggestFuncs asks for names as people mistype them, and for some that are none:
// of a kernel's 50,000 functions one is always a few letters away.
func TestSuggestFuncs(t *testing.T) {
	candidates := strings.Fields(`io_wake_function anon_transport_dummy_function default_wake_function send_sig do_sys_poll
		do_syslog do_sys_open do_sys_openat2 vfs_read vfs_readv vcs_read vfs_open tcp_sendmsg mptcp_sendmsg tcp_sendpage
		tcp_send_mss tcp_recvmsg ip_rcv ip_rcv_core __ip_rcv ext4_file_open ext4_dir_open ext4_file_mmap vmalloc fb_open
		function now schedule __schedule schedule_timeout hello`)
	for _, tt := range []struct{ name, want string }{
		{"ip_rvc", "ip_rcv"},
		{"vfs_reed", "vfs_read vcs_read vfs_readv"},
		{"tcp_sendmgs", "tcp_sendmsg tcp_send_mss"},
		{"do_sys_opn", "do_sys_open"},
		{"ext4_file_opn", "ext4_file_open"},
		{"tcp_sendmsg_locked", "tcp_sendmsg"},
		{"sendmsg", "tcp_sendmsg mptcp_sendmsg"},
		{"tcp_recv", "tcp_recvmsg"},
		{"Schedule", "schedule __schedule schedule_timeout"},
		{"vfs_", "vfs_open vfs_read vfs_readv"},
		{"no_such_function", ""},
		{"my_function", ""},
		{"foobar", ""},
		{"now_or_never", ""},
		{"hello_wonderful_world", ""},
		{"xyzzy", ""},
	} {
		got := strings.Join(SuggestFuncs(tt.name, slices.Values(candidates)), " ")
		if got != tt.want {
			t.Errorf("NearFuncs(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}
