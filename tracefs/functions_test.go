package tracefs

import (
	"strings"
	"testing"
)

func TestHasFunction(t *testing.T) {
	const file = "ip_rcv\next4_sync_fs [ext4]\nip_rcv_core\n"
	for name, want := range map[string]bool{"ip_rcv": true, "ext4_sync_fs": true, "ip": false, "ext4": false, "[ext4]": false, "": false} {
		if got := hasFunction(strings.NewReader(file), name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
