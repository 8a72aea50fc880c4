package proc

import "testing"

func TestParseModuleEvent(t *testing.T) {
	for text, want := range map[string]ModuleEvent{
		"add@/module/veth\x00ACTION=add\x00DEVPATH=/module/veth\x00": {Name: "veth"},
		"remove@/module/dm_mod\x00ACTION=remove\x00":                 {Name: "dm_mod", Gone: true},
		"add@/module/veth/drivers":                                   {},
		"change@/module/veth":                                        {},
		"add@/devices/virtual/net/veth0\x00":                         {},
		"add@/module/":                                               {},
		"libudev\x00\xfe\xed":                                        {},
		"":                                                           {},
	} {
		if got, ok := parseModuleEvent(text); got != want || ok != (want != ModuleEvent{}) {
			t.Errorf("%q is %+v, %v, want %+v", text, got, ok, want)
		}
	}
}

// TestModuleEventsClosed: closing the source ends the wait for its events.
func TestModuleEventsClosed(t *testing.T) {
	m, err := WatchModules()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		for range m.All() {
		}
		close(done)
	}()
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	<-done
}
