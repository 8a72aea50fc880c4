package flags_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/complete"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/help"
)

// TestOldNames gives each flag by the name that it had before: it sets the same, and neither
// help, manual nor completion show that name.
func TestOldNames(t *testing.T) {
	shown := help.Usage()
	for _, text := range help.Topics() {
		shown += text
	}
	for _, page := range help.Pages() {
		shown += page.Text
	}
	for _, w := range complete.Words([]string{"--"}).Words {
		shown += "\n" + w.Text + "\n"
	}
	for old, now := range map[string]string{
		"--deep":        "--follow-pointers",
		"--guard=rearm": "--on-tamper=restore",
		"--guard=warn":  "--on-tamper=warn",
		"--watch":       "--reload",
		"--yes-really":  "--force",
	} {
		was, err := flags.Parse([]string{old, "-F", "specs"})
		if err != nil {
			t.Errorf("%s: %v", old, err)
			continue
		}
		is, err := flags.Parse([]string{now, "-F", "specs"})
		if err != nil || !maps.Equal(valuesOf(was), valuesOf(is)) {
			t.Errorf("%s sets %v, %s sets %v, %v", old, valuesOf(was), now, valuesOf(is), err)
		}
		name, _, _ := strings.Cut(old, "=")
		if strings.Contains(shown, name) {
			t.Errorf("%s is shown", name)
		}
		name, _, _ = strings.Cut(now, "=")
		if !strings.Contains(shown, "\n"+name+"\n") {
			t.Errorf("%s is not completed", name)
		}
	}
}

// TestOldNamesWrong reports the name that a flag has now.
func TestOldNamesWrong(t *testing.T) {
	for _, try := range []struct{ arg, msg, hint string }{
		{"--guard=off", `--on-tamper is warn or restore, not "off"`, "run tsnoop --on-tamper=restore SPEC"},
		{"--on-tamper=rearm", `--on-tamper is warn or restore, not "rearm"`, "run tsnoop --on-tamper=restore SPEC"},
		{"--gaurd=rearm", "unknown flag: --gaurd", "did you mean --on-tamper?"},
		{"--yes-realy", "unknown flag: --yes-realy", "did you mean --force?"},
		{"--deep=7", `--follow-pointers takes no value, and not "7"`, ""},
		{"--watch", "--reload needs --file", "run tsnoop --reload -F opens.tsnoop"},
	} {
		_, err := flags.Parse([]string{try.arg, "vfs_read"})
		var wrong *flags.Error
		if !errors.As(err, &wrong) || wrong.Msg != try.msg || wrong.Hint != try.hint {
			t.Errorf("%s: %+v", try.arg, err)
		}
	}
}
