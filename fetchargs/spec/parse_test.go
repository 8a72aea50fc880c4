package spec

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tsnoop/tsnoop/testdata/badinput"
)

// canonical are specs with the canonical spelling of each.
var canonical = []struct{ in, want string }{
	{"ip_rcv", "ip_rcv"},
	{"ip_rcv()", "ip_rcv()"},
	{" ip_rcv ( skb ->len , dev . name ) ", "ip_rcv(skb->len, dev.name)"},
	{"ext4:ext4_sync_file(file)", "ext4:ext4_sync_file(file)"},
	{"nf-nat:f", "nf-nat:f"},
	{"foo.isra.0(a)", "foo.isra.0(a)"},
	{"tcp_*(sk)", "tcp_*(sk)"},
	{" ext4 : ext4_?[a-z]*[^0-9] ( inode ) if a==1", "ext4:ext4_?[a-z]*[^0-9](inode) if a == 1"},
	{"f(n=skb->len:x32)", "f(n=skb->len:x32)"},
	{"f(skb->len > 100, skb)", "f(skb->len > 100, skb)"},
	{"f(skb->len>0x64&&skb->mark!=0)", "f(skb->len > 0x64 && skb->mark != 0)"},
	{"f(return) if return == -ENOENT", "f(return) if return == -ENOENT"},
	{"f if a==1||b==2&&c==3", "f if a == 1 || b == 2 && c == 3"},
	{"f if (a==1||b==2)&&c==3", "f if (a == 1 || b == 2) && c == 3"},
	{"f if a==1&&(b==2&&c==3)", "f if a == 1 && (b == 2 && c == 3)"},
	{"f if !(a==1)", "f if !(a == 1)"},
	{"f if !!a", "f if !!(a != 0)"},
	{"f if skb->dev", "f if skb->dev != 0"},
	{"f(*pos, &skb->cb, **pp)", "f(*pos, &skb->cb, **pp)"},
	{"f(&(&a), & & &b)", "f(& &a, & & &b)"},
	{"f((*pp)->len, (&a->b)->c)", "f((*pp)->len, (&a->b)->c)"},
	{"f(((struct tcp_sock*)sk)->snd_cwnd)", "f(((struct tcp_sock *)sk)->snd_cwnd)"},
	{"f((u32)x, (unsigned  long)y, (u8**)z)", "f((u32)x, (unsigned long)y, (u8 **)z)"},
	{"f((x) & 4)", "f(x & 4)"},
	{"f(x & 4 && y)", "f(x & 4 && y != 0)"},
	{"f(a[3].b[0], p[-1])", "f(a[3].b[0], p[-1])"},
	{"f(this_cpu( runqueues ).cpu,&per_cpu(runqueues,0x1),n=this_cpu(x)->y)", "f(this_cpu(runqueues).cpu, &per_cpu(runqueues, 1), n=this_cpu(x)->y)"},
	{"f(container_of(x,struct  foo,a.b)->c)", "f(container_of(x, struct foo, a.b)->c)"},
	{"f(@jiffies:u64, $comm, $arg2, $stack0, %di)", "f(@jiffies:u64, $comm, $arg2, $stack0, %di)"},
	{`f(dev->name ~ "eth*")`, `f(dev->name ~ "eth*")`},
	{`f(dev->name == 'lo')`, `f(dev->name == "lo")`},
	{`f(c == 'x')`, `f(c == 'x')`},
	{`f(c == '\n')`, `f(c == '\x0a')`},
	{`f(s == "a\"b\\c\x01")`, `f(s == "a\"b\\c\x01")`},
	{"f(ip->saddr == 10.0.0.1)", "f(ip->saddr == 10.0.0.1)"},
	{"f(a == fe80::1, m == 52:54:00:12:34:56)", "f(a == fe80::1, m == 52:54:00:12:34:56)"},
	{"f(a == 5:x)", "f(a == 5:x)"},
	{"f(n == -5, n == - 5, n >= 10UL)", "f(n == -5, n == -5, n >= 10UL)"},
	{"f(a->x == b->y, a == (b))", "f(a->x == b->y, a == b)"},
	{"f((a->x == 1) || (b))", "f(a->x == 1 || b != 0)"},
	{"f(a:x8 > 5, b : be16==3:x)", "f(a:x8 > 5, b:be16 == 3:x)"},
	{`f(filename:ustring ~ "/proc/*")`, `f(filename:ustring ~ "/proc/*")`},
	{"f if dport == 80:port && sport:port != 22", "f if dport:port == 80 && sport:port != 22"},
	{"f(sport:port == dport:port)", "f(sport:port == dport:port)"},
	{"f(a == 1 && b == 2:x)", "f(a == 1 && b == 2:x)"},
	{"f(a == 1:x && b == 2)", "f(a:x == 1 && b == 2)"},
	{"f((a & 0xf) == 3, (a->b:be32&MASK)!=0)", "f((a & 0xf) == 3, (a->b:be32 & MASK) != 0)"},
	{"f if !((a & 7) == 1) || (b & 1)", "f if !((a & 7) == 1) || b & 1"},
	{"f if x == 10.0.0.0/8 && y != fe80::/10", "f if x == 10.0.0.0/8 && y != fe80::/10"},
	{"f if !filename || (s:ustring)", "f if !(filename != 0) || s:ustring != 0"},
	{"f((a:x), (b:u8) & 4)", "f(a:x, b:u8 & 4)"},
	{"f((u64)&b->x, (size_t) & c, (flags) & 4, (flags) & MASK)", "f((u64)&b->x, (size_t)&c, flags & 4, flags & MASK)"},
	{"vfs_[!a-z]*(x)", "vfs_[!a-z]*(x)"},
	{"do_sys_open(NULL, string file)", "do_sys_open(NULL, string file)"},
	{"f(NULL,NULL , x8[6] perm_addr+574)", "f(NULL, NULL, x8[6] perm_addr+574)"},
	{"f(x64 skb | int skb[32], x64 dev)", "f(x64 skb | int skb[32], x64 dev)"},
	{"f(int cpu, x64 wq, symbol func[3])", "f(int cpu, x64 wq, symbol func[3])"},
	{"f(unsigned  int skb[0x20],size_t n)", "f(unsigned int skb[32], size_t n)"},
	{"f(int n=0xffffffff82354c18 | symbol regs[16])", "f(int n=0xffffffff82354c18 | symbol regs[16])"},
	{"f(int n=0xffffffff82354c18, symbol regs[16])", "f(int n=0xffffffff82354c18 | symbol regs[16])"},
	{"f(symbol regs[16], int n=0xf0, x64 b)", "f(symbol regs[16] | int n=0xf0, x64 b)"},
	{"f(symbol regs[16] | int n=0xf0 | x64 b)", "f(symbol regs[16] | int n=0xf0 | x64 b)"},
	{"f(string name + 32 [0]+40[0]+40[0][0])", "f(string name+32[0]+40[0]+40[0][0])"},
	{"f(int 0xf0, u32 @nr_cpu_ids, int n=@total_forks, long a)", "f(int 0xf0 | u32 @nr_cpu_ids | int n=@total_forks | long a)"},
	{"f(x64 a, x8[6] dev->perm_addr, x64 c)", "f(x64 a | x8[6] dev->perm_addr, NULL, x64 c)"},
	{"f(skb->len > 3, NULL, string x, return)", "f(skb->len > 3, NULL, string x, return)"},
	{"f(NULL, string x, NULL)", "f(NULL, string x)"},
	{"f(NULL)", "f()"},
	{"f(x, duration>1.5ms) if return < 0 && duration <= 10us || !(duration < 2s)", "f(x, duration > 1.5ms) if return < 0 && duration <= 10us || !(duration < 2s)"},
	{"f(inode->( i_ctime|__i_ctime ).tv_sec)", "f(inode->(i_ctime|__i_ctime).tv_sec)"},
	{"f(inode.(i_ctime.tv_sec | x[3]->y|i_ctime_sec):x > 5)", "f(inode.(i_ctime.tv_sec|x[3]->y|i_ctime_sec):x > 5)"},
	{"f(a[2 .. 5], p->v[-0x2..3][0]:x , *a[1..2])", "f(a[2..5], p->v[-2..3][0]:x, *a[1..2])"},
	{"f(a:u8 [ 0x10 ], b:str[8] == \"x\", c:x32[4] & 1) if a:hex[3] == b.c:u8[3]", "f(a:u8[16], b:str[8] == \"x\", c:x32[4] & 1) if a:hex[3] == b.c:u8[3]"},
	{"f((*a)->(b)->(c|d))", "f((*a)->(b)->(c|d))"},
	{"f(x)|g|m:h if a|k*(b) if c & 4 | m:l(d)", "f(x) | g | m:h if a != 0 | k*(b) if c & 4 | m:l(d)"},
	{"f(a == sizeof( struct  foo*), b > sizeof(x->y), sizeof(u32))", "f(a == sizeof(struct foo *), b > sizeof(x->y), sizeof(u32))"},
	{"f(a == b[1], a == g->x, s == \"\")", "f(a == b[1], a == g->x, s == \"\")"},
	{"f((u8 * const)x, (u8 * volatile *) y)", "f((u8 * const)x, (u8 * volatile *)y)"},
	{"f(this_cpu(x), per_cpu(x, 8191))", "f(this_cpu(x), per_cpu(x, 8191))"},
	{"f(since(a,g(b)), who(a , b, m:h*( c->d,*e ) if x))", "f(since(a, g(b)), who(a, b, m:h*(c->d, *e) if x != 0))"},
	{"f(since(a, b:x == 1, sizeof(c) == 2))", "f(since(a, b:x == 1, sizeof(c) == 2))"},
	{"f(since(skb), since( skb->a , ! b ), who(*skb, a==1, b==2))", "f(since(skb), since(skb->a, !(b != 0)), who(*skb, a == 1, b == 2))"},
	{"f(s == \"\xff\", s == \"\ufffd\", s == \"\t\u200b\")", `f(s == "\xff", s == "` + "\ufffd" + `", s == "\x09\xe2\x80\x8b")`},
	{"f if a == 10.0.0.1/32 && b == 10.0.0.1", "f if a == 10.0.0.1/32 && b == 10.0.0.1"},
	{"f(unsigned long long a, x64 %di, char c)", "f(unsigned long long a | x64 %di, NULL, char c)"},
}

