package stream

import (
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestRefusedAllocatesNothing refuses a call for its duration: most of a busy function's
// calls may be refused, so that must cost no allocation.
func TestRefusedAllocatesNothing(t *testing.T) {
	parsed, err := spec.Parse("ksys_lseek(return) if duration > 1s")
	if err != nil {
		t.Fatal(err)
	}
	kernel := &target.Target{Arch: abi.Named("amd64"), Live: true, Kernel: btf.Open(filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, kernel)
	if err != nil {
		t.Fatal(err)
	}
	refused, held := 0, []uint64{0}
	r := &Stream{Plans: plans, Choose: func(*calls.Call, *plan.Plan) bool { return true }}
	r.observer.Refused = func(c *calls.Call) {
		refused++
		r.CountHeld(c, held)
	}
	long := false
	c := &calls.Call{Entry: &tracefs.Event{}, Return: &tracefs.Event{}, Duration: 5e8}
	if n := testing.AllocsPerRun(100, func() { long = long || r.matches(c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if long || refused != 101 || held[0] != 0 {
		t.Errorf("shown %v, refused %d times, %d of them for another condition", long, refused, held[0])
	}
}
