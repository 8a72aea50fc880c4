package proc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseConfig(t *testing.T) {
	got, err := ParseConfig(strings.NewReader(`#
# Automatically generated file; DO NOT EDIT.
#
CONFIG_KPROBES=y
# CONFIG_BPF_SYSCALL is not set
CONFIG_HZ=250
CONFIG_LOCALVERSION="-a=b"
CONFIG_DUMMY=m
KPROBES=n
`))
	want := map[string]string{"KPROBES": "y", "HZ": "250", "LOCALVERSION": `"-a=b"`, "DUMMY": "m"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
}
