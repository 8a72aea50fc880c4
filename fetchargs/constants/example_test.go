package constants_test

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// The flags of an open, which differ between architectures.
func Example() {
	for _, arch := range []string{"amd64", "arm64"} {
		table := constants.For(arch)
		direct, _ := table.Value("O_DIRECT")
		fmt.Printf("%#x %s\n", direct, table.Set("open").Append(nil, 0x10041))
	}
	// Output:
	// 0x4000 O_WRONLY|O_CREAT|O_DIRECTORY
	// 0x10000 O_WRONLY|O_CREAT|O_DIRECT
}
