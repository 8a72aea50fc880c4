package render_test

import (
	"encoding/binary"
	stdjson "encoding/json"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

func num(x uint64) value.Value { return value.Value{Kind: value.Uint, Uint: x} }
func neg(x int64) value.Value  { return value.Value{Kind: value.Int, Uint: uint64(x)} }
func txt(s string) value.Value {
	return value.Value{Kind: value.Text, Bytes: []byte(s)}
}
func raw(s string) value.Value {
	return value.Value{Kind: value.Bytes, Bytes: []byte(s)}
}

func fault(label string, addr uint64) value.Value {
	return value.Value{Kind: value.Fault, Pointer: &value.PointerCheck{Label: label}, Uint: addr}
}

// field makes a Field as fetchargs does for a value of type t.
func field(label string, t btf.Type, format string) value.Field {
	f := value.Field{Label: label, Name: label[strings.LastIndexAny(label, ">.")+1:], Type: t, Format: format, Size: 8}
	if a, ok := t.(*btf.Array); ok {
		f.Encoding, f.Count, t = value.Array, int(a.Nelems), a.Type
	}
	elem, _ := btf.Strip(t), 0
	switch t := elem.(type) {
	case *btf.Int:
		f.Size, f.Signed = int(t.Size), btf.Signed(t)
	case *btf.Enum:
		f.Size, f.Signed = int(t.Size), t.Signed
	case *btf.Struct:
		f.Size = int(t.Size)
		if t.Size > 8 {
			f.Encoding, f.Size, f.Count = value.Array, 1, int(t.Size)
		}
	}
	return f
}

// known is field of a value that is known to hold names of a set.
func known(label string, t btf.Type, set string) value.Field {
	f := field(label, t, "")
	f.Set = set
	return f
}

// ticks is known to be jiffies, of a kernel that has so many a second.
func ticks(label string, t btf.Type, hz int) value.Field {
	f := known(label, t, "jiffies")
	f.HZ = hz
	return f
}

// sockAddr is the address of a socket of no known length.
func sockAddr(format string) value.Field {
	return value.Field{Label: "*addr", Type: &btf.Struct{Name: "sockaddr", Size: 16}, Format: format, Encoding: value.Array, Size: 8, Count: 14}
}

// cut is f of an object that has so many bytes.
func cut(f value.Field, bytes int) value.Field {
	f.Whole = bytes
	return f
}

func TestValue(t *testing.T) {
	const fn = 0xffffffff81000000
	str := func(label string) value.Field {
		return value.Field{Label: label, Type: charPtr, Encoding: value.String}
	}
	tests := []struct {
		field    value.Field
		returned bool
		value    value.Value
		want     string // text
		json     string // members of an object
	}{
		// C types.
		{field("n", cInt, ""), false, neg(-5), `-5`, `"value":-5`},
		{field("n", cUint, ""), false, num(1<<32 - 1), `4294967295`, `"value":4294967295`},
		{field("n", sizeT, ""), false, num(1<<64 - 1), `18446744073709551615`, `"value":18446744073709551615,"text":"18446744073709551615"`},
		{field("n", cSchar, ""), false, neg(-1), `-1`, `"value":-1`},
		{field("n", oldSchar, ""), false, neg(-1), `-1`, `"value":-1`},
		{field("v", array(oldSchar, 2), ""), false, raw("\x01\xff"), `{1, -1}`, `"value":[1,-1]`},
		{field("n", cUchar, ""), false, num(255), `255`, `"value":255`},
		{field("b", cBool, ""), false, num(1), `true`, `"value":true`},
		{field("b", cBool, ""), false, num(0), `false`, `"value":false`},
		{field("b", cBool, ""), false, num(7), `7`, `"value":7`},
		{field("c", cChar, ""), false, neg('A'), `'A'`, `"value":65,"text":"'A'"`},
		{field("c", cChar, ""), false, neg('\''), `'\''`, `"value":39,"text":"'\\''"`},
		{field("c", cChar, ""), false, neg(0), `'\0'`, `"value":0,"text":"'\\0'"`},
		{field("c", cChar, ""), false, neg(-1), `'\xff'`, `"value":255,"text":"'\\xff'"`},
		{field("s", tcpStates, ""), false, num(1), `TCP_ESTABLISHED`, `"value":1,"text":"TCP_ESTABLISHED"`},
		{field("s", tcpStates, ""), false, num(57), `(enum tcp_state)57`, `"value":57,"text":"(enum tcp_state)57"`},
		{field("f", faultFlags, ""), false, num(8), `USER`, `"value":8,"text":"USER"`},
		{field("f", faultFlags, ""), false, num(1<<31 | 9), `WRITE|USER|TOP`, `"value":2147483657,"text":"WRITE|USER|TOP"`},
		{field("f", faultFlags, ""), false, num(0), `(enum fault_flag)0`, `"value":0,"text":"(enum fault_flag)0"`},
		{field("f", faultFlags, ""), false, num(5), `(enum fault_flag)5`, `"value":5,"text":"(enum fault_flag)5"`},
		{field("c", counted, ""), false, num(12), `(enum counted)12`, `"value":12,"text":"(enum counted)12"`},
		{field("v", verdicts, ""), false, neg(-1), `BAD`, `"value":-1,"text":"BAD"`},
		{field("v", verdicts, ""), false, neg(-2), `-2`, `"value":-2`},
		{field("sk->skc_dport", be16, ""), false, num(0xbb01), `443`, `"value":443`},
		{field("spi", be32, ""), false, num(0x04030201), `16909060`, `"value":16909060`},
		{field("id", be64, ""), false, num(1 << 56), `1`, `"value":1`},
		{field("iph->saddr", be32, ""), false, num(0x0100007f), `127.0.0.1`, `"value":"127.0.0.1"`},
		{field("sk->skc_rcv_saddr", &btf.Const{Type: be32}, ""), false, num(0), `0.0.0.0`, `"value":"0.0.0.0"`},
		{field("in", inAddr, ""), false, num(0x0101a8c0), `192.168.1.1`, `"value":"192.168.1.1"`},
		{field("mode", umode, ""), false, num(0o100644), `S_IFREG|0644`, `"value":33188,"text":"S_IFREG|0644"`},
		{field("mode", umode, ""), false, num(0o755), `0755`, `"value":493,"text":"0755"`},
		{field("mode", umode, "o"), false, num(0o100644), `0100644`, `"value":33188,"text":"0100644"`},
		{value.Field{Label: "v", Type: cUlong, Format: "bits", Size: 8}, false, num(0x8f), `0-3,7`, `"value":"0-3,7"`},
		{value.Field{Label: "v", Type: cUlong, Format: "bits", Size: 8}, false, num(1 << 63), `63`, `"value":"63"`},
		{value.Field{Label: "v", Type: cUlong, Format: "bits", Size: 8}, false, num(0), `none`, `"value":"none"`},
		{field("mask", cpumask, ""), false, raw("\xff\xff\x01\x00\x00\x00\x00\x80" + "\x01\x00\x00\x00\x00\x00\x00\x00"), `0-16,63-64`, `"value":"0-16,63-64"`},
		{field("mask", array(cUlong, 2), "bits"), false, raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), `0-127`, `"value":"0-127"`},
		{field("mask", array(cUlong, 2), "bits"), false, raw("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), `none`, `"value":"none"`},
		{sockAddr(""), false, raw("\x02\x00\x00\x50\x0a\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00"), `10.0.0.1:80`, `"value":"10.0.0.1:80"`},
		{sockAddr("sockaddr"), false, raw("\x0a\x00\x00\x16\x00\x00\x00\x00\xfe\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x00\xaa"), `[fe80::1%2]:22`, `"value":"[fe80::1%2]:22"`},
		{sockAddr(""), false, raw("\x0a\x00\x00\x16\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00"), `[::1]:22`, `"value":"[::1]:22"`},
		{sockAddr(""), false, raw("\x0a\x00\x00\x16\x00\x00"), `AF_INET6 00 16`, `"value":"AF_INET6 00 16"`},
		{sockAddr(""), false, raw("\x01\x00/run/x\x00yz"), `unix:"/run/x"`, `"value":"unix:\"/run/x\""`},
		{sockAddr(""), false, raw("\x01\x00\x00abc\x1b\x00yz"), `unix:@"abc\x1b"`, `"value":"unix:@\"abc\\x1b\""`},
		{bounded(), false, raw("\x01\x00/tmp/"), `unix:"/tmp/"`, `"value":"unix:\"/tmp/\""`},
		{bounded(), false, raw("\x01\x00\x00a\x00b\x00"), `unix:@"a\x00b\x00"`, `"value":"unix:@\"a\\x00b\\x00\""`},
		{bounded(), false, raw("\x01\x00\x00\x00"), `unix:@"\x00"`, `"value":"unix:@\"\\x00\""`},
		{bounded(), false, raw("\x01\x00\x00"), `unix:@""`, `"value":"unix:@\"\""`},
		{bounded(), false, raw("\x01\x00"), `unix:""`, `"value":"unix:\"\""`},
		{bounded(), false, raw("\x02\x00\x00\x50\x7f\x00\x00"), `AF_INET 00 50 7f 00 00 /* too short */`, `"value":"AF_INET 00 50 7f 00 00 /* too short */"`},
		{bounded(), false, raw("\x0a\x00"), `AF_INET6 /* too short */`, `"value":"AF_INET6 /* too short */"`},
		{bounded(), false, raw("\x02"), `02 /* too short */`, `"value":"02 /* too short */"`},
		{bounded(), false, raw(""), `/* too short */`, `"value":"/* too short */"`},
		{sockAddr(""), false, raw("\x01\x00\x00\x00\x00\x00"), `unix:""`, `"value":"unix:\"\""`},
		{sockAddr(""), false, raw("\x10\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00"), `netlink:7 groups 0x1`, `"value":"netlink:7 groups 0x1"`},
		{sockAddr(""), false, raw("\x00\x00\x05\x00"), `AF_UNSPEC`, `"value":"AF_UNSPEC"`},
		{sockAddr(""), false, raw("\x11\x00\x08\x00\x00\x00"), `AF_PACKET 08`, `"value":"AF_PACKET 08"`},
		{sockAddr(""), false, raw("\x34\x12\x08\x00"), `4660 08`, `"value":"4660 08"`},
		{sockAddr(""), false, raw("\x02"), `02`, `"value":"02"`},
		{field("lock", qspinlock, ""), false, num(0x101), `0x101`, `"value":257,"text":"0x101"`},
		// An int that has been cast to long, and an unsigned one.
		{value.Field{Label: "(long)n", Type: cLong, Size: 4, Signed: true}, false, neg(-1), `-1`, `"value":-1`},
		{value.Field{Label: "(long)n", Type: cLong, Size: 4}, false, num(0xffffffff), `4294967295`, `"value":4294967295`},
		{value.Field{Label: "(u64)n", Type: cUlong, Size: 4, Signed: true}, false, neg(-1), `18446744073709551615`, `"value":18446744073709551615,"text":"18446744073709551615"`},
		{value.Field{Label: "(long)n", Type: cLong, Format: "x", Size: 4, Signed: true}, false, neg(-1), `0xffffffffffffffff`, `"value":18446744073709551615,"text":"0xffffffffffffffff"`},
		{field("dev", devT, ""), false, num(8<<20 | 17), `8:17`, `"value":8388625,"text":"8:17"`},
		{field("dev", cUint, "dev"), false, num(0), `0:0`, `"value":0,"text":"0:0"`},
		{ticks("expires", cUlong, 250), false, num(4294897686), `boot+21.560s`, `"value":4294897686,"text":"boot+21.560s"`},
		{ticks("expires", cUlong, 1000), false, num(1<<32 + 12), `boot+300.012s`, `"value":4294967308,"text":"boot+300.012s"`},
		{ticks("delay", cUlong, 250), false, num(0), `0.000s`, `"value":0,"text":"0.000s"`},
		{ticks("delay", cUlong, 300), false, num(75), `0.250s`, `"value":75,"text":"0.250s"`},
		{ticks("timeout", cLong, 250), false, neg(-1), `-0.004s`, `"value":-1,"text":"-0.004s"`},
		{ticks("timeout", cLong, 250), false, num(1<<63 - 1), `forever`, `"value":9223372036854775807,"text":"forever"`},
		{ticks("expires", cUlong, 250), false, num(1<<62 - 3), `4611686018427387901`, `"value":4611686018427387901`},
		{ticks("rto", cUint, 250), false, num(4294967295), `17179869.180s`, `"value":4294967295,"text":"17179869.180s"`},
		{ticks("expires", cUlong, 0), false, num(4294897686), `4294897686`, `"value":4294897686`},
		{known("dev->pcpu_refcnt", &btf.Pointer{Target: cInt}, "percpu"), false, num(0x5e0b0), `0x5e0b0 (percpu)`, `"value":"0x5e0b0","text":"0x5e0b0 (percpu)"`},
		{known("dev->pcpu_refcnt", &btf.Pointer{Target: cInt}, "percpu"), false, num(0), `NULL`, `"value":"0x0"`},
		{field("p", &btf.Pointer{Target: &btf.TypeTag{Value: "percpu", Type: cInt}}, ""), false, num(0x5e0b0), `0x5e0b0 (percpu)`, `"value":"0x5e0b0","text":"0x5e0b0 (percpu)"`},
		{field("now", ktime, ""), false, neg(-1500000000), `-1.500000000s`, `"value":-1500000000,"text":"-1.500000000s"`},
		{field("gfp", gfp, ""), false, num(0xdc0), `GFP_KERNEL|__GFP_ZERO`, `"value":3520,"text":"GFP_KERNEL|__GFP_ZERO"`},
		{field("gfp", gfp, "x"), false, num(0xdc0), `0xdc0`, `"value":3520,"text":"0xdc0"`},
		{known("flags", cUint, "open"), false, num(0x98041), `O_WRONLY|O_CREAT|O_LARGEFILE|O_DIRECTORY|O_CLOEXEC`, `"value":622657,"text":"O_WRONLY|O_CREAT|O_LARGEFILE|O_DIRECTORY|O_CLOEXEC"`},
		{known("flags", cInt, "open"), false, neg(-0x80000000), `O_RDONLY|0x80000000`, `"value":2147483648,"text":"O_RDONLY|0x80000000"`},
		{known("dfd", cInt, "dirfd"), false, neg(-100), `AT_FDCWD`, `"value":-100,"text":"AT_FDCWD"`},
		{known("dfd", cInt, "dirfd"), false, neg(-1), `-1`, `"value":-1`},
		{known("protocol", be16, "ethertype"), false, num(0xdd86), `ETH_P_IPV6`, `"value":34525,"text":"ETH_P_IPV6"`},
		{field("protocol", be16, "ethertype"), false, num(8), `ETH_P_IP`, `"value":2048,"text":"ETH_P_IP"`},
		{field("sig", array(cInt, 2), "signal"), false, raw("\x09\x00\x00\x00\xff\xff\xff\xff"), `{SIGKILL, -1}`, `"value":[9,-1],"text":"{SIGKILL, -1}"`},
		{field("mode", umode, ""), false, num(0), `0`, `"value":0`},
		{field("skb", skbPtr, ""), false, num(0xffff888001020304), `0xffff888001020304`, `"value":"0xffff888001020304"`},
		{field("skb", skbPtr, ""), false, num(0), `NULL`, `"value":"0x0"`},
		{field("dir", skbPtr, ""), false, num(^uint64(1)), `ERR_PTR(-ENOENT)`,
			`"value":"0xfffffffffffffffe","text":"ERR_PTR(-ENOENT)","errno":"ENOENT"`},
		{field("fn", funcPtr, ""), false, num(fn), `ip_rcv_finish`, `"value":"0xffffffff81000000","text":"ip_rcv_finish"`},
		{field("fn", workFunc, ""), false, num(fn + 0x10), `ip_rcv_finish+0x10`,
			`"value":"0xffffffff81000010","text":"ip_rcv_finish+0x10"`},
		{field("fn", workFunc, ""), false, num(fn + 0x1000), `0xffffffff81001000`, `"value":"0xffffffff81001000"`},
		{field("fn", workFunc, ""), false, num(0), `NULL`, `"value":"0x0"`},
		{value.Field{Label: "%ax", Size: 8}, false, num(0x10), `0x10`, `"value":16,"text":"0x10"`},
		{value.Field{Label: "bit", Type: cUint, Encoding: value.BitField, Size: 4, Bits: 3},
			false, num(5), `5`, `"value":5`},
		{value.Field{Label: "s.port", Type: be16, Encoding: value.BitField, Size: 8, Bits: 16},
			false, num(0xbb01), `443`, `"value":443`},
		{value.Field{Label: "s.in", Type: inAddr, Encoding: value.BitField, Size: 8, Bits: 32},
			false, num(0x0101a8c0), `192.168.1.1`, `"value":"192.168.1.1"`},
		{value.Field{Label: "s.n", Type: cUint, Format: "hex", Encoding: value.BitField, Size: 8, Bits: 16},
			false, num(0x0102), `02 01`, `"value":"02 01"`},
		{value.Field{Label: "bit", Type: cBool, Encoding: value.BitField, Size: 1, Bits: 1},
			false, num(1), `true`, `"value":true`},

		// Returned values.
		{field("return", cInt, ""), true, neg(-2), `-2 (ENOENT)`, `"value":-2,"errno":"ENOENT"`},
		{field("return", cInt, ""), true, neg(3), `3`, `"value":3`},
		{field("return", ssize, ""), true, neg(-517), `-517 (EPROBE_DEFER)`, `"value":-517,"errno":"EPROBE_DEFER"`},
		{field("return", ssize, ""), true, neg(-4095), `-4095`, `"value":-4095`},
		{field("return", cInt, ""), false, neg(-2), `-2`, `"value":-2`},
		{field("return", cUint, ""), true, num(1<<32 - 2), `4294967294`, `"value":4294967294`},
		{field("return", cInt, "d"), true, neg(-2), `-2`, `"value":-2`},

		// Strings and arrays.
		{str("name"), false, txt("lo"), `"lo"`, `"value":"lo"`},
		{str("name"), false, txt("a\n\x1b[2J\"\xff"), `"a\n\x1b[2J\"\xff"`,
			`"value":"a\n\u001b[2J\"\ufffd","bytes":"610a1b5b324a22ff"`},
		{field("comm", array(cChar, 8), ""), false, raw("bash\x00\x00xx"), `"bash"`, `"value":"bash"`},
		{field("v", array(cInt, 3), ""), false, raw("\x01\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\x00"), `{1, -1, 3}`,
			`"value":[1,-1,3]`},
		{field("v", array(tcpStates, 2), ""), false, raw("\x01\x00\x00\x00\x09\x00\x00\x00"),
			`{TCP_ESTABLISHED, (enum tcp_state)9}`, `"value":[1,9],"text":"{TCP_ESTABLISHED, (enum tcp_state)9}"`},
		{field("key", array(u8, 3), ""), false, raw("\x01\xab\x00"), `{0x1, 0xab, 0x0}`, `"value":[1,171,0]`},
		{field("v", array(skbPtr, 1), ""), false, raw("\x00\x00\x00\x00\x80\x88\xff\xff"),
			`{0xffff888000000000}`, `"value":["0xffff888000000000"],"text":"{0xffff888000000000}"`},
		{field("eth->h_dest", array(cUchar, 6), ""), false, raw("\x02\x00\x5e\x10\x00\xff"), `02:00:5e:10:00:ff`,
			`"value":"02:00:5e:10:00:ff"`},
		{field("dev->perm_addr", array(cUchar, 32), ""), false, raw("\x02\x00\x5e\x10\x00\x00" + string(make([]byte, 26))),
			`02:00:5e:10:00:00`, `"value":"02:00:5e:10:00:00"`},
		{field("np->saddr", in6Addr, ""), false, raw("\x20\x01\x0d\xb8" + string(make([]byte, 11)) + "\x01"),
			`2001:db8::1`, `"value":"2001:db8::1"`},
		{field("saddr_v6", array(u8, 16), ""), false, raw("\xfe\x80" + string(make([]byte, 12)) + "\x01\x00"),
			`fe80::100`, `"value":"fe80::100"`},
		{value.Field{Label: "*p", Type: skBuff, Encoding: value.Array, Size: 1, Count: 3}, false,
			raw("\x01\x02\x03"), `01 02 03`, `"value":"01 02 03"`},
		{field("v", array(cInt, 0), ""), false, raw(""), `{}`, `"value":[]`},
		{cut(field("v", array(cInt, 2), ""), 12), false, raw("\x01\x00\x00\x00\x02\x00\x00\x00"), `{1, 2} /* 2 of 3 elements */`,
			`"value":[1,2],"size":12`},
		{cut(field("v", array(cInt, 1), "x"), 6), false, raw("\x01\x00\x00\x00"), `{0x1} /* 4 of 6 bytes */`,
			`"value":[1],"text":"{0x1}","size":6`},
		{cut(field("v", array(u8, 2), "hex"), 232), false, raw("\x01\x02"), `01 02 /* 2 of 232 bytes */`,
			`"value":"01 02","size":232`},
		{cut(field("v", array(u8, 2), ""), 600), false, raw("\x01\x02"), `{0x1, 0x2} /* 2 of 600 bytes */`,
			`"value":[1,2],"size":600`},

		// FORMATs.
		{field("n", cUint, "x"), false, num(128), `0x80`, `"value":128,"text":"0x80"`},
		{field("n", cInt, "x"), false, neg(-1), `0xffffffff`, `"value":4294967295,"text":"0xffffffff"`},
		{field("n", cUint, "d"), false, num(1<<32 - 1), `-1`, `"value":-1`},
		{field("n", cInt, "u"), false, neg(-1), `4294967295`, `"value":4294967295`},
		{field("n", cInt, "o"), false, num(8), `010`, `"value":8,"text":"010"`},
		{field("n", cInt, "c"), false, num('A'), `'A'`, `"value":65,"text":"'A'"`},
		{field("n", cInt, "c"), false, num(300), `300`, `"value":300`},
		{field("n", cUlong, "sym"), false, num(fn + 0x101), `ext4_a_function_with_a_name_that_is_too_long_for_the_stack+0x1 [ext4]`,
			`"value":"0xffffffff81000101","text":"ext4_a_function_with_a_name_that_is_too_long_for_the_stack+0x1 [ext4]"`},
		{field("n", cUlong, "sym"), false, num(4096), `0x1000`, `"value":"0x1000"`},
		{field("a", array(u8, 6), "mac"), false, raw("\x02\x00\x5e\x10\x00\xff"), `02:00:5e:10:00:ff`,
			`"value":"02:00:5e:10:00:ff"`},
		{field("a", cUint, "ip4"), false, num(0x0101a8c0), `192.168.1.1`, `"value":"192.168.1.1"`},
		{field("a", array(cUint, 2), "ip4"), false, raw("\xc0\xa8\x01\x01\x7f\x00\x00\x01"), `{192.168.1.1, 127.0.0.1}`,
			`"value":["192.168.1.1","127.0.0.1"]`},
		{field("a", array(cUint, 4), "ip6"), false, raw(string(make([]byte, 15)) + "\x01"), `::1`, `"value":"::1"`},
		{field("a", array(cUchar, 3), "ip6"), false, raw("\x01\x02\x03"), `{0x1, 0x2, 0x3}`, `"value":["0x1","0x2","0x3"]`},
		{field("p", cShort, "port"), false, num(0x5000), `80`, `"value":80`},
		{field("p", cShort, "be16"), false, num(0x0100), `1`, `"value":1`},
		{field("p", cUint, "be32"), false, num(0x01000000), `1`, `"value":1`},
		{field("e", cInt, "errno"), false, neg(-22), `-EINVAL`, `"value":-22,"text":"-EINVAL"`},
		{field("e", cInt, "errno"), false, neg(22), `EINVAL`, `"value":22,"text":"EINVAL"`},
		{field("e", cUint, "errno"), false, num(1<<32 - 22), `-EINVAL`, `"value":-22,"text":"-EINVAL"`},
		{field("e", cInt, "errno"), false, neg(0), `0`, `"value":0`},
		{field("e", cInt, "errno"), true, neg(-513), `-ERESTARTNOINTR`, `"value":-513,"text":"-ERESTARTNOINTR"`},
		{field("e", cInt, "errno"), true, neg(513), `513`, `"value":513`},
		{field("e", nil, "errno"), true, neg(2), `2`, `"value":2`},
		{field("t", u64, "time"), false, num(1234567890123), `1234.567890123s`, `"value":1234567890123,"text":"1234.567890123s"`},
		{field("t", u64, "ago"), false, neg(12345678), `12.3ms`, `"value":12345678,"text":"12.3ms"`},
		{field("t", u64, "agoboot"), false, neg(-5), `-5ns`, `"value":-5,"text":"-5ns"`},
		{field("t", u64, "ago"), false, neg(-9223372036854775807), `-9223372037s`, `"value":-9223372036854775807,"text":"-9223372037s"`},
		{field("t", u64, "ago"), false, value.Value{}, `?`, `"value":null`},
		{value.Field{Encoding: value.Who}, false, value.Value{Kind: value.Text, Bytes: []byte("cat"), Uint: 7}, `"cat"-7`, `"value":{"tid":7,"comm":"cat"}`},
		{value.Field{Encoding: value.Who}, false, value.Value{Kind: value.Text, Bytes: []byte("a\"-1\n\xff\x1b, x"), Uint: 0}, `"a\"-1\n\xff\x1b, x"-0`, `"value":{"tid":0,"comm":"a\"-1\n\ufffd\u001b, x","comm_bytes":"61222d310aff1b2c2078"}`},
		{value.Field{Encoding: value.Who}, false, value.Value{}, `?`, `"value":null`},
		{field("t", cLong, "time"), false, neg(-5), `-0.000000005s`, `"value":-5,"text":"-0.000000005s"`},
		{field("n", cUint, "hex"), false, num(0x01020304), `04 03 02 01`, `"value":"04 03 02 01"`},
		{field("n", array(cShort, 2), "hex"), false, raw("\x01\x02\x03\x04"), `01 02 03 04`, `"value":"01 02 03 04"`},
		{field("n", cUint, "u8"), false, num(0x1ff), `255`, `"value":255`},
		{field("n", cUint, "s8"), false, num(0x1ff), `-1`, `"value":-1`},
		{field("n", cUint, "x16"), false, num(0x12345), `0x2345`, `"value":9029,"text":"0x2345"`},
		{field("perm_addr", array(u8, 6), "x8[6]"), false, raw("\xb4\xb5\x2f\xce\x18\x65"),
			`{0xb4, 0xb5, 0x2f, 0xce, 0x18, 0x65}`, `"value":[180,181,47,206,24,101],"text":"{0xb4, 0xb5, 0x2f, 0xce, 0x18, 0x65}"`},
		{value.Field{Label: "s", Type: charPtr, Format: "string", Encoding: value.String}, false, txt("x"), `"x"`, `"value":"x"`},
		{value.Field{Label: "s", Type: charPtr, Format: "hex", Encoding: value.String}, false, txt("xy"), `78 79`, `"value":"78 79"`},

		// A number that a double does not hold has its digits as text.
		{field("n", cUlong, ""), false, num(1 << 53), `9007199254740992`, `"value":9007199254740992`},
		{field("n", cUlong, ""), false, num(1<<53 + 1), `9007199254740993`, `"value":9007199254740993,"text":"9007199254740993"`},
		{field("n", cLong, ""), false, neg(-1 << 53), `-9007199254740992`, `"value":-9007199254740992`},
		{field("n", cLong, ""), true, neg(-1<<53 - 1), `-9007199254740993`, `"value":-9007199254740993,"text":"-9007199254740993"`},
		{field("n", array(cUlong, 2), ""), false, raw("\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x20\x00"),
			`{1, 9007199254740993}`, `"value":[1,9007199254740993],"text":"{1, 9007199254740993}"`},

		// A value that could not be read.
		{field("n", cInt, ""), false, fault("skb->dev", 0), `(fault: skb->dev=NULL)`, `"value":null`},
		{field("n", cInt, ""), false, fault("x", ^uint64(1)), `(fault: x=-ENOENT)`, `"value":null`},
		{field("n", cInt, ""), false, fault("x", 0x6b6b6b6b), `(fault: x=0x6b6b6b6b)`, `"value":null`},
		{field("n", cInt, ""), false, value.Value{Kind: value.Fault}, `(fault)`, `"value":null`},
		{field("n", cInt, ""), false, value.Value{}, `?`, `"value":null`},
		{field("mode", umode, ""), false, value.Value{Reason: value.Unused}, `?`, `"value":null`},
	}
	for _, tt := range tests {
		opts := render.Options{Symbol: testSymbol}
		f, p := render.NewField(&tt.field, tt.returned, &opts), json.New(nil, opts)
		what := tt.field
		if got := string(f.AppendValue(nil, tt.value)); got != tt.want {
			t.Errorf("%s:%s %+v: text\n got %s\nwant %s", what.Label, what.Format, tt.value, got, tt.want)
		}
		got := string(p.AppendValue(nil, f, tt.value))
		if got != tt.json {
			t.Errorf("%s:%s %+v: JSON\n got %s\nwant %s", what.Label, what.Format, tt.value, got, tt.json)
		}
		if !stdjson.Valid([]byte("{" + got + "}")) {
			t.Errorf("%s:%s %+v: not JSON: %s", what.Label, what.Format, tt.value, got)
		}
	}
}

func TestBigEndianKernel(t *testing.T) {
	tests := []struct {
		field value.Field
		value value.Value
		want  string
	}{
		{field("port", be16, ""), num(443), `443`},
		{field("saddr", be32, ""), num(0x7f000001), `127.0.0.1`},
		{field("n", cUint, "hex"), num(0x01020304), `01 02 03 04`},
		{field("v", array(cShort, 2), ""), raw("\x00\x01\x00\x02"), `{1, 2}`},
	}
	for _, tt := range tests {
		f := render.NewField(&tt.field, false, &render.Options{Order: binary.BigEndian})
		if got := string(f.AppendValue(nil, tt.value)); got != tt.want {
			t.Errorf("%s %+v: got %s, want %s", tt.field.Label, tt.value, got, tt.want)
		}
	}
}

// TestAnyFormatOnAnyType: no combination may panic or print nothing.
func TestAnyFormatOnAnyType(t *testing.T) {
	types := []btf.Type{nil, cInt, cChar, cUlong, cBool, be16, be32, umode, skbPtr, funcPtr, tcpStates, skBuff, in6Addr,
		array(cUchar, 5), array(cInt, 2), array(skbPtr, 2), array(be32, 3), array(cChar, 4)}
	for _, typ := range types {
		for _, format := range append(value.FormatNames(), "") {
			f := field("addr", typ, format)
			opts := render.Options{Symbol: testSymbol}
			shown, p := render.NewField(&f, true, &opts), json.New(nil, opts)
			for _, val := range []value.Value{{}, num(1 << 63), neg(-3), txt("abcdefgh"), raw("123456789abcdef0"), raw("1"),
				fault("x", 1)} {
				if got := shown.AppendValue(nil, val); len(got) == 0 {
					t.Errorf("%v:%s %+v: nothing was printed", typ, format, val)
				}
				if got := p.AppendValue(nil, shown, val); !stdjson.Valid([]byte("{" + string(got) + "}")) {
					t.Errorf("%v:%s %+v: not JSON: %s", typ, format, val, got)
				}
			}
		}
	}
}

// bounded is a socket address with a known length.
func bounded() value.Field {
	f := sockAddr("sockaddr")
	f.Bound = &value.Bound{}
	return f
}
