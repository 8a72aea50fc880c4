package nocalls

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// TestWhy: what is said claims no more than the counts tell.
func TestWhy(t *testing.T) {
	types := filepath.Join("..", "..", "testdata", "btf", "linux-6.12-amd64.btf")
	if _, err := os.Stat(types); err != nil {
		t.Fatal(err)
	}
	type given struct {
		hits, misses       uint64 // of the entry, or of the only probe
		retHits, retMisses uint64
		entries, returns   uint64
		refused, elsewhere uint64
		held               []uint64
		pids, cpus, static bool
		comm               string
	}
	for _, tt := range []struct {
		spec string
		given
		want string
	}{
		{"vfs_read()", given{}, "vfs_read has not been called"},
		{"vfs_read()", given{static: true}, "vfs_read has not been called; it is static"},
		{"vfs_read()", given{misses: 3}, "vfs_read has been called, but the kernel could not run its probe: 3 misses"},
		{"vfs_read()", given{hits: 1}, "vfs_read has been called once, but only by tsnoop itself, which does not show its own calls"},
		{"vfs_read()", given{hits: 7, pids: true}, "vfs_read has been called 7 times, tsnoop's own calls counted, but never in a traced process"},
		{"vfs_read()", given{hits: 7, comm: "cat"}, "vfs_read has been called 7 times, tsnoop's own calls counted, but never in a task whose name matches --comm"},
		{"vfs_read()", given{hits: 7, cpus: true}, "vfs_read has been called 7 times, tsnoop's own calls counted, but never on a CPU of --cpu"},
		{"vfs_read() if count > 4096", given{hits: 7}, "vfs_read has been called 7 times, tsnoop's own calls counted, but never with count > 4096"},
		{"vfs_read(count > 4096, return)", given{hits: 7, retHits: 7, entries: 7, returns: 7, refused: 7, held: []uint64{0}},
			"vfs_read: 7 calls came, but never with count > 4096"},
		{"vfs_read() if count > 4096 && count < 8192", given{hits: 7, pids: true, cpus: true, comm: "cat"},
			"vfs_read has been called 7 times, tsnoop's own calls counted, but never with count > 4096 && count < 8192 in a traced process in a task whose name matches --comm on a CPU of --cpu"},
		{"vfs_read(return)", given{hits: 7, pids: true}, "vfs_read has been left 7 times, tsnoop's own calls counted, but never in a traced process"},
		{"vfs_read(count, return)", given{hits: 7, entries: 7}, "vfs_read: 7 calls came, but none has returned yet"},
		{"vfs_read(count, return)", given{hits: 7, entries: 1, retHits: 6, pids: true}, "vfs_read: 1 call came, but none has returned yet"},
		{"vfs_read(count, return)", given{hits: 7, entries: 7, retMisses: 7}, "vfs_read: 7 calls came, but the kernel could not follow them to their return: see --maxactive"},
		{"vfs_read(count) if return < 0", given{hits: 7, entries: 7, retHits: 6}, "vfs_read: 7 calls came, and the function has returned 6 times, but never with return < 0"},
		{"vfs_read(count) if return < 0 && count > 9", given{hits: 7, entries: 7, retHits: 6}, "vfs_read: 7 calls came, and the function has returned 6 times, but never so that the conditions hold"},
		{"vfs_read(count) if return < 0 && count > 9", given{hits: 7, entries: 7, retHits: 6, returns: 2, refused: 2, held: []uint64{2, 0}}, "vfs_read: 2 calls came, but never with count > 9"},
		{"vfs_read(count) if return < 0 && count > 9", given{hits: 7, entries: 7, retHits: 6, returns: 2, refused: 2, held: []uint64{1, 1}}, "vfs_read: 2 calls came, but the conditions held for none of them"},
		{"vfs_read(count, return)", given{hits: 7, entries: 7, retHits: 7, returns: 7, elsewhere: 7, cpus: true}, "vfs_read: 7 calls came, but never on a CPU of --cpu"},
	} {
		target := &target.Target{Kernel: btf.Open(types), Arch: abi.Named("amd64"), Features: dynevent.Features{ArgN: true, Ustring: true, Symbol: true}, Live: true, Calls: true, Comm: tt.comm}
		plans, err := host.Resolve([]string{tt.spec}, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := plans[0]
		q := &Counts{plans: plans, scope: Scope{Pids: tt.pids, CPUs: tt.cpus}}
		q.seen = []counts{{tt.entries, tt.returns, tt.elsewhere, tt.refused, tt.held}}
		hits := map[string]tracefs.Hits{}
		if ret := p.Return(); ret != nil {
			hits[ret.Event] = tracefs.Hits{Hits: tt.retHits, Misses: tt.retMisses}
		}
		hits[p.Probes[0].Event] = tracefs.Hits{Hits: tt.hits, Misses: tt.misses}
		got := strings.Join(q.why(hits, nil, func(string) string {
			if tt.static {
				return "is static"
			}
			return ""
		}), "\n")
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %+v (-want +got):\n%s", tt.spec, tt.given, diff)
		}
	}
}
