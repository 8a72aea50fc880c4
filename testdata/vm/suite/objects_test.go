//go:build vm

package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// quiet are objects that hardly change, with the types that /proc/kcore is read by.
var quiet = []struct{ expr, typ string }{
	{"*file", "file"},
	{"*file->f_inode", "inode"},
	{"*file->f_inode->i_sb", "super_block"},
	{"*((struct net *)&@init_net)->loopback_dev", "net_device"},
	{"*(struct task_struct *)&@init_task", "task_struct"},
}

// TestVMObjects compares what the program shows of quiet objects, as JSON, with what
// /proc/kcore holds, member by member. The file is one that this process holds and does
// nothing with meanwhile.
func TestVMObjects(t *testing.T) {
	raw := loadRawBTF(t)
	core := openKcore(t, "init_task")
	f, err := os.Open("/sys/kernel/uevent_seqnum") // whose llseek is generic_file_llseek
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	spec := "generic_file_llseek("
	for i, q := range quiet {
		spec += fmt.Sprintf("o%d=%s, ", i, q.expr)
	}
	tr := startTrace(t, "--json", "--zeros", "-p", strconv.Itoa(os.Getpid()), strings.TrimSuffix(spec, ", ")+")")
	for range 2 {
		if _, err := f.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
	}
	tr.end()
	var calls [][]objectJSON
	tr.lines(func(line []byte) {
		var c struct{ Args []objectJSON }
		d := json.NewDecoder(strings.NewReader(string(line)))
		d.UseNumber()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		calls = append(calls, c.Args)
	})
	if len(calls) != 2 || len(calls[1]) != len(quiet) {
		t.Fatalf("%d calls: %+v", len(calls), calls)
	}
	for i, q := range quiet {
		addr, err := strconv.ParseUint(strings.TrimPrefix(calls[1][i].Addr, "0x"), 16, 64)
		if q.typ == "task_struct" && addr != core.symbols["init_task"] {
			t.Errorf("%s is at %#x, want %#x", q.expr, addr, core.symbols["init_task"])
		}
		id := raw.byName[q.typ]
		if err != nil || len(id) != 1 {
			t.Errorf("%s is at %q, and there are %d types", q.expr, calls[1][i].Addr, len(id))
			continue
		}
		compare := func() *objectComparison {
			cmp := &objectComparison{core: core, raw: raw, counts: map[string]int{}, wrong: map[string]string{}}
			cmp.members(q.typ, id[0], addr, calls[1][i].Value, calls[0][i].Value)
			return cmp
		}
		cmp := compare()
		// The first task runs, whenever a CPU has nothing to do: some of it changes.
		for try := 0; try < 60 && len(cmp.wrong) > 0; try++ {
			stir(t, try)
			again := compare().wrong
			maps.DeleteFunc(cmp.wrong, func(path, text string) bool { return again[path] != text })
		}
		t.Logf("%s: %v, of which %d keep being wrong", q.expr, cmp.counts, len(cmp.wrong))
		for path, text := range cmp.wrong {
			t.Errorf("%s %s", path, text)
		}
		if n := cmp.counts["same"]; n < 20 || cmp.counts["changing"] > n/10+3 || cmp.counts["named"] > n/2 {
			t.Errorf("%s: too little could be compared", q.expr)
		}
	}
}

type objectJSON struct {
	Name  string
	Addr  string
	Value any
}

// counted are members that the scheduler counts up of a task that runs, such as the
// first, now and then: reading them again does not tell that they move.
var counted = map[string]bool{"stime": true, "utime": true, "wakee_flips": true, "wakee_flip_decay_ts": true, "last_wakee": true}

// An objectComparison counts the members of an object that are as they should be.
type objectComparison struct {
	core   *kcore
	raw    *rawBTF
	counts map[string]int
	wrong  map[string]string // by the path of the member
}

// members compares those of a struct at an address; before is what was shown earlier.
func (c *objectComparison) members(path string, id int, addr uint64, shown, before any) {
	object, ok := shown.(map[string]any)
	if !ok {
		c.fail(path, shown, "an object")
		return
	}
	earlier, _ := before.(map[string]any)
	for _, m := range c.raw.members(id) {
		value, there := object[m.name]
		switch {
		case held[m.name] || counted[m.name]:
			continue
		case !there && (c.raw.size(m.typ) == 0 || c.group(m, object) || m.name == "__f_path"): // f_path without const
			continue
		case !there:
			c.fail(path+"."+m.name, "missing", "a value")
			continue
		}
		c.member(path+"."+m.name, m, addr, value, earlier[m.name])
	}
}

