//go:build vm

package tracefs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/text"
)

// TestVMDefineRefused checks that the kernel's words arrive and nothing stays.
func TestVMDefineRefused(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	for _, tt := range []struct{ args, column string }{
		{place + "  a=$arg1:u65", "u65"},
		{place + " a=%nosuch", "%nosuch"},
		{"no_such_function_x", "no_such_function_x"},
		{place + " a=$arg1 a=$arg2", "a=$arg2"},
		{place + " a=+0($arg1:string", ":string"},
	} {
		def := fmt.Sprintf("p:%s/e_x7q %s", s.Group(), tt.args)
		err := s.Define(KprobeEvents, def)
		var ke *KernelError
		if !errors.As(err, &ke) {
			t.Errorf("%s: got error %v, want a *KernelError", def, err)
			continue
		}
		t.Logf("%s: %v, %v", tt.args, ke, ke.Errno)
		if want := strings.LastIndex(ke.Command, tt.column); ke.Column != want {
			t.Errorf("%s: got column %d, want %d, that of %q", def, ke.Column, want, tt.column)
		}
	}
	for _, def := range []string{"p:other/x " + place, "-:other/x", "p " + place, "p:" + s.Group() + "/ " + place} {
		if err := s.Define(KprobeEvents, def); err == nil {
			t.Errorf("Define(%q) is accepted", def)
		}
	}
	long := fmt.Sprintf("p:%s/e_x7q %s %s", s.Group(), place, strings.Repeat("x", 4096))
	if err := s.Define(KprobeEvents, long); err == nil {
		t.Error("a line that is too long is accepted")
	}
	if text, _ := readString(fsys, "kprobe_events"); strings.Contains(text, s.Group()) {
		t.Errorf("left behind: %s", text)
	}
	must(t, "Enable without events", s.Enable(t.Context()))
}

// TestVMFilterRefused checks that an event with a bad filter stays off, though
// the kernel would let it run unfiltered.
func TestVMFilterRefused(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	s := session(t, fsys, Options{})
	bad := define(t, s, "p", "bad_x7q", dfdArg+" "+nameArg)
	good := define(t, s, "p", "good_x7q", nameArg)
	onlyTmp(t, s, "good_x7q")
	must(t, "SetFilter", s.SetFilter("bad_x7q", "dfd == 1"))
	for _, filter := range []string{"dfd === 1", "nosuch == 1", `name_x7q == "a`, "(dfd == 1", strings.Repeat("dfd == 1 || ", 400) + "dfd == 1"} {
		var ke *KernelError
		err := s.SetFilter("bad_x7q", filter)
		if !errors.As(err, &ke) || ke.Command != filter || ke.Errno == nil {
			t.Errorf("%.60s: got error %v", filter, err)
			continue
		}
		t.Logf("%.60s: %v, column %d, %v", filter, ke.Text, ke.Column, ke.Errno)
		if len(filter) < 100 && ke.Column < 0 {
			t.Errorf("%s: got no column from %v", filter, ke)
		}
	}
	if text, _ := readString(fsys, s.EventPath("bad_x7q", "filter")); text != "none" {
		t.Errorf("filter is %q", text)
	}
	must(t, "Enable", s.Enable(t.Context()))
	for _, terms := range []int{30, 150} { // nobody has changed anything, also with a long one
		must(t, "SetFilter", s.SetFilter("good_x7q", strings.Repeat(`name_x7q == "/tmp/y" || `, terms)+`name_x7q == "/y"`))
		for _, c := range s.Changes(s.Events()) {
			t.Errorf("%d terms: %s is said to have been changed to %q", terms, c.What, c.After)
		}
	}
	onlyTmp(t, s, "good_x7q")
	touch("/tmp/x")
	got := drain(t, s, text.Options{Formats: []*Format{bad, good}})
	if len(got) != 1 || got[0].Name != "good_x7q" {
		t.Errorf("got events %+v, want one of good_x7q", got)
	}
	must(t, "SetFilter", s.SetFilter("bad_x7q", `name_x7q == "/tmp/y"`))
}
