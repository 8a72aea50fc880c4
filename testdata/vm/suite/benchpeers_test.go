//go:build vm

package suite

import (
	"cmp"
	"fmt"
	"net/netip"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// presetPeers are the tools of Debian's bpftrace and libbpf-tools that can be compared. Not
// here are biosnoop, biolatency and their like, which trace functions that kernels since 6.1
// do not let them, or only draw histograms; statsnoop of libbpf-tools, which shows nothing;
// and fsslower, for want of such a file system.
var presetPeers = []presetPeer{
	{"opensnoop.bt", "@opens", regexp.MustCompile(`^(\d+) +\S+ +(-?\d+) +(\d+) (.*)$`), func(c presetCall) []any {
		fd, errno := c.result()
		return []any{fd, errno, c.arg(0)}
	}, nil, false, false, nil},
	{"execsnoop.bt", "@exec", regexp.MustCompile(`^\d+ +(\d+) +(\S+)`), func(c presetCall) []any {
		return []any{c.arg(0)}
	}, nil, false, false, nil},
	{"killsnoop.bt", "@signals", regexp.MustCompile(`^\S+ +(\d+) +\S+ +(\d+) +(\d+) +(-?\d+)`), func(c presetCall) []any {
		return []any{c.arg(1), c.arg(0), c.Ret.Value}
	}, nil, false, false, nil},
	// The preset also shows the file of an fsync, in a line of its own.
	{"syncsnoop.bt", "@fsync", regexp.MustCompile(`^\S+ +(\d+) +\S+ +tracepoint:syscalls:sys_enter_(\w+)`), func(c presetCall) []any {
		_, call, ok := strings.Cut(c.Func, "sys_")
		if !ok {
			return nil
		}
		return []any{call}
	}, nil, false, false, nil},
	{"capable.bt", "@cap", regexp.MustCompile(`^\S+ +(\d+) +(\d+) +\S+ +(\d+)`), func(c presetCall) []any {
		return []any{c.arg(1), c.arg(0)}
	}, func(row []string) []string { return []string{row[1], row[0], row[2]} }, false, false, nil},
	{"tcpconnect.bt", "@tcpconnect", regexp.MustCompile(`^\S+ (\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+)`), func(c presetCall) []any {
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3)}
	}, nil, false, false, nil},
	{"tcpaccept.bt", "@tcpaccept", regexp.MustCompile(`^\S+ (\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+)`), func(c presetCall) []any {
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3)}
	}, nil, false, false, nil},
	// tsnoop also shows whether a connection was made before the trace.
	{"tcplife.bt", "@tcplife", regexp.MustCompile(`^(\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+) +(\d+) +(\d+) +(\d+)$`), func(c presetCall) []any {
		lasted, err := countOf(c.arg(6))
		sent, _ := countOf(c.arg(4))
		received, _ := countOf(c.arg(5))
		if err != nil {
			return nil
		}
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3), sent >> 10, received >> 10, lasted / 1e6}
	}, nil, true, true, nil},
	{"statsnoop.bt", "@stat", regexp.MustCompile(`^(\d+) +\S+ +(\d+) (.*)$`), statOf, nil, false, false, presetStats},
	{"oomkill.bt", "@oom", oomRow, oomOf, nil, true, false, presetVictim},
	{"tcpretrans.bt", "@tcpretrans", regexp.MustCompile(`^\S+ (\d+) +([0-9.]+):(\d+) +([0-9.]+):(\d+) +(\S+)`), func(c presetCall) []any {
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3), stateOf(c.text(4))}
	}, nil, true, false, presetUnheard},
	// The tool shows no reason, and only what has a socket; the preset shows no addresses.
	{"tcpdrop.bt", "@tcpdrop", regexp.MustCompile(`^\S+ (\d+) +.* 10\.99\.0\.9:(7773) `), func(c presetCall) []any {
		if len(c.Args) != 4 || c.text(3) != "dummy0" || c.text(2) != "ETH_P_IP" {
			return nil
		}
		return []any{7773}
	}, nil, true, false, presetUnheard},
	// Those of libbpf-tools. Which process it was is not compared for a side that closes
	// first without having called: the tool then has whoever runs.
	{"tcplife", "@tcplife", regexp.MustCompile(`^(\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+) +([0-9.]+) +([0-9.]+) `), func(c presetCall) []any {
		who, _ := c.arg(7).(map[string]any)
		if _, err := countOf(c.arg(6)); err != nil || who == nil {
			return nil
		}
		return []any{knownBy(c.text(1), fmt.Sprint(who["tid"])), c.arg(0), c.arg(1), c.arg(2), c.arg(3), kib(c.arg(4)), kib(c.arg(5))}
	}, func(row []string) []string {
		return append([]string{row[0], knownBy(row[2], row[0])}, row[1:]...)
	}, true, false, nil},
	{"tcpstates", "@tcpstates", regexp.MustCompile(`^[0-9a-f]+ (\d+) +\S+ +(\S+) +(\d+) +(\S+) +(\d+) +(\S+) +-> (\S+)`), func(c presetCall) []any {
		if c.text(1) != "5555" && c.text(3) != "5555" {
			return nil
		}
		return []any{c.arg(0), c.arg(1), c.arg(2), c.arg(3), stateOf(c.text(4)), stateOf(c.text(5))}
	}, func(row []string) []string {
		if row[2] != "5555" && row[4] != "5555" {
			return nil
		}
		return row
	}, true, false, nil},
	{"bindsnoop", "@bind", regexp.MustCompile(`^(\d+) +\S+ +(-?\d+) +(\S+) +\S+ +(\d+) +(\d+) +(\S+)`), func(c presetCall) []any {
		at, err := netip.ParseAddrPort(c.text(0))
		if err != nil {
			return []any{c.text(0)}
		}
		return []any{c.Ret.Value, strings.TrimPrefix(c.text(1), "IPPROTO_"), c.arg(2), at.Port(), at.Addr()}
	}, nil, false, false, nil},
	{"mountsnoop", "@mounts", regexp.MustCompile(`^\S+ +(\d+) +\d+ +\d+ +(u?mount)\((.*)\) = (\S+)`), mountOf, mountWords, false, false, presetMounts},
	{"exitsnoop", "@exits", regexp.MustCompile(`^\S+ +(\d+) +(\d+) +\d+ +[0-9.]+ +(?:code |signal )?(\d+)`), func(c presetCall) []any {
		end := c.arg(0)
		if signal := fmt.Sprint(c.arg(1)); signal != "0" {
			end = signal
		}
		return []any{c.arg(2), end}
	}, nil, false, false, presetEnds},
	{"oomkill", "@oom", oomRow, oomOf, nil, true, false, presetVictim},
	// Only of files that were made meanwhile, and on a kernel whose vfs_create it knows.
	{"filelife", "@unlink", regexp.MustCompile(`^\S+ +(\d+) +\S+ +[0-9.]+ +(\S+)$`), func(c presetCall) []any {
		if c.Func != "vfs_unlink" {
			return nil
		}
		return []any{filepath.Base(c.text(0))}
	}, nil, false, false, presetShortLived},
}

