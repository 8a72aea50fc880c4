package flags_test

import (
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
)

func ExampleParse() {
	o, err := flags.Parse([]string{"rec", "-n", "10", "vfs_read(count)"})
	fmt.Println(o.Command, o.Count, o.Args, err)

	var wrong *flags.Error
	_, err = flags.Parse([]string{"--follow", "vfs_read(count)"})
	if errors.As(err, &wrong) {
		fmt.Printf("%s\nhint: %s\n", wrong.Msg, wrong.Hint)
	}
	// Output:
	// record 10 [vfs_read(count)] <nil>
	// --follow needs --pid
	// hint: run tsnoop -f -p PID SPEC
}
