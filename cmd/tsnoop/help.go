package main

import (
	"fmt"
	"runtime/debug"
)

func runVersion(_ *options, ui *ui) error {
	fmt.Fprintf(ui.stdout, "tsnoop %s\n", version())
	return nil
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func runHelp(o *options, ui *ui) error {
	text := usage
	if len(o.args) > 0 {
		if o.args[0] != "spec" {
			return usagef("tsnoop help, tsnoop help spec", "there is no help on %q", o.args[0])
		}
		text = specHelp
	}
	_, err := fmt.Fprint(ui.stdout, text)
	return err
}

const usage = `Usage: tsnoop [trace] [FLAGS] SPEC...       show calls, live
       tsnoop SPEC... -- COMMAND [ARG...] run it, show its calls and its children's
       tsnoop info NAME...                prototype of a function, layout of a type:
                                          'tcp_*', 'struct sk_*', 'struct sock.sk_prot'
       tsnoop list [PATTERN]              functions that can be probed
       tsnoop record -o FILE SPEC...      write a trace.dat file instead of lines
       tsnoop record --recover FILE       make it of what a killed recorder has left
       tsnoop replay FILE [SPEC...]       show it, or what the specs choose of it
       tsnoop replay - SPEC...            show text of trace or trace_pipe, as pasted from
                                          where --emit's lines for these specs were run
       tsnoop check                       what this machine offers and lacks
       tsnoop clean                       remove what dead runs left behind
       tsnoop help spec                   the language of specs

A SPEC is a kernel function with what to show of it: 'ip_rcv(skb->len) if skb->len > 100'.

What is traced:
  -p, --pid LIST          only these processes: all their threads, new ones too
  -f, --follow            and their children, those they have and those to come
      --comm GLOB         only tasks with such a name, at most 15 characters: 'nginx*'
      --cpu LIST          only what happens on these CPUs: 0,2-3
      --wait-module       functions of modules that are not loaded, from when they come
  -n, --count N           end after N calls
  -d, --duration DUR      end after this time: 10s, 500ms, 2m

What is shown:
  -s, --chain             only calls in which the first function has led to the
                          second, that to the third and so on: when the last is
                          reached, and as they end
      --tree              calls as they begin and end, indented
  -k, --kstack            the kernel's stack under each line
      --deep              what pointers to structs point to, of all that is shown
      --zeros             of structs the members that are zero, too
      --types             their C types
      --compact           a struct on one line
      --summary[=only]    at the end a table: calls, errors, durations, histograms;
                          only: no lines. SIGUSR1 prints one so far
  -i, --interval DUR      with --summary: one every so often, too
  -t, --time MODE         rel (default), delta, clock, boot or none
      --json              one JSON object a line
  -o, --output FILE       write there instead of to stdout; the file of record
      --compress          with record: version 7 of trace.dat, with zstd
      --color[=WHEN]      auto (default), always or never
  -v, --verbose           also every write to tracefs, and where callers call

Instead of tracing:
      --emit[=FORM]       print the definitions: tracefs (default), shell or boot
      --explain           print how each value is fetched
      --btf FILE          types of another kernel; once more for each module; in a
                          trace, types of this one that it does not show itself
      --arch ARCH         of another machine: amd64 or arm64
      --kernel X.Y        of another version

The machine:
  -b, --buffer SIZE       buffer of each CPU: 512K, 4M
  -P, --pages N           the same in pages of 4 KiB
      --maxactive N       calls of a function that can be followed at a time
      --reader=text       read trace_pipe instead of trace_pipe_raw
      --tracefs DIR       where tracefs is mounted
  -V, --version
  -h, --help

Exit status: 0 done, 1 the machine said no, 2 the command line or a spec is wrong;
with a COMMAND its own, or 128 and the signal that ended it.

Example:
  # tsnoop -n 1 'ip_rcv(skb->len, dev->name) if skb->len > 100'
  TIME        CPU COMM-TID           CALL
     0.000000   1 ping-102           __netif_receive_skb_one_core -> ip_rcv(skb->len=128, dev->name="lo")
`

const specHelp = `SPEC  = [MODULE ":"] FUNC [ "(" [ITEM {"," ITEM}] ")" ] [ "if" COND ]
ITEM  = [NAME "="] (EXPR | COND) [":" FORMAT] | ENTRY {"|" ENTRY}
EXPR  = PARAM | "return" | EXPR "->" MEMBER | EXPR "." MEMBER | EXPR "[" N "]"
      | "*" EXPR | "&" EXPR | "(" CTYPE ")" EXPR
      | "container_of(" EXPR "," CTYPE "," MEMBER ")"
      | "@" SYMBOL | "$comm" | "$argN" | "$stackN" | "%REG" | "(" EXPR ")"
COND  = LEFT ("==" | "!=" | "<" | "<=" | ">" | ">=" | "&" | "~") VALUE, or LEFT
        alone, which is LEFT != 0; joined by && || ! and parentheses
LEFT  = EXPR [":" FORMAT] | "(" EXPR [":" FORMAT] "&" MASK ")"
VALUE = 100, 0x64, -5, 'c', "text", NULL, true, ENOENT, an enum's constant, a
        macro of the user API (O_CREAT, AF_INET, SIGKILL), 10.0.0.1, 10.0.0.0/8,
        fe80::1, 52:54:00:12:34:56, or another EXPR

ENTRY = TYPE NAME {"+" N | "[" N "]"} | TYPE [NAME "="] (0xADDR | EXPR) | "NULL"
TYPE  = unsigned? (char | short | int | long | size_t | u8 ... x64 | symbol | string) ["[" N "]"]

FUNC                shows every parameter, and what the function returns
FUNC()              shows only that it is called
tcp_*(sk)           every function of such a name that has a parameter sk
ext4:ext4_*         of a module; without one, the kernel's and all modules'
mod:f(((struct sk_buff *)$arg1)->len, (int)return)   where there is no BTF of it
sys_openat(flags)   a system call, as programs know it; also openat, where no function
                    has that name, and syscall:openat; 'sys_*' stands for all
f(skb->len)         shows this; . and -> both mean "go into"
f(skb->len > 100)   only those calls, and shows the value
f() if skb->len > 100   only those calls, without showing it
f(x, return < 0)    shows x when the function has returned an error
f((u32)@nr_cpu_ids, @linux_banner:s)   variables of the kernel need a type
f(pt->func == @ip_rcv)  a function of that name, and &@VARIABLE, is the address
f(dev->name ~ "eth[^0]*")   text has ==, != and ~ for globs: * ? [a-z] [^a-z]
f(s:ustring == "/tmp", p:port == 80)   a FORMAT says what is compared
f(x & 4, (x & 0xf0) != 0x30)   & tests whether one of some bits is set, or masks
f(!name || name == "")   of a pointer to text, NULL and 0 are the address
f(n=skb->len) if n > 100   what has got a name is known by it

An ENTRY is one of function based events: the first is about the first parameter,
whatever it is called here, and each comma goes on to the next. NULL skips one, |
takes another value of the same. +N adds bytes, [N] reads element N of what is
pointed to. Arrays and strings lie where that leads. Addresses take no place.

FORMAT: x d u o      number in hexadecimal, signed, unsigned, octal
        c s us       character; string in the kernel's, in user memory
        sym errno time hex     symbol, error name, ns as time, bytes; errno names
                               what is returned only if it is negative
        mac ip4 ip6 port be16 be32     network addresses and byte order
        u8 u16 u32 u64 s8 ... x64 char string ustring symbol   as the kernel has them
Without one the C type decides. Those of numbers go for each element of an array or
struct. Of 64 elements, or bytes with hex, what follows is cut and its length shown.

Memory of the calling program is read like the kernel's, where it is there:
(fault: buf=0x7f8895afa000 not in memory) is a page that was not. If the return is
asked for, too, Linux 6.9 and later look again there: filename="x" (at return).

A system call made by a 32-bit program is compat_sys_openat. It is traced with the
other, but for globs: 'compat_sys_*'.

Examples:
  openat(filename, flags) if return < 0
  do_sys_openat2(filename:ustring, return)
  ksys_write(fd, count, *(u32 *)buf:x) if buf[0] == 'G'
  vfs_read(file->f_inode->i_sb->s_type->name, count) if count >= 4096
  ip_rcv(skb->len, dev->name, dev->perm_addr:mac)
  do_sys_openat2(NULL, string file) if file ~ "/etc/*"
  ip_rcv(x64 skb | int skb[28], x8[6] perm_addr+815, symbol func+24[0])
  tcp_sendmsg(((struct tcp_sock *)sk)->snd_cwnd, size)
`
