package tracefs_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs"
)

// How the kernel lays out the records of an event: the file format beside it.
func ExampleParseFormat() {
	f, err := tracefs.ParseFormat(strings.NewReader(`name: open
ID: 1554
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:s32 dfd;	offset:16;	size:4;	signed:1;
	field:__data_loc char[] name;	offset:20;	size:4;	signed:1;

print fmt: "dfd=%d name=\"%s\"", REC->dfd, __get_str(name)
`))
	if err != nil {
		panic(err)
	}
	name := f.Field("name")
	fmt.Println(f.Name, f.ID, name.Offset, name.Size, name.DataLoc)
	// Output: open 1554 20 4 true
}

// A probe of one's own, armed beside those of others. It needs root and a kernel
// with kprobes.
func Example() {
	fs, err := tracefs.Find()
	if err != nil {
		panic(err)
	}
	s, err := fs.NewSession(tracefs.Options{})
	if err != nil {
		panic(err)
	}
	defer s.Close() // leaves tracefs as it was
	if err := s.Define(tracefs.KprobeEvents, "p:"+s.Group()+"/open do_sys_openat2 name=+0($arg2):ustring"); err != nil {
		panic(err)
	}
	if err := s.Enable(context.Background()); err != nil {
		panic(err)
	}
}
