package complete_test

import (
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/complete"
)

func ExampleWords() {
	for _, word := range complete.Words([]string{"record", "--comp"}).Words {
		fmt.Printf("%s: %s\n", word.Text, word.Is)
	}
	// Output:
	// --compact: a struct on one line
	// --compress: with record: version 7 of trace.dat, with zstd
}
