package proc

import (
	"os"
	"slices"
	"syscall"
	"testing"
)

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

// TestModuleEventsDrained: what has come before Drain is yielded, whether anybody waits for
// it by then or not.
func TestModuleEventsDrained(t *testing.T) {
	for _, late := range []bool{false, true} {
		ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		m := &ModuleEvents{os.NewFile(uintptr(ends[0]), "uevents")}
		defer m.Close()
		defer syscall.Close(ends[1])
		got := make(chan []ModuleEvent)
		all := func() { got <- slices.Collect(m.All()) }
		if !late {
			go all()
		}
		for _, text := range []string{"add@/module/veth\x00", "add@/devices/x\x00", "remove@/module/veth\x00"} {
			if _, err := syscall.Write(ends[1], []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Drain(); err != nil {
			t.Fatal(err)
		}
		if late {
			go all()
		}
		if got, want := <-got, []ModuleEvent{{Name: "veth"}, {Name: "veth", Gone: true}}; !slices.Equal(got, want) {
			t.Errorf("late %v: %v, want %v", late, got, want)
		}
	}
}
