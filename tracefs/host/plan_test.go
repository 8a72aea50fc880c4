package host

import (
	"errors"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// elsewhere are options for the kernel of a file.
func elsewhere(t testing.TB) PlanOptions {
	f, err := dynevent.FeaturesOf("6.12")
	if err != nil {
		t.Fatal(err)
	}
	return PlanOptions{Kernel: btf.Open("../../testdata/btf/linux-6.12-amd64.btf"), Arch: abi.Named("amd64"), Features: &f}
}

// All that is wrong comes at once, in the order of the specs, whether it is the language
// or the types that are at fault.
func TestPlanErrors(t *testing.T) {
	texts := []string{"ip_rcv(skb->lenn)", "ip_rcv(skb->len", "ip_rcv(skb->len)", "ip_rcvv()"}
	_, err := New(nil).Plan(texts, elsewhere(t))
	var wrong spec.Errors
	if !errors.As(err, &wrong) || len(wrong) != 3 {
		t.Fatalf("%v", err)
	}
	for i, want := range []int{0, 1, 3} {
		if wrong[i].Text != texts[want] {
			t.Errorf("error %d is about %q, want %q", i, wrong[i].Text, texts[want])
		}
	}
}

// TestPlanLines: probes that a trace needs for itself are in its plans, and not in lines
// for people.
func TestPlanLines(t *testing.T) {
	o := elsewhere(t)
	for _, lines := range []bool{false, true} {
		o.Lines = lines
		plans, err := New(nil).Plan([]string{"ip_rcv(skb->len, return)"}, o)
		if err != nil {
			t.Fatal(err)
		}
		p := plans[0].Entry()
		if got := p.Comm < 0 && p.Stack < 0; got != lines {
			t.Errorf("lines %v: task's name at %d, stack at %d", lines, p.Comm, p.Stack)
		}
	}
}

// Without types nothing is planned.
func TestPlanNoTypes(t *testing.T) {
	o := elsewhere(t)
	o.Kernel = btf.Open()
	if _, err := New(nil).Plan([]string{"ip_rcv()"}, o); !errors.Is(err, btf.ErrNoBTF) {
		t.Error(err)
	}
}
