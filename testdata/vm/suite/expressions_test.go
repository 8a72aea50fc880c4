//go:build vm

package suite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// TestVMExpressions makes random expressions of what this kernel has, 5,000 in full,
// and lets a call show them all: the kernel must take every definition, offsets must be those of
// pahole, and values those of /proc/kcore, read by code that has nothing of tsnoop's.
func TestVMExpressions(t *testing.T) {
	const each, seed = 45, 20261122
	count := size(150, 5000)
	raw := loadRawBTF(t)
	core := openKcore(t, "init_task", "init_net", "init_uts_ns", "init_user_ns", "init_cred", "init_mm")
	maker := newExprMaker(raw, seed)
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	maker.seldom = strings.HasPrefix(string(release), "5.") || strings.HasPrefix(string(release), "6.1.")
	exprs := make([]*expression, count)
	var specs []string
	for i := range exprs {
		exprs[i] = maker.make()
		if i%each == 0 {
			specs = append(specs, "generic_file_llseek(file=file")
		}
		specs[len(specs)-1] += fmt.Sprintf(", e%d=%s", i, exprs[i].text)
	}
	for i := range specs {
		specs[i] += ")"
	}
	checkSteps(t, exprs)
	shown, plans := showExpressions(t, core, exprs, specs)
	checkFetchargs(t, exprs, plans)
	compareExpressions(t, core, exprs, shown)
	figure(t, "expressions", count)
}

// An answer is what a call has shown of an expression.
type answer struct {
	kind value.Kind
	num  uint64
	text string
}

// A round is what two calls have shown, by label, and what the judge said before and
// after the second.
type round struct {
	shown         [2]map[string]answer
	before, after []judged
	file          uint64 // what the judge starts from
}

// showExpressions traces two calls.
func showExpressions(t *testing.T, core *kcore, exprs []*expression, specs []string) (r round, plans []*plan.Plan) {
	t.Helper()
	began := time.Now()
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := host.New(fs)
	plans, err = h.Plan(specs, host.PlanOptions{})
	var wrong spec.Errors
	if errors.As(err, &wrong) {
		for _, e := range wrong[:min(20, len(wrong))] {
			t.Errorf("%s: %s (%s)", e.Text[e.Pos:e.End], e.Msg, e.Hint)
		}
		t.Fatalf("%d expressions are wrong", len(wrong))
	}
	if err != nil {
		t.Fatal(err)
	}
	planned := time.Now()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	tr, err := trace.Arm(ctx, h, plans, trace.Options{Pids: []int{os.Getpid()}, BufferKB: 8192})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}()
	armed := time.Now()
	f, err := os.Open("/sys/kernel/uevent_seqnum") // whose llseek is generic_file_llseek
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seek := func() {
		if _, err := f.Seek(0, 0); err != nil {
			t.Fatal(err)
		}
	}
	seek()
	left := len(specs)
	r.shown = [2]map[string]answer{{}, {}}
	now := r.shown[0]
	var file uint64
	for c, err := range tr.Calls(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		for f, v := range tr.Values(c) {
			if f.Label == "file" {
				file = v.Uint
			}
			now[f.Label] = answer{v.Kind, v.Uint, string(v.Bytes)}
		}
		if left--; left > 0 {
			continue
		}
		said := make([]judged, len(exprs))
		for i, e := range exprs {
			said[i] = e.judge(core, file)
		}
		if r.before != nil {
			r.after, r.file = said, file
			break
		}
		r.before, now, left = said, r.shown[1], len(specs)
		seek()
	}
	t.Logf("planned in %v, armed in %v, shown in %v", planned.Sub(began), armed.Sub(planned), time.Since(armed))
	if r.after == nil {
		t.Fatalf("%d of %d calls are missing", left, len(specs))
	}
	return r, plans
}

// checkFetchargs compares how values are fetched with the offsets of the judge.
func checkFetchargs(t *testing.T, exprs []*expression, plans []*plan.Plan) {
	t.Helper()
	same := 0
	for _, p := range plans {
		for _, f := range p.Entry().Fields {
			name, ok := strings.CutPrefix(f.Label, "e")
			if !ok {
				continue
			}
			e := exprs[atoi(name)]
			if e.ends == bitField || e.ends == address { // there are several ways
				continue
			}
			got, _, _ := strings.Cut(p.Entry().Args[f.Arg].String(), ":")
			if want := e.fetcharg("$arg1"); got != want {
				t.Errorf("%s is fetched by %s, want %s", e.text, got, want)
			}
			same++
		}
	}
	t.Logf("%d fetchargs have the offsets that they should", same)
}

// compareExpressions compares what the second call has shown with what is there.
func compareExpressions(t *testing.T, core *kcore, exprs []*expression, r round) {
	t.Helper()
	kinds := map[string]int{}
	wrong, moving := 0, 0
	moves := func(e *expression, j judged) bool {
		for try := range 60 {
			stir(t, try)
			if e.judge(core, r.file) != j {
				return true
			}
		}
		return false
	}
	for i, e := range exprs {
		name := "e" + strconv.Itoa(i)
		shown, before, after := r.shown[1][name], r.before[i], r.after[i]
		switch {
		case e.same(shown, before) || e.same(shown, after):
			kinds[e.describe(after)]++
		case before != after || shown != r.shown[0][name] || wrong < 40 && moves(e, after):
			moving++
		default:
			if wrong++; wrong <= 40 {
				t.Errorf("%s [%s]\n is %+v, want %+v", e.text, e.fetcharg("$arg1"), shown, after)
			}
		}
	}
	t.Logf("%d expressions: %v, %d were changing, %d wrong", len(exprs), kinds, moving, wrong)
	if moving > len(exprs)/50 {
		t.Errorf("%d of %d were changing", moving, len(exprs))
	}
}

func (e *expression) describe(j judged) string {
	if j.fault {
		return "fault"
	}
	return strings.Fields("number bits address chars string array")[e.ends]
}

// same reports whether what was shown is what the judge says.
func (e *expression) same(a answer, j judged) bool {
	if j.fault || a.kind == value.Fault {
		return j.fault && a.kind == value.Fault
	}
	switch e.ends {
	case textHere, textFar:
		return a.kind == value.Text && a.text == j.text
	case elements:
		if a.kind == value.Text { // bytes that are known to hold text
			j.text, _, _ = strings.Cut(j.text, "\x00")
		}
		return a.text == j.text
	}
	return (a.kind == value.Uint || a.kind == value.Int) && a.num == j.num
}
