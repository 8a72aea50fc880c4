package tracefs

import (
	"strings"
	"testing"
)

// TestParseFunctions: a function of a module is only known with its module, and an empty list,
// which a kernel may have, decides nothing.
func TestParseFunctions(t *testing.T) {
	known := ParseFunctions([]byte("ip_rcv\next4_sync_fs [ext4]\nlast"))
	for _, tt := range []struct {
		module, name string
		want         bool
	}{
		{"", "ip_rcv", true}, {"", "last", true}, {"ext4", "ext4_sync_fs", true},
		{"", "ext4_sync_fs", false}, {"xfs", "ext4_sync_fs", false}, {"ext4", "ip_rcv", false}, {"", "", false}, {"", "ip", false},
	} {
		if got := known(tt.module, tt.name); got != tt.want {
			t.Errorf("module %q, function %q: %v, want %v", tt.module, tt.name, got, tt.want)
		}
	}
	for _, text := range []string{"", "\n"} {
		if ParseFunctions([]byte(text)) != nil {
			t.Errorf("%q: functions, want none", text)
		}
	}
}

func TestHasFunction(t *testing.T) {
	const file = "ip_rcv\next4_sync_fs [ext4]\nip_rcv_core\n"
	for name, want := range map[string]bool{"ip_rcv": true, "ext4_sync_fs": true, "ip": false, "ext4": false, "[ext4]": false, "": false} {
		if got := hasFunction(strings.NewReader(file), name); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

// TestParseSites has no address for a name that several functions have.
func TestParseSites(t *testing.T) {
	sites, err := parseSites(strings.NewReader("ffffffff81000004 ip_rcv\nffffffff81000040 twice\nffffffff81000080 twice\nffffffff810000c0 twice\nffffffffc0000004 f [ext4]\n"))
	if err != nil || len(sites) != 3 || sites["twice"] != 0 || sites["ip_rcv"] != 0xffffffff81000004 || sites["f [ext4]"] != 0xffffffffc0000004 {
		t.Errorf("%x, %v", sites, err)
	}
	if _, err := parseSites(strings.NewReader("ip_rcv\n")); err == nil {
		t.Error("no address, and no error")
	}
}
