package preset_test

import (
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
)

func ExampleMatching() {
	found, err := preset.Matching("tcpc*")
	for _, p := range found {
		fmt.Printf("@%s %s\n", p.Name, p.Brief)
	}
	fmt.Println(err)
	// Output:
	// @tcpconnect Who connects to where by TCP? As tcpconnect.
	// <nil>
}
