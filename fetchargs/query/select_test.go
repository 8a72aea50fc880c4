package query_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// TestRecordedNames finds each recorded value by the name that it was given and by its
// expression, in the list of values and in a condition.
func TestRecordedNames(t *testing.T) {
	for _, x := range []string{
		"skb->len", "*skb->dev", "skb->dev->name", "skb:x", "return", "$comm", "%di", "dev->perm_addr:mac",
		"since(skb)", "since(skb, skb->len > 100, dev->mtu == 5)", "who(skb)", "who(skb, skb->len > 100)",
	} {
		recorded := saved(t, planOf(t, fmt.Sprintf("ip_rcv(named=%s)", x)))
		wanted := []string{"named"}
		if parsed, err := spec.Parse(fmt.Sprintf("ip_rcv(%s)", x)); err == nil {
			wanted = append(wanted, parsed.Items[0].Expr.String())
		}
		for _, w := range wanted {
			s, err := spec.Parse(fmt.Sprintf("ip_rcv(%s)", w))
			if err != nil {
				t.Fatal(err)
			}
			chosen, _, err := query.Select([]*spec.Spec{s}, recorded, false, nil)
			if err != nil {
				t.Errorf("recorded as named=%s: %v", x, err)
				continue
			}
			if n := shown(chosen[0], w); n != 1 {
				t.Errorf("recorded as named=%s, %s is shown %d times", x, w, n)
			}
		}
	}
}

// TestRecordedHint lists recorded values under the names that find them: a name that the
// user gave, unless a parameter has it.
func TestRecordedHint(t *testing.T) {
	recorded := saved(t, planOf(t, "ksys_lseek(at=offset, offset=fd, whence, x=offset:x, return)"))
	wanted, err := spec.Parse("ksys_lseek(nothing)")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = query.Select([]*spec.Spec{wanted}, recorded, false, nil)
	var wrong spec.Errors
	if !errors.As(err, &wrong) || wrong[0].Hint != "choose from what was recorded: at, fd, whence, x, return" {
		t.Errorf("%+v", err)
	}
}

// TestRecordedNumber: a line shows by which numbers a recording has its specs.
func TestRecordedNumber(t *testing.T) {
	recorded := saved(t, planOf(t, "ksys_lseek(offset)"))
	for _, number := range []string{"0", "%2", "65535"} {
		_, err := query.Parse([]string{number}, recorded)
		var wrong spec.Errors
		if !errors.As(err, &wrong) || wrong[0].Hint != "choose from what was recorded: %1 is 'ksys_lseek(offset)'" {
			t.Errorf("%s: %+v", number, err)
		}
	}
}

// TestRecordedOnce shows a value once that a condition names several times.
func TestRecordedOnce(t *testing.T) {
	for text, want := range map[string]int{
		"ksys_lseek(offset > 10 && offset < 20)":           1,
		"ksys_lseek(offset > 10 || !((offset & 3) == 1))":  1,
		"ksys_lseek(offset > 10 && offset:x < 20)":         2, // in two formats
		"ksys_lseek(offset, offset > 10 && offset < 20)":   2, // asked for twice
		"ksys_lseek(offset > 10 && offset < 20) if fd > 1": 1,
	} {
		live := planOf(t, text)
		wanted, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		chosen, _, err := query.Select([]*spec.Spec{wanted}, saved(t, planOf(t, "ksys_lseek(fd, offset)")), false, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if a, b := shown(live, "offset"), shown(chosen[0], "offset"); a != want || b != want {
			t.Errorf("%s shows offset %d times live and %d times of a recording, want %d", text, a, b, want)
		}
	}
}

// TestRecordedLabels knows a recorded value by the label of an item of the spec, in a
// condition among the items and in one after them, also if the label means something else
// elsewhere.
func TestRecordedLabels(t *testing.T) {
	recorded := saved(t, planOf(t, "ksys_lseek(fd, offset, return)"))
	for _, label := range []string{"n", "s8", "path", "errno", "struct", "NULL", "if", "SEEK_END", "f_flags"} {
		for _, form := range []string{"ksys_lseek(L=offset, L > 3)", "ksys_lseek(L=offset, L > 3 || return < 0)", "ksys_lseek(L=offset, fd) if (L & 3) == 1"} {
			text := strings.ReplaceAll(form, "L", label)
			live := planOf(t, text)
			wanted, err := spec.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			chosen, _, err := query.Select([]*spec.Spec{wanted}, recorded, false, nil)
			if err != nil {
				t.Error(err)
				continue
			}
			if a, b := shown(live, label), shown(chosen[0], label); a != b {
				t.Errorf("%s shows %s %d times live and %d times of a recording", text, label, a, b)
			}
		}
	}
}

// shown returns how many values of a name the plan shows.
func shown(p *plan.Plan, name string) (n int) {
	for _, probe := range p.Probes {
		for _, f := range probe.Fields {
			if !f.Hidden && f.Label == name {
				n++
			}
		}
	}
	return n
}

// planOf returns the plan of a spec for a kernel 6.12.
func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	target := &target.Target{Arch: abi.Named("amd64"), Live: true, Calls: true, Kernel: btf.Open(filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	plans, err := fetchargs.Resolve([]*spec.Spec{s}, target)
	if err != nil {
		t.Fatal(err)
	}
	return plans[0]
}

// saved returns the plan as a recording has it.
func saved(t *testing.T, p *plan.Plan) []*plan.Plan {
	t.Helper()
	data, err := store.Save([]*plan.Plan{p})
	if err != nil {
		t.Fatal(err)
	}
	plans, err := store.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}
