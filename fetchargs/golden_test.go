package fetchargs_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/emit"
	"github.com/tsnoop/tsnoop/fetchargs/explain"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/render"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden resolves the specs of testdata/*.txtar and compares what becomes
// of each: the lines of --emit or --explain, or the picture of its errors.
//
// In the archive, "target" has lines of NAME VALUE: btf (a fixture), arch, kernel, counts,
// show (explain, proofs, info, records), live, symbol NAME COUNT, module NAME MODULE and
// clone NAME CLONE for the symbol table, place NAME ADDRESS ROOM KIND, cpus COUNT, only
// NUMBER, notrace NAME, function PROTOTYPE for all functions of a kernel that is not a
// fixture. "specs" has one spec a line.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := newGolden(t, section(archive, "target"))
			c.t = t
			var got bytes.Buffer
			for _, line := range strings.Split(strings.TrimRight(section(archive, "specs"), "\n"), "\n") {
				fmt.Fprintf(&got, "$ %s\n", line)
				c.write(&got, strings.ReplaceAll(line, `\t`, "\t"))
			}
			if *update {
				setSection(archive, "want", got.Bytes())
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(section(archive, "want"), got.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// targetLines are further lines of targets that other files of tests understand.
var targetLines = map[string]func(t testing.TB, to *target.Target, words []string){}

// A golden is the kernel that a golden file's specs are for.
type golden struct {
	t      *testing.T
	target *target.Target
	show   string     // explain, proofs, info or records; "" for lines
	calls  [][]string // to decide about
}

func newGolden(t testing.TB, config string) *golden {
	c := &golden{target: &target.Target{Arch: abi.Named("amd64")}}
	c.target.Features, _ = dynevent.FeaturesOf("6.12")
	fixture := "sample.btf"
	facts := map[string]target.SymbolFacts{}
	notrace := map[string]bool{}
	places := map[string]target.SymbolPlace{}
	var prototypes []string
	var further []func() // target lines of other files, which may need the kernel
	for _, line := range strings.Split(strings.TrimSpace(config), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		words = append(words, "", "")
		switch words[0] {
		case "btf":
			fixture = words[1]
		case "arch":
			c.target.Arch = abi.Named(words[1])
		case "kernel":
			c.target.Features, _ = dynevent.FeaturesOf(words[1])
		case "show":
			c.show = words[1]
		case "live":
			c.target.Live, c.target.Calls, c.target.Nonce = true, true, words[1]
		case "call": // NAME ARG=VALUE... duration=NS no-entry no-return
			c.calls = append(c.calls, words[1:len(words)-2])
		case "deep":
			c.target.Deep = true
		case "pair":
			c.target.Pair = true
		case "counts":
			c.target.FaultCount = &target.FaultCount{List: 16, Misses: 32, Addr: 40, Text: 0xffffffff81000000, UserEnd: 0x7ffffffff000}
		case "witness":
			c.target.Witness = func() *target.Witness { return &target.Witness{Misses: 32, Addr: 40, Flags: 120} }
		case "comm":
			c.target.Comm = words[1]
		case "symbol":
			f := facts[words[1]]
			for i := range len(words[2]) {
				f.Offsets = append(f.Offsets, uint64(4096*(i+1)))
			}
			facts[words[1]] = f
		case "module": // has a function of this name
			f := facts[words[1]]
			f.Modules = append(f.Modules, words[2])
			facts[words[1]] = f
		case "clone":
			f := facts[words[1]]
			f.Clones = append(f.Clones, words[2])
			facts[words[1]] = f
		case "place": // NAME ADDRESS ROOM KIND
			places[words[1]] = placeOf(words[2:])
		case "cpus": // COUNT, and "hidden" if the kernel's memory cannot be read
			n, _ := strconv.Atoi(words[1])
			c.target.CPUs = &target.CPUs{}
			for i := range n {
				cpu := dynevent.CPU{N: i, Offset: 0xffff_8000_4000_0000 + uint64(i)<<16}
				if words[2] == "hidden" {
					cpu.Offset, c.target.CPUs.NoOffset = 0, errors.New("/proc/kcore: no such file or directory")
				}
				c.target.CPUs.Each = append(c.target.CPUs.Each, cpu)
			}
		case "only": // NUMBER of a CPU
			n, _ := strconv.Atoi(words[1])
			c.target.OnlyCPUs = append(c.target.OnlyCPUs, n)
		case "awaited": // MODULE, and what is wrong with its types
			if c.target.Awaited == nil {
				c.target.Awaited = map[string]error{}
			}
			c.target.Awaited[words[1]] = nil
			if wrong := strings.TrimSpace(strings.Join(words[2:], " ")); wrong != "" {
				c.target.Awaited[words[1]] = errors.New(wrong)
			}
		case "notrace":
			notrace[words[1]] = true
		case "function":
			prototypes = append(prototypes, strings.TrimPrefix(line, "function "))
		default:
			set := targetLines[words[0]]
			if set == nil {
				t.Fatalf("unknown target line %q", line)
			}
			further = append(further, func() { set(t, c.target, words[1:len(words)-2]) })
		}
	}
	if c.target.Kernel = btf.Open(filepath.Join("..", "testdata", "btf", fixture)); prototypes != nil {
		c.target.Kernel = kernelOf(t, prototypes...)
	}
	c.target.Traceable = func(_, name string) bool { return !notrace[name] }
	if len(places) > 0 {
		c.target.Places = places
		for i := range c.cpus() {
			if table := places[dynevent.PerCPUOffsets]; len(table.Addrs) == 1 && !table.Hidden {
				c.cpus()[i].Table = table.Addrs[0]
			}
		}
	}
	if len(facts) > 0 {
		c.target.Symbols = func([]string, bool) (map[string]target.SymbolFacts, error) { return facts, nil }
		c.target.Modules = []string{"loaded", "drv", "first", "second"}
	}
	for _, set := range further {
		set()
	}
	return c
}

// cpus returns the CPUs of the target, nil if they are not known.
func (c *golden) cpus() []dynevent.CPU {
	if c.target.CPUs == nil {
		return nil
	}
	return c.target.CPUs.Each
}

// placeOf reads an address, "hidden" or two with a comma between them, the room after it,
// and "function" or "percpu".
func placeOf(words []string) target.SymbolPlace {
	p := target.SymbolPlace{Hidden: words[0] == "hidden", Function: words[2] == "function", PerCPU: words[2] == "percpu"}
	for _, word := range strings.Split(words[0], ",") {
		addr, _ := strconv.ParseUint(word, 16, 64)
		p.Addrs = append(p.Addrs, addr)
	}
	p.Room, _ = strconv.ParseUint(words[1], 10, 64)
	return p
}

func (c *golden) write(w *bytes.Buffer, text string) {
	parsed, err := spec.Parse(text)
	var plans []*plan.Plan
	if err == nil {
		plans, err = fetchargs.Resolve([]*spec.Spec{parsed}, c.target)
	}
	var errs spec.Errors
	switch {
	case errors.As(err, &errs):
		for _, e := range errs {
			w.Write(render.AppendError(nil, e, false, 0))
		}
	case err != nil:
		fmt.Fprintf(w, "%v\n", err)
	case c.show == "info":
		for _, known := range find.Describe(c.target, text) {
			known.Describe(w)
		}
	case c.calls != nil:
		c.writeCalls(w, plans)
	case c.show == "proofs":
		c.writeProofs(w, plans)
	case c.show == "records":
		writeRecords(w, plans)
	case c.show == "explain":
		for _, p := range plans {
			explain.Write(w, p)
		}
	default:
		emit.Tracefs(w, plans, "tsnoop", emit.Scope{})
	}
	if err == nil {
		for _, g := range plan.Globs(plans) {
			for _, text := range []string{g.Warning(5), g.Unseen()} {
				if text != "" {
					fmt.Fprintf(w, "tsnoop: %s\n", text)
				}
			}
		}
	}
	w.WriteByte('\n')
	if err == nil {
		c.roundTrip(plans)
		c.locate(plans)
	}
}

// locate finds the place in the spec of each part of a definition.
func (c *golden) locate(plans []*plan.Plan) {
	for _, p := range plan.Probes(plans) {
		for _, line := range p.Definitions("tsnoop") {
			wants := map[int]spec.Span{-1: p.Plan.Spec.Func.Span, 0: p.Plan.Spec.Func.Span, len(line): p.Plan.Spec.Func.Span}
			for _, a := range p.Args {
				at := strings.Index(line, " "+a.Name+"=") + 1
				wants[at], wants[at+len(strings.Fields(line[at:])[0])-1] = a.Span, a.Span
			}
			for column, want := range wants {
				if got := p.Locate(line, column); got != want {
					c.t.Errorf("column %d of %s is from %v, want %v", column, line, got, want)
				}
			}
		}
	}
}

// roundTrip saves and loads plans, which must not change them.
func (c *golden) roundTrip(plans []*plan.Plan) {
	saved, err := store.Save(plans)
	if err != nil {
		c.t.Fatal(err)
	}
	loaded, err := store.Load(saved)
	if err != nil {
		c.t.Fatalf("%v\n%s", err, saved)
	}
	var want, got bytes.Buffer
	emit.Tracefs(&want, plans, "tsnoop", emit.Scope{})
	emit.Tracefs(&got, loaded, "tsnoop", emit.Scope{})
	ofEachCPU := slices.ContainsFunc(plan.Probes(plans), func(p *plan.Probe) bool { return p.Times() > 1 })
	if diff := cmp.Diff(want.String(), got.String()); diff != "" && !ofEachCPU { // who reads records needs no more of it
		c.t.Errorf("loaded: -want +got:\n%s", diff)
	}
	again, err := store.Save(loaded)
	if err != nil || !bytes.Equal(saved, again) {
		c.t.Errorf("saved again it is not the same (%v):\n%s\n%s", err, saved, again)
	}
	for i, p := range plan.Probes(plans) {
		for j, f := range p.Fields {
			if g := plan.Probes(loaded)[i].Fields[j]; btf.Name(f.Type) != btf.Name(g.Type) || f.Signed != g.Signed {
				c.t.Errorf("%s: type %s is %s when loaded", f.Label, btf.Name(f.Type), btf.Name(g.Type))
			}
		}
	}
}

func section(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func setSection(a *txtar.Archive, name string, data []byte) {
	for i := range a.Files {
		if a.Files[i].Name == name {
			a.Files[i].Data = data
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: name, Data: data})
}