func TestCanonical(t *testing.T) {
	for _, tt := range canonical {
		spec, err := Parse(tt.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.in, err)
			continue
		}
		if got := spec.String(); got != tt.want {
			t.Errorf("Parse(%q) = %q, want %q", tt.in, got, tt.want)
		}
		checkRoundTrip(t, spec)
	}
}

// checkRoundTrip checks that printing and parsing give the same tree, spans
// and source text apart.
func checkRoundTrip(t *testing.T, spec *Spec) {
	t.Helper()
	again, err := Parse(spec.String())
	if err != nil {
		t.Fatalf("Parse(String) of %q: %v", spec.Text, err)
	}
	same := cmp.Options{
		cmpopts.IgnoreTypes(Span{}),
		cmpopts.IgnoreFields(Spec{}, "Text"),
		cmp.Transformer("int", func(l *Literal) any {
			if l == nil {
				return nil
			}
			n := ""
			if l.Int != nil {
				n = l.Int.String()
			}
			return []any{l.Kind, l.Text, l.Bytes, n}
		}),
		cmp.Transformer("type", func(c *Cast) any { return []any{"cast", CanonicalType(c.Type.Text), c.X} }),
		cmp.Transformer("since", func(c *Since) any { return []any{c.Word(), c.Keys(), c.Start, c.End, c.Other} }),
		cmp.Transformer("sizeof", func(c *SizeOf) any { return []any{"sizeof", CanonicalType(c.Type.Text), c.X} }),
		cmp.Transformer("container", func(c *ContainerOf) any {
			return []any{"container_of", CanonicalType(c.Type.Text), c.X, c.Member}
		}),
	}
	if diff := cmp.Diff(spec, again, same); diff != "" {
		t.Errorf("%q changes when printed (-before +after):\n%s", spec.Text, diff)
	}
}

// Every error must be an Errors with places within the text.
func FuzzParse(f *testing.F) {
	for _, tt := range canonical {
		f.Add(tt.in)
	}
	f.Add("f(a == 1")
	f.Add("f((((((")
	f.Add("f((u04) (&ize_t) & c, (flags) & 4, (flags) & MA7K)")
	f.Add("f('\\")
	f.Add("f((NULL))")
	badinput.Fuzz(f, func(t *testing.T, text string) {
		spec, err := Parse(text)
		if err == nil {
			if len(spec.String()) <= MaxText { // it may have more spaces
				checkRoundTrip(t, spec)
			}
			return
		}
		var errs Errors
		if !errors.As(err, &errs) || len(errs) == 0 {
			t.Fatalf("Parse(%q) = %T %v, want Errors", text, err, err)
		}
		for _, e := range errs {
			if e.Pos < 0 || e.End < e.Pos || e.End > len(text) {
				t.Fatalf("Parse(%q): %q is at %v, outside the text", text, e.Msg, e.Span)
			}
		}
	})
}