// oomRow is of either oomkill: who wanted memory, the victim, and how much there is.
var oomRow = regexp.MustCompile(`^\S+ Triggered by PID (\d+) \(.*\), OOM kill of PID (\d+) \("(.*)"\), (\d+) pages`)

func oomOf(c presetCall) []any { return []any{c.arg(1), c.arg(0), c.arg(2)} }

// statOf is a call of stat or statfs: its error and its file.
func statOf(c presetCall) []any {
	_, errno := c.result()
	return []any{errno, c.arg(0)}
}

// stateOf is the name of a state as the tools have it.
func stateOf(name string) string { return strings.TrimPrefix(name, "TCP_") }

// kib is a number of bytes as the tools have it.
func kib(bytes any) string {
	n, _ := countOf(bytes)
	return strconv.FormatFloat(float64(n)/1024, 'f', 2, 64)
}

// knownBy is the process of the side of a connection that made it. It is not compared for
// the other side, of which the tool may not know it.
func knownBy(port, pid string) string {
	if port == "5555" {
		return anybody
	}
	return pid
}

// mountOf is a call of mount or umount: where, what, and what came of it.
func mountOf(c presetCall) []any {
	if strings.HasSuffix(c.Func, "umount") {
		return []any{"umount", filepath.Base(c.text(0)), c.text(1), c.Ret.Value}
	}
	fd, errno := c.result()
	n, _ := strconv.Atoi(errno)
	return []any{"mount", c.arg(0), filepath.Base(c.text(1)), c.arg(2), c.text(3), cmp.Or(unix.ErrnoName(unix.Errno(n)), fd)}
}

// mountWords is the same of a row.
func mountWords(row []string) []string {
	args := strings.Split(row[2], ", ")
	for i := range args {
		args[i] = strings.Trim(args[i], `"`)
	}
	if row[1] == "umount" {
		return []string{row[0], row[1], filepath.Base(args[0]), strings.TrimPrefix(args[1], "0x"), row[3]}
	}
	return []string{row[0], row[1], args[0], filepath.Base(args[1]), args[2], strings.ReplaceAll(args[3], " ", ""), strings.TrimPrefix(row[3], "-")}
}
