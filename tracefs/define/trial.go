package define

import (
	"cmp"
	"context"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Trial defines the probes of a plan and removes them again. It returns why the kernel
// refuses them.
func (r *Reasons) Trial(p *plan.Plan) (refused spec.Errors, err error) {
	s, err := r.fs.NewSession(tracefs.Options{BufferKB: 64})
	if err != nil {
		return nil, nil // Arm returns that
	}
	defer func() { err = cmp.Or(err, s.Close()) }()
	d := &Definer{Session: s, Reasons: r}
	all, err := d.defineSides(context.Background(), []*plan.Plan{p})
	if err != nil {
		return nil, err
	}
	return all[0].Unique(), nil
}
