#!/usr/bin/env python3
"""shrink.py IN OUT ZLIB: IN is a little-endian version 6 trace.dat with one buffer.

OUT is the same with the last 14 pages of CPU 0 and the first 6 of CPU 1, and with 300
lines of kallsyms, around those of the probe. ZLIB is OUT
as version 7, compressed with zlib, which Debian's trace-cmd is built without.
"""
import struct, sys, zlib

data = open(sys.argv[1], "rb").read()
pos = 0


def take(n):
    global pos
    pos += n
    return data[pos - n : pos]


def sized(fmt):
    head = take(struct.calcsize(fmt))
    return head, take(struct.unpack(fmt, head)[0])


def formats():
    count = take(4)
    return count + b"".join(b"".join(sized("<Q")) for _ in range(*struct.unpack("<I", count)))


start = take(18)
assert start[:12] == b"\x17\x08\x44tracing6\0"
headers = take(12) + b"".join(sized("<Q")) + take(13) + b"".join(sized("<Q"))
ftrace = formats()
events = take(4)
for _ in range(*struct.unpack("<I", events)):
    events += take(data.index(b"\0", pos) + 1 - pos) + formats()
lines = sized("<I")[1].splitlines(True)
at = next(i for i, line in enumerate(lines) if line.endswith(b" ksys_lseek\n"))
near = max(range(len(lines)), key=lambda i: lines[i][:16] * (lines[i] <= b"ffffffffb4c8f027~"))
text = b"".join(lines[at - 100 : at + 100] + lines[near - 50 : near + 50])
kallsyms = struct.pack("<I", len(text)) + text
printk = b"".join(sized("<I"))
cmdlines = b"".join(sized("<Q"))
cpus = struct.unpack("<I", take(4))[0]
assert take(10) == b"options  \0"
options = data[pos : data.index(b"\0\0flyrecord\0", pos)]
pos += len(options) + 2 + 10
cpu = [data[off : off + size] for off, size in (struct.unpack("<QQ", take(16)) for _ in range(cpus))]
cpu = [cpu[0][-14 * 4096 :], cpu[1][: 6 * 4096]]
clock = b"".join(sized("<Q"))
align = lambda n: -n % 4096


def version6():
    head = start + headers + ftrace + events + kallsyms + printk + cmdlines
    head += struct.pack("<I", cpus) + b"options  \0" + options + b"\0\0flyrecord\0"
    off = len(head) + 16 * cpus + len(clock)
    off += align(off)
    for pages in cpu:
        head += struct.pack("<QQ", off, len(pages))
        off += len(pages)
    head += clock
    return head + bytes(align(len(head))) + b"".join(cpu)


def section(ident, body):
    return struct.pack("<HHIQ", ident, 1, 0, len(body)) + body


def packed(body):
    small = zlib.compress(body)
    return struct.pack("<II", len(small), len(body)) + small


def option(ident, body):
    return struct.pack("<HI", ident, len(body)) + body


def version7():
    out = start.replace(b"tracing6", b"tracing7") + b"zlib\0" + b"1.2.13\0"
    first = len(out)
    out += bytes(8)
    opts = b""
    for ident, body in (16, headers), (17, ftrace), (18, events), (19, kallsyms), (20, printk), (21, cmdlines):
        opts += option(ident, struct.pack("<Q", len(out)))
        out += section(ident, packed(body))
    at = len(out)
    table, pages = b"", b""
    for ident, body in enumerate(cpu):
        pages += bytes(align(at + 16 + len(pages)))
        off = at + 16 + len(pages)
        chunks = [packed(body[i : i + 40960]) for i in range(0, len(body), 40960)]
        table += struct.pack("<IQQ", ident, off, sum(map(len, chunks)))
        pages += struct.pack("<I", len(chunks)) + b"".join(chunks)
    out += section(3, pages)
    buffer = struct.pack("<Q", at) + b"\0local\0" + struct.pack("<II", 4096, cpus) + table
    opts += options + option(3, buffer) + option(0, bytes(8))
    out = out[:first] + struct.pack("<Q", len(out)) + out[first + 8 :]
    return out + section(0, packed(opts))


open(sys.argv[2], "wb").write(version6())
open(sys.argv[3], "wb").write(version7())
