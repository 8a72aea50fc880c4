package main

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
)

// TestReplayTextDoubts: a doubt about a value of text is shown at the value.
func TestReplayTextDoubts(t *testing.T) {
	const head = "             cat-7       [001] .....    13.702327: "
	for _, tt := range []struct{ name, spec, line, text, json string }{
		{"two strings", "do_filp_open(pathname->name, pathname->uptr)",
			`do_filp_open: (f+0x0/0xe0) pathname=0xffff888000001000 pathname_name_ptr=0xffff888000001020 pathname_uptr_ptr=0x7ffc1000 pathname_name="a" pathname_uptr="b"`,
			`pathname->name="a", pathname->uptr="b")`, `"value":"a"},`},
		{"the same twice", "do_filp_open(pathname->name, pathname->uptr)",
			`do_filp_open: (f+0x0/0xe0) pathname=0xffff888000001000 pathname_name_ptr=0xffff888000001020 pathname_uptr_ptr=0x7ffc1000 pathname_name="a" pathname_uptr="a"`,
			`pathname->name="a" (perhaps the next string's), pathname->uptr="a")`, `"value":"a","doubt":"perhaps the next string's"},`},
		{"a name in a string", "do_filp_open(pathname->name, pathname->uptr)",
			`do_filp_open: (f+0x0/0xe0) pathname=0xffff888000001000 pathname_name_ptr=0xffff888000001020 pathname_uptr_ptr=0x7ffc1000 pathname_name="a" pathname_uptr="b" pathname_uptr="c"`,
			`pathname->name="a" (perhaps it ends elsewhere), pathname->uptr="b\" pathname_uptr=\"c" (perhaps it ends elsewhere))`,
			`"value":"a","doubt":"perhaps it ends elsewhere"},`},
		// Text shows whether the last pointer on the way could be followed.
		{"through one pointer", "ip_rcv(dev->name, orig_dev->name)",
			`ip_rcv: (f+0x0/0xe0) dev=0xffff888000001000 orig_dev=0xffff888000001000 dev_name="lo" orig_dev_name="lo"`,
			`ip_rcv(dev->name="lo", orig_dev->name="lo")`, `"value":"lo"},`},
		{"a path", "vfs_read(file:path)", pathLine(t, "b", "a"), `vfs_read(file="/a/b")`, `"value":"/a/b"}]`},
		{"a path of equal names", "vfs_read(file:path)", pathLine(t, "b", "b"),
			`vfs_read(file="/b/b" (perhaps the next string's))`, `"value":"/b/b","doubt":"perhaps the next string's"}]`},
		// Nothing in the text shows that user memory was there.
		{"a number of a program", "ksys_write(count, v=*(u32 *)buf)",
			`ksys_write: (f+0x0/0xe0) count=4 v=77 u32_buf=0x7ffc1000`,
			`ksys_write(count=4, v=77 (perhaps old memory))`, `"value":77,"doubt":"perhaps old memory"}]`},
		{"a number of the kernel", "ksys_write(count, v=*(u32 *)buf)",
			`ksys_write: (f+0x0/0xe0) count=4 v=77 u32_buf=0xffff888000001000`,
			`ksys_write(count=4, v=77)`, `"value":77}]`},
		{"no number", "ksys_write(count, v=*(u32 *)buf)",
			`ksys_write: (f+0x0/0xe0) count=4 v=77 u32_buf=0x0`,
			`v=(fault: (u32 *)buf=NULL))`, `"value":null`},
		{"a struct of a program", "ksys_write(*(struct timespec64 *)buf)",
			`ksys_write: (f+0x0/0xe0) struct_timespec64_buf=0x7ffc1000 struct_timespec64_buf_0={0x7,0x8}`,
			`*(struct timespec64 *)buf={...} (perhaps old memory))`, `"tv_nsec":8},"addr":"0x7ffc1000","doubt":"perhaps old memory"}]`},
		// The address is not in the text.
		{"a symbol", "vfs_read(file->f_op->read_iter:symbol)",
			`vfs_read: (f+0x0/0xe0) file_f_op_read_iter=ext4_file_read_iter+0x0/0x1d0 [ext4] file=0xffff888000001000 file_f_op=0xffffffff82001000`,
			`read_iter=ext4_file_read_iter [ext4])`, `"value":null,"text":"ext4_file_read_iter [ext4]"}`},
		{"an address as symbol", "vfs_read(file->f_op->read_iter:symbol)",
			`vfs_read: (f+0x0/0xe0) file_f_op_read_iter=0xffffffffc0001234 file=0xffff888000001000 file_f_op=0xffffffff82001000`,
			`read_iter=0xffffffffc0001234)`, `"value":"0xffffffffc0001234"}`},
	} {
		for flag, want := range map[string]string{"-t=none": tt.text, "--json": tt.json} {
			printed, said, err := replayText(t, strings.NewReader(head+tt.line+"\n"), []string{tt.spec}, flag)
			if err != nil || said != "" || !strings.Contains(printed, want) {
				t.Errorf("%s: %v\n%s got %swant %s", tt.name, err, said, printed, want)
			}
		}
	}
}

// pathLine is a line of vfs_read(file:path), of a file /DIR/NAME on the root of all
// mounts.
func pathLine(t *testing.T, name, dir string) string {
	t.Helper()
	spec := []string{"vfs_read(file:path)"}
	plans, err := target.LinePlans(textOptions(t, "-", spec), spec)
	if err != nil {
		t.Fatal(err)
	}
	plan := plans[0].Entry()
	path := plan.Fields[0].Path
	values := map[int]uint64{}
	for i, d := range path.Dentries { // of the file and of what is above it
		values[d] = 0xffff888000003000 - 0x1000*uint64(min(i, 2))
	}
	const mount = 0xffff888000004000
	values[path.Top-1], values[path.Up-1], values[path.Mnt-1] = 0xffff888000001000, mount, mount-uint64(path.Off)
	texts := map[int]string{path.Names[0]: name, path.Names[1]: dir}
	var line strings.Builder
	line.WriteString("vfs_read: (f+0x0/0xe0)")
	for i, a := range plan.Args {
		switch {
		case !a.IsString():
			fmt.Fprintf(&line, " %s=0x%x", a.Name, cmp.Or(values[i], 0xffff888000001000))
		default:
			fmt.Fprintf(&line, " %s=%q", a.Name, cmp.Or(texts[i], "/"))
		}
	}
	return line.String()
}
