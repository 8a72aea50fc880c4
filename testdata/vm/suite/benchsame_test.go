//go:build vm

package suite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// A samePeer prints whole structs, as ksnoop and bpftrace do where they work.
type samePeer struct {
	name     string
	function string   // that the peer and tsnoop probe
	args     []string // of the peer
	spec     string   // tsnoop's
	leaves   func(printed []byte) []leaf
}

// All are calls that ifconfig makes, whose first one is meant. bpftrace 0.17 was seen to
// show nothing for structs with unions.
var samePeers = []samePeer{
	{"ksnoop net_device", "dev_get_flags", []string{"ksnoop", "-P", "4096", "dev_get_flags(dev)"}, "dev_get_flags(*dev)", ksnoopLeaves},
	{"ksnoop net", "dev_ioctl", []string{"ksnoop", "-P", "4096", "dev_ioctl(net)"}, "dev_ioctl(*net)", ksnoopLeaves},
	{"ksnoop socket", "inet_ioctl", []string{"ksnoop", "-P", "4096", "inet_ioctl(sock)"}, "inet_ioctl(*sock)", ksnoopLeaves},
	{"bpftrace path", "vfs_open", bpftraceOf("vfs_open", "*(struct path *)arg0"), "vfs_open(*path)", bpftraceLeaves},
	{"bpftrace name", "vfs_open", bpftraceOf("vfs_open", "((struct path *)arg0)->dentry->d_name"), "vfs_open(path->dentry->d_name)", bpftraceLeaves},
}

func bpftraceOf(function, what string) []string {
	return []string{"bpftrace", "-e", fmt.Sprintf("kprobe:%s /comm == \"ifconfig\"/ { print(%s) }", function, what)}
}

// A leaf is a number, text or name that a peer prints of a struct, and its place:
// members' names joined by dots, those without a name left out.
type leaf struct{ path, value string }

// TestBenchSameDump compares what ksnoop and bpftrace show of an object with what
// tsnoop shows of it at the same call: each member that the peer prints must be there
// with the same value.
func TestBenchSameDump(t *testing.T) {
	symbols := openMemory(t)
	for _, peer := range samePeers {
		t.Run(peer.name, func(t *testing.T) {
			printed, ours := peer.printed(t)
			leaves := peer.leaves(printed)
			if len(leaves) == 0 {
				t.Skipf("it shows no member:\n%.1000s", printed)
			}
			same := 0
			for _, l := range leaves {
				value, path := under(ours, l.path)
				if !sameValue(symbols, l, value, path) {
					t.Errorf("%s is %s, for tsnoop %s is %v", l.path, l.value, path, value)
				} else {
					same++
				}
			}
			fmt.Printf("%-18s %d members, %d the same\n", peer.name, len(leaves), same)
		})
	}
}

// printed is what the peer prints of a call, and tsnoop's dump of the same.
func (p samePeer) printed(t *testing.T) (printed []byte, ours any) {
	t.Helper()
	if _, err := exec.LookPath(p.args[0]); err != nil {
		t.Skipf("%s is not in this virtual machine", p.args[0])
	}
	_, out, end := startTool(t, p.args, p.function)
	tr := startTrace(t, "--json", "--zeros", "--comm", "ifconfig", "-n", "1", p.spec)
	if said, err := exec.Command("ifconfig", "lo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if err := <-tr.done; err != nil {
		t.Fatalf("%v\n%s", err, tr.said())
	}
	end()
	printed, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	var line []byte
	tr.lines(func(l []byte) { line = bytes.Clone(l) })
	var call struct{ Args []struct{ Value any } }
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&call); err != nil || len(call.Args) != 1 {
		t.Fatalf("%v: %s", err, line)
	}
	return printed, call.Args[0].Value
}

// The lines of which ksnoop makes a tree.
var (
	ksnoopOpens  = regexp.MustCompile(`^(?:\.(\w+) = )?\(.*\)[{[]$`)
	ksnoopCloses = regexp.MustCompile(`^[}\]],?$`)
	ksnoopMember = regexp.MustCompile(`^\.(\w+) = \((?:[^()]|\([^()]*\))*\)(.+?),?$`)
	ksnoopChar   = regexp.MustCompile(`^'(.)',$`)
)

