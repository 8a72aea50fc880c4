package dynevent_test

import (
	"testing"

	. "github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// TestTakes: which fetchargs the kinds of probes have, as the kernel accepts them.
func TestTakes(t *testing.T) {
	behind := []Hop{{Offset: 8}}
	for _, tt := range []struct {
		name  string
		arg   Arg
		kinds string // event, eprobe, tprobe
	}{
		{"$field", Arg{Base: Base{Kind: Field, Name: "pid"}}, "yes yes no"},
		{"+8($field)", Arg{Base: Base{Kind: Field, Name: "skbaddr"}, Hops: behind}, "no yes no"},
		{"+0($text)", Arg{Base: Base{Kind: FieldText, Name: "comm"}, Hops: []Hop{{}}}, "yes yes no"},
		{"+8($array)", Arg{Base: Base{Kind: FieldArray, Name: "args"}, Hops: behind}, "yes no no"},
		{"$arg1", Arg{Base: Base{Kind: ArgN, N: 1}}, "no no yes"},
		{"+8($arg1)", Arg{Base: Base{Kind: ArgN, N: 1}, Hops: behind}, "no no yes"},
		{"%x0", Arg{Base: Base{Kind: Register, Name: "x0"}}, "no no no"},
		{"$comm", Arg{Base: Base{Kind: Comm}}, "no no yes"},
		{"@jiffies", Arg{Base: Base{Kind: Memory, Name: "jiffies"}}, "no yes yes"},
	} {
		got := ""
		for _, k := range []Kind{Existing, Eprobe, Tprobe} {
			word := " no"
			if k.Takes(&tt.arg) {
				word = " yes"
			}
			got += word
		}
		if got[1:] != tt.kinds {
			t.Errorf("%s: %s, want %s", tt.name, got[1:], tt.kinds)
		}
		if !Kprobe.Takes(&tt.arg) {
			t.Errorf("%s: not in a kprobe", tt.name)
		}
	}
}

// TestOffered: which kernels have which kinds of probes.
func TestOffered(t *testing.T) {
	for kernel, want := range map[string]string{"5.10": "[kprobe kretprobe event]", "5.15": "[kprobe kretprobe event eprobe]", "6.5": "[kprobe kretprobe event eprobe tprobe]"} {
		features, err := FeaturesOf(kernel)
		if err != nil {
			t.Fatal(err)
		}
		got := "["
		for _, k := range []Kind{Kprobe, Kretprobe, Existing, Eprobe, Tprobe} {
			if k.Offered(features) {
				got += k.String() + " "
			}
		}
		if got = got[:len(got)-1] + "]"; got != want {
			t.Errorf("%s has %s, want %s", kernel, got, want)
		}
	}
}
