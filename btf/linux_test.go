package btf

import (
	"strings"
	"testing"
)

const linuxFile = "../testdata/btf/linux-6.12-amd64.btf" // made by ../testdata/btf/reduce

// TestLinuxChains goes the ways that people ask for, in a real kernel.
func TestLinuxChains(t *testing.T) {
	k := Open(linuxFile)
	tests := []struct {
		typ, path, last string
		offsets         []uint32
	}{
		{"struct sk_buff *", "dev name", "char [16]", nil},
		{"struct sk_buff *", "len", "unsigned int", []uint32{112}},
		{"struct file *", "f_inode i_sb s_type name", "const char *", nil},
		{"struct file *", "f_path dentry d_name name", "const unsigned char *", nil},
		{"struct file *", "f_path dentry d_parent d_name name", "const unsigned char *", nil},
		{"struct sock *", "__sk_common skc_daddr", "__be32", []uint32{0, 0}},
		{"struct sock *", "__sk_common skc_dport", "__be16", []uint32{0, 12}},
		{"struct sock *", "__sk_common skc_state", "volatile unsigned char", []uint32{0, 18}},
		{"struct task_struct *", "real_parent comm", "char [16]", nil},
		{"struct task_struct *", "cred uid val", "uid_t", nil},
		{"struct tcp_sock *", "inet_conn icsk_inet sk __sk_common skc_prot name", "char [32]", nil},
		{"struct iphdr *", "saddr", "__be32", []uint32{12}},
	}
	for _, tt := range tests {
		typ := named(t, k, tt.typ)
		for i, name := range strings.Fields(tt.path) {
			if ptr, ok := Strip(typ).(*Pointer); ok {
				typ = ptr.Target
			}
			p, err := Member(typ, name)
			if err != nil {
				t.Errorf("%s: %s: %v", tt.typ, tt.path, err)
				break
			}
			if tt.offsets != nil && p.Offset != tt.offsets[i] {
				t.Errorf("%s: %s: %s is at %d, want %d", tt.typ, tt.path, name, p.Offset, tt.offsets[i])
			}
			typ = p.Type
		}
		if got := Name(typ); got != tt.last {
			t.Errorf("%s: %s: got %s, want %s", tt.typ, tt.path, got, tt.last)
		}
	}
}

// TestLinuxBitFields checks them in a real kernel, after anonymous members.
func TestLinuxBitFields(t *testing.T) {
	k := Open(linuxFile)
	skb := named(t, k, "struct sk_buff")
	for name, width := range map[string]uint32{"pkt_type": 3, "ip_summed": 2, "cloned": 1, "len": 0, "mac_header": 0} {
		p, err := Member(skb, name)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.BitSize != width || p.Offset != p.BitOffset/8 {
			t.Errorf("%s: got %+v, want %d bits", name, p, width)
		}
	}
	ip := named(t, k, "struct iphdr")
	for name, bit := range map[string]uint32{"ihl": 0, "version": 4} {
		if p, err := Member(ip, name); err != nil || p.BitOffset != bit || p.BitSize != 4 {
			t.Errorf("iphdr.%s: got %+v, %v, want 4 bits from bit %d", name, p, err, bit)
		}
	}
}

func TestLinuxFuncs(t *testing.T) {
	k := Open(linuxFile)
	for name, want := range map[string]string{
		"ip_rcv":         "int ip_rcv(struct sk_buff *skb, struct net_device *dev, struct packet_type *pt, struct net_device *orig_dev)",
		"vfs_read":       "ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos)",
		"do_sys_openat2": "long int do_sys_openat2(int dfd, const char *filename, struct open_how *how)",
		"_printk":        "int _printk(const char *fmt, ...)",
	} {
		f, err := k.Func("", name)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := f.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestLinuxMembersAreFound asks for every member that is listed.
func TestLinuxMembersAreFound(t *testing.T) {
	k := Open(linuxFile)
	for _, text := range []string{"struct sk_buff", "struct task_struct", "struct net_device", "struct inode", "struct tcp_sock"} {
		typ := named(t, k, text)
		for _, name := range Members(typ) {
			if _, err := Member(typ, name); err != nil {
				t.Error(err)
			}
		}
	}
	// pahole's number, from the same kernel.
	if n, _ := Size(named(t, k, "struct tcp_sock")); n != 2368 {
		t.Errorf("struct tcp_sock: got %d bytes, want 2368", n)
	}
	// The kernel builds with -funsigned-char since 6.2.
	if Signed(named(t, k, "char")) {
		t.Error("char is signed in Linux 6.12")
	}
}
