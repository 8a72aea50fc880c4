package tracedat_test

import (
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// Example prints what a recording of trace-cmd says of itself, and how many pages it has
// for each CPU.
func Example() {
	f, err := os.Open("testdata/v7-zstd.trace.dat")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		panic(err)
	}
	file, err := tracedat.Open(f, info.Size())
	if err != nil {
		panic(err)
	}
	fmt.Println(file.Version, file.Compression, file.Clock, len(file.Events))
	for _, buffer := range file.Buffers {
		for i := range buffer.CPUs {
			pages := buffer.CPUs[i].Pages()
			n := 0
			for _, err = pages.Next(); err == nil; _, err = pages.Next() {
				n++
			}
			fmt.Printf("%q CPU %d: %d pages, %v\n", buffer.Name, i, n, err)
		}
	}
	// Output:
	// 7 zstd local 20
	// "" CPU 0: 14 pages, EOF
	// "" CPU 1: 6 pages, EOF
}
