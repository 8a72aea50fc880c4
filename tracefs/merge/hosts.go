package merge

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// nameHosts gives each recording the name of its host. Boots and machines of one name have a number
// from the second on, by the time at which their first recording begins. A recording that does not
// say of which boot it is has the name of its file.
func nameHosts(all []*Recording) {
	byStart := slices.Clone(all)
	sort.SliceStable(byStart, func(i, j int) bool {
		a, b := byStart[i], byStart[j]
		return a.At(a.Start) < b.At(b.Start)
	})
	taken, of := map[string]bool{}, map[string]string{} // of: by host and boot
	for _, r := range byStart {
		if boot := r.Origin.BootID; boot != "" && r.Origin.Host != "" {
			id := r.Origin.Host + "\x00" + r.Origin.MachineID + "\x00" + boot
			if of[id] == "" {
				of[id] = free(taken, r.Origin.Host)
			}
			r.Host = of[id]
		}
	}
	for _, r := range all {
		if r.Host == "" {
			r.Host = free(taken, fileName(r, all))
		}
	}
}

// free returns a name that is not taken, and takes it.
func free(taken map[string]bool, name string) string {
	one := name
	for n := 2; taken[one]; n++ {
		one = fmt.Sprintf("%s#%d", name, n)
	}
	taken[one] = true
	return one
}

// fileName returns the end of a file's path that no other one has.
func fileName(r *Recording, all []*Recording) string {
	parts := strings.Split(filepath.ToSlash(r.Name), "/")
	for n := len(parts) - 1; n > 0; n-- {
		name := strings.Join(parts[n:], "/")
		if !slices.ContainsFunc(all, func(o *Recording) bool {
			return o != r && (o.Name == name || strings.HasSuffix(o.Name, "/"+name))
		}) {
			return name
		}
	}
	return r.Name
}
