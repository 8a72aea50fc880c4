package arm

import (
	"slices"

	"github.com/tsnoop/tsnoop/tracefs/host"
)

// WarnOffline warns of CPUs that are asked for and offline: nothing is called there.
func (a *Probes) WarnOffline() {
	online, err := host.OnlineCPUs()
	if err != nil {
		return
	}
	for _, cpu := range a.Stream.CPUs {
		if !slices.Contains(online, cpu) {
			a.Stream.Warner.Warnf("CPU %d is offline: it makes no calls until it is switched on", cpu)
		}
	}
}