// group reports whether all of a struct's members are shown beside it, as struct_group of
// include/linux/stddef.h has them twice.
func (c *objectComparison) group(m rawMember, object map[string]any) bool {
	for _, in := range c.raw.members(c.raw.strip(m.typ)) {
		if _, there := object[in.name]; !there {
			return false
		}
	}
	return m.width == 0
}

func (c *objectComparison) member(path string, m rawMember, addr uint64, shown, before any) {
	if m.width == 0 {
		c.value(path, c.raw.strip(m.typ), addr+uint64(m.bit/8), shown, before)
		return
	}
	e := expression{ends: bitField, hops: []int64{int64(m.bit / 8)}, bit: m.bit % 8, width: m.width, signed: c.raw.types[c.raw.strip(m.typ)].signed}
	j := e.judge(c.core, addr)
	if named, ok := shown.(map[string]any); ok {
		was, _ := before.(map[string]any)
		shown, before = named["value"], was["value"]
	}
	c.number(path, shown, before, j.num, 64, !j.fault)
}

var isAddress = regexp.MustCompile(`^0x[0-9a-f]+`)

func (c *objectComparison) value(path string, id int, addr uint64, shown, before any) {
	u := &c.raw.types[id]
	size := c.raw.size(id)
	switch v := shown.(type) {
	case map[string]any:
		if number, ok := v["value"]; ok && v["text"] != nil { // no struct in these objects has both
			was, _ := before.(map[string]any)
			c.value(path, id, addr, number, was["value"])
			return
		}
		c.members(path, id, addr, v, before)
	case []any:
		was, _ := before.([]any)
		if len(v) == 0 && size == 16 { // a list head that points to itself
			x, _ := c.core.word(addr, 8)
			c.same(path, "empty", before, fmt.Sprintf("a list from %#x to %#x", addr, x), x == addr)
			return
		}
		if u.kind != rawArray || len(v) > u.n {
			c.fail(path, shown, fmt.Sprintf("%d elements", u.n))
			return
		}
		elem := c.raw.strip(u.to)
		for i := range v {
			var w any
			if i < len(was) {
				w = was[i]
			}
			c.value(fmt.Sprintf("%s[%d]", path, i), elem, addr+uint64(i*c.raw.size(elem)), v[i], w)
		}
	case json.Number, bool:
		if size == 1 || size == 2 || size == 4 || size == 8 {
			x, ok := c.core.word(addr, size)
			c.number(path, shown, before, x, 8*size, ok)
			return
		}
		c.counts["named"]++
	case string:
		switch {
		case isAddress.MatchString(v) && size == 8:
			x, ok := c.core.word(addr, 8)
			c.number(path, isAddress.FindString(v), before, x, 64, ok)
		case u.kind == rawArray && c.raw.types[c.raw.strip(u.to)].char:
			text, _ := c.core.text(addr, u.n)
			c.same(path, v, before, text, v == text)
		case v == "(empty)" && size == 16:
			x, _ := c.core.word(addr, 8)
			c.same(path, v, before, fmt.Sprintf("a list from %#x to %#x", addr, x), x == addr)
		default:
			c.counts["named"]++
		}
	default:
		c.counts["named"]++
	}
}

// number compares what is shown of an integer with the bits of it.
func (c *objectComparison) number(path string, shown, before any, x uint64, bits int, ok bool) {
	text := fmt.Sprint(shown)
	switch text {
	case "true":
		text = "1"
	case "false":
		text = "0"
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		var i int64
		i, err = strconv.ParseInt(text, 0, 64)
		n = uint64(i)
	}
	if err != nil {
		c.counts["named"]++
		return
	}
	mask := ^uint64(0) >> (64 - bits)
	c.same(path, shown, before, fmt.Sprintf("%#x", x), ok && n&mask == x&mask)
}

func (c *objectComparison) same(path string, shown, before any, want string, ok bool) {
	switch {
	case ok:
		c.counts["same"]++
	case fmt.Sprint(shown) != fmt.Sprint(before):
		c.counts["changing"]++
	default:
		c.fail(path, shown, want)
	}
}

func (c *objectComparison) fail(path string, shown any, want string) {
	c.wrong[path] = fmt.Sprintf("is %v, want %s", shown, want)
	c.counts["wrong"]++
}

// stir makes the system do something: the first task runs on a CPU and then does not,
// and tasks come and go. Values that it changes are not constants.
func stir(t *testing.T, n int) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	one.Set(n % 2)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	defer unix.SchedSetaffinity(0, &all)
	time.Sleep(2 * time.Millisecond)
	if n > 0 {
		return
	}
	task := exec.Command("/bin/sleep", "600")
	if err := task.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { task.Process.Kill(); task.Wait() })
}
