package terminal_test

import (
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

func ExampleUI_Report() {
	ui := &terminal.UI{Stderr: os.Stdout}
	status := ui.Report(program.Errorf("run tsnoop replay trace.dat", "which file?"))
	fmt.Println(status)
	// Output:
	// tsnoop: which file?
	// hint: run tsnoop replay trace.dat
	// 2
}
