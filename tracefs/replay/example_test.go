package replay_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs/replay"
)

// A recording is read again, with typed values. See README.md there for how the
// file was made.
func Example() {
	f, err := os.Open("../../testdata/recordings/read.trace.dat")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		log.Fatal(err)
	}
	r, err := replay.Open(f, info.Size(), replay.Options{Name: f.Name()})
	if err != nil {
		log.Fatal(err)
	}
	for call, err := range r.Calls(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(r.Plans[call.Plan].Spec.Func.Text)
		for field, v := range r.Values(call) {
			switch v.Kind {
			case value.Text:
				fmt.Printf(" %s=%q", field.Label, v.Bytes)
			case value.Int, value.Uint:
				fmt.Printf(" %s=%d", field.Label, int64(v.Uint))
			}
		}
		fmt.Println(" in", call.Duration, "ns")
	}
	// Output:
	// vfs_read file->f_path.dentry->d_name.name="greeting" count=4 return=4 in 5631885 ns
	// vfs_read file->f_path.dentry->d_name.name="greeting" count=4 return=2 in 107700 ns
	// vfs_read file->f_path.dentry->d_name.name="greeting" count=4 return=0 in 7241 ns
}
