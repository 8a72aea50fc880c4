package specs

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
)

// takePresets moves the presets among the specs to the files, before those of --file.
func takePresets(o *flags.Options) error {
	var presets []string
	for i, arg := range o.Args {
		if !preset.Is(arg) || i == 0 && o.Command == "replay" {
			continue
		}
		if _, err := Preset(arg); err != nil {
			return err
		}
		presets = append(presets, arg)
	}
	if len(presets) > 0 {
		o.Args = slices.DeleteFunc(o.Args, func(arg string) bool { return slices.Contains(presets, arg) })
		o.Files = append(presets, o.Files...)
	}
	return nil
}

// Preset returns the preset of a name that begins with @.
func Preset(arg string) (preset.Preset, error) {
	name := strings.TrimPrefix(arg, "@")
	p, err := preset.Named(name)
	if err == nil {
		return p, nil
	}
	var names []string
	for _, p := range preset.All() {
		names = append(names, p.Name)
	}
	if at := strings.IndexFunc(name, func(c rune) bool { return c < 'a' || c > 'z' }); at > 0 && slices.Contains(names, name[:at]) {
		return p, flags.Errorf("print its specs, for a file of your own: tsnoop info @"+name[:at], "unexpected %q after the name of a preset", name[at:])
	}
	hint := "choose a preset: @" + strings.Join(names, " @")
	if suggestions := btf.Suggest(name, slices.Values(names)); len(suggestions) > 0 {
		hint = "did you mean @" + strings.Join(suggestions, ", @") + "? " + hint
	}
	return p, flags.Errorf(hint, "there is no preset %s", arg)
}
