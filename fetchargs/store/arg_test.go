package store

import (
	"encoding/json"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// argOf is a fetcharg as recordings have it.
func argOf(t *testing.T, saved string) dynevent.Arg {
	t.Helper()
	a, err := loadArg(saved)
	if err != nil {
		t.Fatalf("%s: %v", saved, err)
	}
	return a
}

func loadArg(saved string) (dynevent.Arg, error) {
	s := savedArg{Name: "x"}
	if err := json.Unmarshal([]byte("{"+saved+"}"), &s); err != nil {
		return dynevent.Arg{}, err
	}
	return s.load("")
}

// TestArgText loads fetchargs and writes them in the kernel's syntax.
func TestArgText(t *testing.T) {
	for saved, want := range map[string]string{
		`"base":"$arg1","type":"x64"`:                                                              "$arg1:x64",
		`"base":"%di","type":"s32"`:                                                                "%di:s32",
		`"base":"$stack","type":"x64"`:                                                             "$stack:x64",
		`"base":"$stack12","type":"u8"`:                                                            "$stack12:u8",
		`"base":"$retval","type":"b3@5/16"`:                                                        "$retval:b3@5/16",
		`"base":"$comm"`:                                                                           "$comm",
		`"base":"@jiffies","type":"u64"`:                                                           "@jiffies:u64",
		`"base":"@init_task-8","type":"x64"`:                                                       "@init_task-8:x64",
		`"base":"@init_task+16","hops":[{}],"type":"string"`:                                       "+0(@init_task+16):string",
		`"base":"$arg1","hops":[{"offset":8},{"offset":16}],"type":"x8","count":6`:                 "+16(+8($arg1)):x8[6]",
		`"base":"%x0","hops":[{"offset":-4}],"type":"u16","count":64`:                              "-4(%x0):u16[64]",
		`"base":"$arg2","hops":[{"user":true}],"type":"ustring"`:                                   "+u0($arg2):ustring",
		`"base":"$arg2","hops":[{"offset":16,"user":true},{"offset":-8,"user":true}],"type":"s64"`: "-u8(+u16($arg2)):s64",
		`"base":"\\0xffffffff81000000","type":"x64"`:                                               `\0xffffffff81000000:x64`,
		`"base":"\\0x80000000000000","hops":[{},{}],"type":"string"`:                               `+0(+0(\0x80000000000000)):string`,
		`"base":"\\\"\"","type":"string"`:                                                          `\"":string`,
		`"base":"$arg1","hops":[{}],"type":"symbol"`:                                               "+0($arg1):symbol",
	} {
		if got := argOf(t, saved).String(); got != want {
			t.Errorf("%s is %s, want %s", saved, got, want)
		}
	}
	for _, saved := range []string{
		``, `"type":"u32"`, `"base":"$arg1"`, `"base":"$arg0","type":"u32"`, `"base":"$arg1","type":"u33"`, `"base":"$arg1","type":"x8","count":-1`,
		`"base":"$argx","type":"u8"`, `"base":"%","type":"u8"`, `"base":"@","type":"u8"`, `"base":"@+8","type":"u8"`, `"base":"\\5","type":"u8"`,
		`"base":"$nothing","type":"u8"`, `"base":"$arg1","hops":[{"offset":99999999999999999999}],"type":"u8"`, `"base":"$arg1","type":"b3@5/"`,
		`"base":"$comm","type":"u8"`, `"base":"$comm","hops":[{}]`, `"base":"$arg1","hops":[{}],"type":"string","count":2`,
	} {
		if a, err := loadArg(saved); err == nil {
			t.Errorf("%s is %s", saved, a)
		}
	}
}

func TestArgSizes(t *testing.T) {
	for saved, want := range map[string]struct {
		size            int
		follows, string bool
	}{
		`"base":"$arg1","type":"x64"`:                                              {8, false, false},
		`"base":"$arg1","type":"b4@3/8"`:                                           {1, false, false}, // no variable, for all its @
		`"base":"$arg1","hops":[{"offset":8},{"offset":16}],"type":"x8","count":6`: {6, true, false},
		`"base":"$arg1","hops":[{}],"type":"u16","count":3`:                        {6, true, false},
		`"base":"$arg1","hops":[{}],"type":"ustring"`:                              {4, true, true},
		`"base":"@jiffies","type":"u64"`:                                           {8, true, false},
		`"base":"@banner","type":"string"`:                                         {4, true, true},
		`"base":"$comm"`:                                                           {4, false, true},
	} {
		a := argOf(t, saved)
		if a.Size() != want.size || a.Follows() != want.follows || a.IsString() != want.string {
			t.Errorf("%s: %d bytes, follows %t, string %t", saved, a.Size(), a.Follows(), a.IsString())
		}
	}
}
