package emit

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// existing returns the settings that record events which the kernel has by itself.
func existing(plans []*plan.Plan, group string) (all []setting) {
	for _, p := range plan.Probes(plans) {
		if p.Kind.Defined() {
			continue
		}
		dir := p.EventDir(group)
		if filter := p.KernelFilter(); filter != "" {
			file := dir + "/filter"
			all = append(all, setting{file, []string{shellEcho(filter) + " > " + file}, `case "$was" in none) echo 0 ;; *) echo "$was" ;; esac > ` + file})
		}
		file := dir + "/enable"
		all = append(all, setting{file, []string{"echo 1 > " + file}, `echo "$was" | tr -d '*' > ` + file})
	}
	return all
}
