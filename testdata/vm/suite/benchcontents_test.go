//go:build vm

package suite

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
)

// onlyStrace is what strace shows of memory and tsnoop does not, in the form "call(parameter)"
// or "(parameter)". A recording has the address.
var onlyStrace = map[string]string{
	"execve(envp)":    "the environment may contain secrets, and takes an event of its own",
	"futex(utime)":    "some operations pass a number there",
	"(optval)":        "its type depends on the option",
	"(optlen)":        "a number that the call changes",
	"(upeer_addrlen)": "the same",
	"(usockaddr_len)": "the same",
	"(addr_len)":      "the same",
	"(stat_addr)":     "a status, which wait4 returns in parts",
	"(nset)":          "a set, whose members strace names",
	"(oset)":          "a set",
	"(user_mask_ptr)": "a set",
	"(msg)":           "it leads to addresses, data and their lengths",
	"(arg)":           "its type depends on the command",
	"(dirent)":        "records of several lengths",
	"(ufds)":          "strace also shows what poll has stored",
	"(grouplist)":     "nothing is stored if the size is 0, though there is a result",
	"prctl(arg2)":     "text only for some options",
	"prctl(arg5)":     "the option does not use it",
}

// isOnlyStraces reports whether a place is in onlyStrace, or is a set of signals in a struct
// that is shown.
func isOnlyStraces(place string) bool {
	call, param, _ := strings.Cut(place, "(")
	return onlyStrace[place] != "" || onlyStrace["("+param] != "" || call == "rt_sigaction" && strings.HasSuffix(param, ").sa_mask")
}

// TestBenchContents traces programs with strace and tsnoop at the same time. Both show the
// same calls, with the same numbers, structs, data and text.
func TestBenchContents(t *testing.T) {
	const script = `cd $0; echo hello >f; ln -s f l; mkdir d; stat f l d; readlink l; touch -d 2020-01-01 f; mv f g; chmod 600 g; ` +
		`date; uname -a; id; ls -la; df; ip addr; sleep 0.01; cat g l; wc g; kill -0 1; echo "0123456789 0123456789 0123456789 0123456789"`
	for _, program := range [][]string{
		{"load", "contents"}, {"load", "sockets"}, {"load", "words"}, {"load", "udp", "1", "7"}, {"sh", "-c", script, t.TempDir()},
	} {
		dir := t.TempDir()
		own, peer := filepath.Join(dir, "tsnoop"), filepath.Join(dir, "strace")
		args := append([]string{"-b", "16M", "--json", "-o", own, "sys_*", "--", "strace", "-f", "-v", "-s", "32", "-X", "raw", "-o", peer}, program...)
		if out, err := exec.Command("tsnoop", args...).CombinedOutput(); len(out) > 0 {
			t.Logf("%q: %v\n%s", program, err, out)
		}
		lines, err := os.ReadFile(own)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(peer)
		if err != nil {
			t.Fatal(err)
		}
		c := contentsCompared{left: map[string]int{}}
		c.compare(lines, string(text))
		fmt.Printf("%-20.20s %5d calls, %6d values are equal, %d differ\n", strings.Join(program, " "), c.calls, c.equal, len(c.differ))
		for _, key := range slices.Sorted(maps.Keys(c.left)) {
			fmt.Printf("    %4d times strace alone shows %s\n", c.left[key], key)
			if !isOnlyStraces(key) {
				t.Errorf("strace alone shows %s", key)
			}
		}
		for _, d := range c.differ[:min(len(c.differ), 50)] {
			t.Error(d)
		}
		if c.calls == 0 {
			t.Error("no calls are compared")
		}
	}
}

// contentsCompared is what comes of the comparison of two traces of a program.
type contentsCompared struct {
	calls, equal int
	differ       []string
	left         map[string]int // by call and parameter: values that only strace shows
}

// A shownCall is a line of tsnoop --json.
type shownCall struct {
	TID     int
	Func    string
	Args    []shownArg
	Ret     shownArg
	RetArgs []shownArg `json:"ret_args"`
}

type shownArg struct {
	Name  string
	Value any
	Bytes string
	Size  int
	Doubt string
}

func (c *contentsCompared) compare(lines []byte, text string) {
	shown := map[int][]shownCall{}
	for line := range bytes.Lines(lines) {
		var call shownCall
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&call); err == nil && call.Func != "" {
			call.Func = strings.TrimPrefix(call.Func, "sys_")
			shown[call.TID] = append(shown[call.TID], call)
		}
	}
	for tid, theirs := range straceCalls(text) {
		ours := shown[tid]
		if theirs[0].name == "execve" { // before it, the task is strace
			ours = ours[max(0, slices.IndexFunc(ours, func(s shownCall) bool { return s.Func == "execve" })):]
		}
		for i, call := range theirs {
			if i == len(ours) && call.ret == "?" {
				break // strace held the task before this call, and it was killed there
			}
			if i >= len(ours) || stracesName(ours[i].Func) != call.name {
				c.differ = append(c.differ, fmt.Sprintf("call %d of task %d is %s, and tsnoop has %d calls: %+v", i, tid, call.name, len(ours), ours[min(i, len(ours)):min(i+1, len(ours))]))
				break
			}
			c.call(&call, &ours[i])
		}
	}
}

