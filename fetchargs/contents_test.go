package fetchargs_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The contents of parameters are left out, or fewer of them are shown, if they need another
// event, or more than a kernel takes.
func TestContentsFit(t *testing.T) {
	conds := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("((u64 *)envp)[%d] != %d", i, i))
		}
		return strings.Join(all, " && ")
	}
	target := &target.Target{
		Arch:   abi.Named("amd64"),
		Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "syscalls-newest.btf")),
	}
	target.Features, _ = dynevent.FeaturesOf("7.3")
	for _, tt := range []struct {
		spec string
		want int // texts of argv; 0 if its address is shown
	}{
		{"sys_execve", 8},
		{"sys_execve if " + conds(103), 8},
		{"sys_execve if " + conds(106), 4},
		{"sys_execve if " + conds(112), 2},
		{"sys_execve if " + conds(118), 0},
	} {
		parsed, err := spec.Parse(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, target)
		if err != nil || len(plans) == 0 || len(plans[0].Of(dynevent.Entry)) != 1 {
			t.Errorf("%.40s: %d plans, %v", tt.spec, len(plans), err)
			continue
		}
		fields := plans[0].Entry().Fields
		argv := slices.IndexFunc(fields, func(f value.Field) bool { return f.Label == "argv" && !f.Hidden })
		if argv < 0 || len(fields[argv].Items) != tt.want {
			t.Errorf("%.40s: field %d has %d texts, want %d", tt.spec, argv, len(fields[argv].Items), tt.want)
		}
	}
}