// ksnoopLeaves are those of the first struct that ksnoop prints. Only arrays of text are
// taken: it leaves out elements that are zero, without saying which.
func ksnoopLeaves(printed []byte) (leaves []leaf) {
	var in []string
	path := func(name string) string {
		return strings.Join(slices.DeleteFunc(append(slices.Clone(in), name), func(s string) bool { return s == "" }), ".")
	}
	text := ""
	for line := range strings.Lines(string(printed)) {
		line = strings.TrimSpace(line)
		if m := ksnoopOpens.FindStringSubmatch(line); m != nil {
			in, text = append(in, m[1]), ""
		} else if len(in) == 0 {
			continue
		} else if m := ksnoopChar.FindStringSubmatch(line); m != nil {
			text += m[1]
		} else if m := ksnoopMember.FindStringSubmatch(line); m != nil {
			leaves = append(leaves, leaf{path(m[1]), m[2]})
		} else if ksnoopCloses.MatchString(line) {
			if text != "" {
				leaves = append(leaves, leaf{path(""), text})
			}
			if in, text = in[:len(in)-1], ""; len(in) == 0 {
				return leaves
			}
		} else if strings.HasPrefix(line, "...") {
			return leaves
		}
	}
	return leaves
}

var bpftraceMember = regexp.MustCompile(`\.(\w+) = (\{|[^,{}]*)|(\})`)

// bpftraceLeaves are those of the first struct that bpftrace prints.
func bpftraceLeaves(printed []byte) (leaves []leaf) {
	var in []string
	_, first, _ := strings.Cut(string(printed), "\n{")
	first, _, _ = strings.Cut(first, "\n")
	for _, m := range bpftraceMember.FindAllStringSubmatch(first, -1) {
		switch {
		case m[2] == "{":
			in = append(in, m[1])
		case m[3] != "":
			if len(in) == 0 {
				return leaves
			}
			in = in[:len(in)-1]
		default:
			leaves = append(leaves, leaf{strings.Join(append(slices.Clone(in), m[1]), "."), strings.TrimSpace(m[2])})
		}
	}
	return leaves
}

// under is what is at the path, or the value on the way to it that has no members: an
// atomic_t is a number, an empty list an empty array.
func under(value any, path string) (any, string) {
	var gone []string
	for _, name := range strings.Split(path, ".") {
		members, ok := value.(map[string]any)
		if !ok {
			break
		}
		value = members[name]
		gone = append(gone, name)
	}
	return value, strings.Join(gone, ".")
}

// sameValue says whether a peer's value is ours: numbers by what they are, flags and
// functions by what their names stand for.
func sameValue(m *memory, l leaf, ours any, path string) bool {
	switch v := ours.(type) {
	case json.Number:
		return sameNumber(l.value, v.String())
	case map[string]any: // a number with its text
		return sameValue(m, l, v["value"], path)
	case bool:
		return sameNumber(l.value, strconv.Itoa(map[bool]int{true: 1}[v]))
	case []any:
		// A list without elements points to itself: no other number can tell.
		return len(v) == 0 && (path != l.path) && strings.HasPrefix(l.value, "0x")
	case string:
		number, _, _ := strings.Cut(v, " ")
		if v == l.value || sameNumber(l.value, number) {
			return true
		}
		if addr, ok := m.symbols.Addr(v); ok {
			return sameNumber(l.value, fmt.Sprintf("%#x", addr))
		}
		return sameFlags(l.value, v)
	}
	return false
}

// sameNumber says whether both are the same 64 bits.
func sameNumber(a, b string) bool {
	x, ok := bits64(a)
	y, too := bits64(b)
	return ok && too && x == y
}

func bits64(s string) (uint64, bool) {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return uint64(n), true
	}
	n, err := strconv.ParseUint(s, 0, 64)
	return n, err == nil
}

// sameFlags says whether a number is what flags by name come to.
func sameFlags(number, names string) bool {
	var sum uint64
	for _, name := range strings.Split(names, "|") {
		if n, ok := bits64(name); ok {
			sum |= n
		} else if n, ok := constants.For("amd64").Value(name); ok {
			sum |= uint64(n)
		} else {
			return false
		}
	}
	return sameNumber(number, fmt.Sprintf("%#x", sum))
}