// stracesName returns the name that strace has for a system call.
func stracesName(name string) string {
	switch name {
	case "newuname", "newstat", "newfstat", "newlstat":
		return strings.TrimPrefix(name, "new")
	case "sendfile64":
		return "sendfile"
	case "umount":
		return "umount2"
	}
	return name
}

func (c *contentsCompared) call(theirs *straced, ours *shownCall) {
	c.calls++
	proto, _ := syscalls.Of(ours.Func, runtime.GOARCH)
	for i, arg := range theirs.args[:min(len(theirs.args), len(proto.Params))] {
		name := proto.Params[i].Name
		at := slices.IndexFunc(ours.Args, func(a shownArg) bool { return a.Name == name })
		a := (*shownArg)(nil)
		if at >= 0 {
			a = &ours.Args[at]
		} else if at = slices.IndexFunc(ours.RetArgs, func(a shownArg) bool { return a.Name == name }); at >= 0 {
			a = &ours.RetArgs[at]
		}
		c.value(ours.Func+"("+name+")", arg, a, fmt.Sprintf("%+v\n%+v", *theirs, *ours))
	}
}

// value compares a value of strace's with one of tsnoop's.
func (c *contentsCompared) value(place string, theirs any, ours *shownArg, call string) {
	if _, is := theirs.(opaque); is {
		return
	}
	number, isNumber := theirs.(uint64)
	switch {
	case ours == nil || ours.Value == nil && ours.Bytes == "":
		if !isNumber { // an address is what strace shows of memory that cannot be read, or was not stored
			c.left[place]++
		}
		return
	case isNumber:
		if n, ok := shownNumber(ours.Value); ok {
			c.same(place, n == number || uint32(n) == uint32(number) && (n>>32 == 0 || number>>32 == 0), call)
		}
		return
	}
	c.content(place, theirs, ours, call)
}

func (c *contentsCompared) content(place string, theirs any, ours *shownArg, call string) {
	switch theirs := theirs.(type) {
	case cutText:
		text, is := ours.Value.(string)
		if ours.Bytes != "" {
			b, _ := hex.DecodeString(ours.Bytes)
			text, is = string(b), true
		}
		switch {
		case !is || strings.HasPrefix(text, "0x") && !strings.HasPrefix(theirs.text, "0x"):
			c.left[place]++
		case theirs.cut:
			c.same(place, strings.HasPrefix(text, theirs.text), call)
		default:
			c.same(place, text == theirs.text, call)
		}
	case []any:
		list, is := ours.Value.([]any)
		if !is {
			c.left[place]++
			return
		}
		for i := range min(len(list), len(theirs)) {
			c.value(place, theirs[i], &shownArg{Value: list[i]}, call)
		}
		c.same(place, len(list) == len(theirs) || len(list) < len(theirs) && (ours.Size > 0 || ours.Doubt != ""), call)
	case map[string]any:
		if theirs["sa_family"] != nil {
			c.address(place, theirs, ours, call)
			return
		}
		members, is := ours.Value.(map[string]any)
		if whole, union := theirs["u64"]; union && !is { // epoll_data, which the kernel has as a number
			c.value(place, whole, ours, call)
			return
		}
		if !is {
			c.left[place]++
			return
		}
		for name, value := range theirs {
			member, there := members[name]
			if n, is := value.(uint64); is && n == 0 && !there {
				c.equal++ // zero is left out
				continue
			}
			c.value(place+"."+name, value, &shownArg{Value: member}, call)
		}
	}
}

// address compares a socket address, which tsnoop shows as text.
func (c *contentsCompared) address(place string, theirs map[string]any, ours *shownArg, call string) {
	text := fmt.Sprint(ours.Value)
	if path, ok := theirs["sun_path"].(cutText); ok {
		_, quoted, _ := strings.Cut(text, ":")
		quoted, abstract := strings.CutPrefix(quoted, "@")
		name, err := strconv.Unquote(quoted)
		if abstract {
			name = "\x00" + name
		}
		c.same(place, err == nil && name == path.text, call)
		return
	}
	port, isPort := theirs["sin_port"].(cutText)
	addr, isAddr := theirs["sin_addr"].(cutText)
	if isPort && isAddr && len(port.text) == 2 && len(addr.text) == 4 {
		a := addr.text
		c.same(place, strings.Contains(text, fmt.Sprintf("%d.%d.%d.%d:%d", a[0], a[1], a[2], a[3], int(port.text[0])<<8|int(port.text[1]))), call)
	}
}

func (c *contentsCompared) same(place string, same bool, call string) {
	if same {
		c.equal++
	} else {
		c.differ = append(c.differ, place+" differs:\n"+call)
	}
}

// shownNumber returns the number in a value of JSON.
func shownNumber(value any) (uint64, bool) {
	switch v := value.(type) {
	case json.Number:
		return straceNumber(v.String())
	case string:
		return straceNumber(v)
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case map[string]any:
		return shownNumber(v["value"])
	}
	return 0, false
}
