package fetchargs

import "testing"

// TestArgText reads fetchargs as recordings have them, and writes them again.
func TestArgText(t *testing.T) {
	for _, text := range []string{
		"$arg1:x64", "%di:s32", "$stack:x64", "$stack12:u8", "$retval:b3@5/16", "$comm",
		"@jiffies:u64", "@init_task-8:x64", "+0(@init_task+16):string", "+8(+16(@init_task)):u32",
		"+16(+8($arg1)):x8[6]", "-4(%x0):u16[64]", "+u0($arg2):ustring", "-u8(+u16($arg2)):s64",
		`\0xffffffff81000000:x64`, `+0(+0(\0x80000000000000)):string`, "+0($arg1):symbol",
	} {
		a, err := parseArg(text)
		if err != nil || a.String() != text {
			t.Errorf("%s is %s, %v", text, a, err)
		}
	}
	for _, text := range []string{
		"", ":u32", "$arg1", "$arg0:u32", "$arg1:u33", "$arg1:x8[0]", "$arg1:x8[6", "$argx:u8", "%:u8", "@:u8", "@+8:u8", `\5:u8`,
		"$nothing:u8", "8($arg1):u8", "+($arg1):u8", "+x($arg1):u8", "+99999999999999999999($arg1):u8", "+8($arg1:u8",
		"+8$arg1):u8", "$arg1:b3@5/", "$comm:", "+0($comm)",
	} {
		if a, err := parseArg(text); err == nil {
			t.Errorf("%q is %s", text, a)
		}
	}
}

func TestArgSizes(t *testing.T) {
	for text, want := range map[string]struct {
		size            int
		follows, string bool
	}{
		"$arg1:x64":            {8, false, false},
		"$arg1:b4@3/8":         {1, false, false}, // no variable, for all its @
		"+16(+8($arg1)):x8[6]": {6, true, false},
		"+0($arg1):u16[3]":     {6, true, false},
		"+0($arg1):ustring":    {4, true, true},
		"@jiffies:u64":         {8, true, false},
		"@banner:string":       {4, true, true},
		"$comm":                {4, false, true},
	} {
		a, err := parseArg(text)
		if err != nil {
			t.Fatal(err)
		}
		if a.Size() != want.size || a.Follows() != want.follows || a.IsString() != want.string {
			t.Errorf("%s: %d bytes, follows %t, string %t", text, a.Size(), a.Follows(), a.IsString())
		}
	}
}
