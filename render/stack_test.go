package render_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

func TestStack(t *testing.T) {
	const module = "ext4_a_function_with_a_name_that_is_too_long_for_the_stack"
	stack := []uint64{kernelText, kernelText + 0x100, kernelText + 0x110, kernelText + 0x200, 0x1234}
	in, out := newProbe(false), newProbe(true)
	source := []render.Source{newSource("f", "", in, out)}
	call := &calls.Call{Entry: in.event(1, 0, 7), Return: out.event(2, 0, 7), Duration: 1}
	call.Entry.Stack = stack
	call.Return.Stack = []uint64{1}

	tests := []struct {
		name   string
		opts   render.Options
		frames string // separated by blanks
	}{
		{"names", render.Options{}, "ip_rcv_finish ip_rcv_finish " + module + "_[ext4] [unknown/kretprobe'd] 0x1234"},
		{"offsets", render.Options{Verbose: true}, "ip_rcv_finish ip_rcv_finish+0x100 " + module + "+0x10_[ext4] [unknown/kretprobe'd] 0x1234"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Symbol, tt.opts.Time = testSymbol, render.TimeNone
			frames := strings.Split(tt.frames, " ")
			for i, f := range frames {
				frames[i] = strings.Replace(f, "_[", " [", 1)
			}
			_, got, _ := strings.Cut(string(text.New(source, tt.opts).End(nil, call)), "\n")
			want := "      => " + strings.Join(frames, "\n      => ") + "\n"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			line := string(json.New(source, tt.opts).End(nil, call))
			if want := `,"stack":["` + strings.Join(frames, `","`) + `"]`; !strings.Contains(line, want) {
				t.Errorf("JSON: %s has no %s", line, want)
			}
		})
	}
}

// TestStackOf: the entry's stack, the return's only where it is alone.
func TestStackOf(t *testing.T) {
	a, b := &tracefs.Event{Stack: []uint64{1}}, &tracefs.Event{Stack: []uint64{2}}
	for _, tt := range []struct {
		call calls.Call
		want uint64
	}{
		{calls.Call{Entry: a}, 1},
		{calls.Call{Entry: a, Return: b}, 1},
		{calls.Call{Return: b}, 2},
		{calls.Call{Entry: &tracefs.Event{}, Return: b}, 2},
	} {
		if got := render.StackOf(&tt.call); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%+v: stack %v, want %d", tt.call, got, tt.want)
		}
	}
}
