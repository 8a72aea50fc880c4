package complete_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/complete"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

func linuxTarget(t *testing.T) *target.Target {
	features, err := dynevent.FeaturesOf("6.12")
	if err != nil {
		t.Fatal(err)
	}
	return &target.Target{Kernel: btf.Open(filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")), Arch: abi.Named("amd64"), Features: features}
}

// TestComplete completes what people type. Each want is the words that may come.
func TestComplete(t *testing.T) {
	target := linuxTarget(t)
	for _, c := range []struct{ text, want string }{
		{"ip_rc", "ip_rcv"},
		{"vmlinux:ip_rc", "ip_rcv"},
		{"ip_rcv(", "skb dev pt orig_dev return container_of( sizeof( since( who("},
		{"ip_rcv(s", "skb sizeof( since("},
		{"ip_rcv(skb->de", "dev dev_scratch destructor decrypted"},
		{"ip_rcv(skb->dev->nam", "name name_node name_assign_type"},
		{"ip_rcv(skb.dev.nam", "name name_node name_assign_type"},
		{"ip_rcv(skb, dev->ifind", "ifindex"},
		{"ip_rcv(x = skb->le", "len"},
		{"ip_rcv((skb->dev_", "dev_scratch"},
		{"ip_rcv(*sk", "skb"},
		{"ip_rcv(&skb->dev->name_", "name_node name_assign_type"},
		{"ip_rcv(skb->dev->dev_addr_shadow[0", ""},
		{"ip_rcv(skb->len) if skb->le", "len"},
		{"ip_rcv(skb->len) if skb->len > 100 && de", "dev"},
		{"ip_rcv(skb->len) if !(skb->len > 100 || skb->dat", "data_len data"},
		{"ip_rcv(skb->len:u3", "u32"},
		{"ip_rcv(skb->dev->name:stri", "string"},
		{"ip_rcv((struct sock *)sk", "skb"},
		{"ip_rcv((struct net_device_s", "net_device_stats"},
		{"ip_rcv(((struct net_device *)skb)->ifind", "ifindex"},
		{"ip_rcv(container_of(skb, struct net_device_s", "net_device_stats"},
		{"ip_rcv(container_of(dev, struct net_device, ifind", "ifindex"},
		{"ip_rcv(return == -ENOE", "ENOENT ENOEXEC"},
		{"ip_rcv($co", "$comm"},
		{"ip_rcv(%d", "%di %dx"},
		{"ip_rcv(@init_tas", "@init_task"},
		{"ip_rcv(n=skb->len, ", "skb dev pt orig_dev return n container_of( sizeof( since( who("},
		{"ip_rcv(since(skb->d, tcp_v4_conn", "tcp_v4_connect"},
		{"ip_rcv(skb, who(skb, vmlinux:tcp_v4_conn", "tcp_v4_connect"},
		{"ip_rcv(since(skb, orig_d", "orig_dev"},
		{`vfs_read(file) if $comm == "x`, ""},
		{`vfs_read(file) if $comm == "x" && coun`, "count"},
		{"nosuchfunction(", ""},
		{"nosuchfunction() | ip_rc", "ip_rcv"},
		{"ip_rcv(dev) if dev->ifindex & 4 | ip_rcv(skb->dev->nam", "name name_node name_assign_type"},
		{"arp_rcv|ip_rcv(s", "skb sizeof( since("},
		{"arp_rcv(x64 skb | int de", ""},
		{"ip_*(s", ""},
		{"ip_rcv(skb->nosuch->x", ""},
		{"ip_rcv(skb->len->x", ""},
		{"(", ""}, {")", ""}, {"ip_rcv)", ""}, {"ip_rcv(skb))", ""}, {"ip_rcv(skb]", ""},
	} {
		var got []string
		for _, f := range complete.Complete(c.text, target) {
			word := f.Text[strings.LastIndexAny(f.Text, " (),>.&*!:-")+1:]
			if strings.HasSuffix(f.Text, "(") {
				word = f.Text[strings.LastIndexAny(f.Text[:len(f.Text)-1], " (,>")+1:]
			}
			got = append(got, word)
		}
		if c.want != strings.Join(got, " ") {
			t.Errorf("%s: %q, want %q", c.text, strings.Join(got, " "), c.want)
		}
	}
}

// TestCompleteSteps writes specs a letter at a time: at each, what is written in the
// end must be among what is offered, and all that is offered must begin as it is
// written.
func TestCompleteSteps(t *testing.T) {
	target := linuxTarget(t)
	sigil, word := regexp.MustCompile(`^[$%@]`), regexp.MustCompile(`[$%@]?[A-Za-z_][A-Za-z0-9_]*`)
	for _, text := range []string{
		`ip_rcv(skb->dev->name, skb->len) if skb->len > 100 && dev->ifindex == 1`,
		`ip_rcv(*skb, skb->dev->stats.rx_packets:u64, return == -ENOENT)`,
		`vfs_read(file->f_inode->i_sb->s_type->name, count, (struct inode *)file->f_inode)`,
		`ip_rcv(container_of(dev, struct net_device, ifindex)->name, $comm, @init_task.pid, %di)`,
		`vmlinux:vfs_read(n = file->f_path.dentry, return) if !(count > 5 || n == 0)`,
		`vfs_read(file->f_flags & O_CREAT, file->f_mode)`,
		`ip_rcv(skb->pkt_type == 1, skb->protocol == ETH_P_IP)`,
	} {
		for _, at := range word.FindAllStringIndex(text, -1) {
			for end := at[0] + len(sigil.FindString(text[at[0]:])); end <= at[1]; end++ {
				found := complete.Complete(text[:end], target)
				same := func(c complete.Candidate) bool { return strings.TrimSuffix(c.Text, "(") == text[:at[1]] }
				switch text[at[0]:at[1]] {
				case "if", "struct", "vmlinux", "n":
				default:
					if !slices.ContainsFunc(found, same) {
						t.Errorf("%s does not lead to %s: %v", text[:end], text[at[0]:at[1]], found[:min(5, len(found))])
					}
				}
				for _, c := range found {
					if !strings.HasPrefix(c.Text, text[:end]) {
						t.Errorf("%s leads to %s", text[:end], c.Text)
					}
				}
			}
		}
	}
}

// TestCompleteMembers takes each member that is offered, and finds nothing wrong with it.
func TestCompleteMembers(t *testing.T) {
	target := linuxTarget(t)
	for _, head := range []string{"ip_rcv(skb->", "ip_rcv(dev->", "vfs_read(file->", "vfs_read(file->f_inode->i_sb->"} {
		found := complete.Complete(head, target)
		if len(found) < 10 {
			t.Errorf("%s: %d members", head, len(found))
		}
		for _, c := range found {
			parsed, err := spec.Parse("x(" + strings.SplitN(c.Text, "(", 2)[1] + ")")
			if err != nil {
				t.Errorf("%s: %v", c.Text, err)
				continue
			}
			parsed.Func.Text = strings.SplitN(c.Text, "(", 2)[0]
			if _, err := fetchargs.Resolve([]*spec.Spec{parsed}, target); err != nil && strings.Contains(err.Error(), "has no member") {
				t.Errorf("%s: %v", c.Text, err)
			}
		}
	}
}

// TestCompleteNothing completes every beginning of texts that are not specs.
func TestCompleteNothing(t *testing.T) {
	target := linuxTarget(t)
	for _, text := range []string{`(((((`, `]]]]`, `ip_rcv)))`, `ip_rcv(skb]->x`, `ip_rcv("a\"`, `ip_rcv('`, "ip_rcv(\xff\x00->", `f:g:h(`, `ip_rcv(tsnoop_hole->x`, `:`, `$`, `ip_rcv(skb->->`, strings.Repeat("ip_rcv(", 300)} {
		for end := range len(text) + 1 {
			complete.Complete(text[:end], target)
		}
	}
}
