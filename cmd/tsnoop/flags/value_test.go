package flags_test

import (
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

// TestSync: a recording is written to the disk every second, unless something else is said.
func TestSync(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want time.Duration
	}{
		{nil, time.Second},
		{[]string{"--sync", "500ms"}, 500 * time.Millisecond},
		{[]string{"--sync=2"}, 2 * time.Second},
		{[]string{"--sync", "0"}, 0},
	} {
		o, err := flags.Parse(append([]string{"record", "-o", "t.dat", "vfs_open"}, tt.args...))
		if err != nil || o.Sync != tt.want {
			t.Errorf("%q: got %v, %v, want %v", tt.args, o.Sync, err, tt.want)
		}
	}
	for _, bad := range []string{"-1s", "soon", ""} {
		if o, err := flags.Parse([]string{"record", "--sync=" + bad, "-o", "t.dat", "vfs_open"}); err == nil {
			t.Errorf("%q: got %v", bad, o.Sync)
		}
	}
}
