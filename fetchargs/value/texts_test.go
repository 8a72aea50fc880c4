package value_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

func textField(checks ...value.PointerCheck) []value.Field {
	return []value.Field{{Type: &btf.Pointer{Target: char}, Encoding: value.String, Arg: 0, Size: 4, PointerChecks: checks}}
}

// TestTexts reads text and arrays that are in the record or not. The args are the text
// or array, and pointers.
func TestTexts(t *testing.T) {
	four := textField()
	four[0].Count = 4
	bytes := func(size, count, skip int) []value.Field {
		return []value.Field{{Type: array(u8, 4), Encoding: value.Array, Size: size, Count: count, Skip: skip}}
	}
	any1, last := through(1, 1, value.AnySpace), through(1, 1, value.AnySpace)
	last[0].ReadCheck = &value.ReadCheck{Last: 1 + 3, Trial: 3}
	testRecords(t, []recordTest{
		{"text", textField(), []any{"ab"}, nil, `"ab"`},
		{"as much as there may be", four, []any{"abcd"}, nil, `"abcd"`},
		{"more than there may be", four, []any{"abcde"}, nil, `"abcd"`},
		{"not stored", textField(), []any{nil}, nil, "?"},
		{"an empty text or none", textField(any1...), []any{nil, uint64(user)}, nil, "p=0x7fff00001000 empty or away"},
		{"none in the kernel", textField(any1...), []any{nil, uint64(kern)}, nil, "p=0xffff888000001000 bad"},
		{"the place of another", textField(any1...), []any{place(9<<16 | 9999), uint64(user)}, nil, "p=0x7fff00001000 away"},
		{"the texts after it have no room", textField(last...), []any{data("ab"), uint64(user), nil, nil}, nil, "p=0x7fff00001000 away"},
		{"the texts after it have room", textField(last...), []any{data("ab"), uint64(user), "x", nil}, nil, `"ab"`},
		{"the name of the task has room", textField(last...), []any{data("ab"), uint64(user), nil, "load"}, nil, `"ab"`},
		{"the number after it", textField(last...), []any{data("ab"), uint64(user), uint32(7 << 16), nil}, nil, "p=0x7fff00001000 away"},
		{"an array", bytes(1, 3, 0), []any{data{1, 2, 3}}, nil, "[1 2 3]"},
		{"an array beyond the record", bytes(1, 3, 0), []any{place(4<<16 | 2)}, nil, "[]"},
		{"an array to the end of the record", bytes(1, 3, 0), []any{place(3<<16 | 1)}, nil, "[0 3 0]"},
		{"in a register", bytes(1, 3, 0), []any{uint64(0x04030201)}, nil, "[1 2 3]"},
		{"in the middle of a register", bytes(1, 3, 2), []any{uint64(0x0504030201)}, nil, "[3 4 5]"},
		{"in two registers", bytes(1, 12, 0), []any{uint64(0x0807060504030201), uint64(0x0c0b0a09), uint64(1)}, nil, "[1 2 3 4 5 6 7 8 9 10 11 12]"},
		{"across two registers", bytes(1, 3, 7), []any{uint64(9 << 56), uint64(0x0a08)}, nil, "[9 8 10]"},
		{"in three registers", bytes(2, 10, 0), []any{uint64(1), uint64(2), uint64(3)}, nil, "[1 0 0 0 2 0 0 0 3 0]"},
		{"in one register though another follows", bytes(2, 4, 0), []any{uint64(1), uint64(9)}, nil, "[1 0 0 0]"},
		{"skipped to the end", bytes(1, 0, 4), []any{uint32(1)}, nil, "[]"},
		{"skipped beyond the end", bytes(1, 1, 5), []any{uint32(1)}, nil, "[]"},
	})
}

// TestCutTexts reads texts in records that may hold only the beginning of one.
func TestCutTexts(t *testing.T) {
	four := textField()
	four[0].Count = 4
	for _, tt := range []recordTest{
		{"a text with its NUL", textField(), []any{"ab"}, nil, `"ab"`},
		{"the beginning of one", textField(), []any{data("ab")}, nil, `"ab"+ cut`},
		{"as much as there may be", four, []any{data("abcd")}, nil, `"abcd"`},
		{"no room", textField(through(1, 1, value.AnySpace)...), []any{place(value.TooLong), uint64(kern)}, nil, "p=0xffff888000001000 no room"},
		{"room", textField(through(1, 1, value.AnySpace)...), []any{nil, uint64(kern)}, nil, "p=0xffff888000001000 bad"},
	} {
		d, b := tt.decoder(binary.LittleEndian)
		d.MayCut()
		typ := value.NewType(&tt.fields[0], false, nil)
		if got := shown(&typ, d.Value(0, b)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestDoubts reads records that were made of text. The args are the text, pointers, and a
// number or the last argument of a path.
func TestDoubts(t *testing.T) {
	number := func(checks ...value.PointerCheck) []value.Field {
		return []value.Field{{Type: u32, Arg: 3, Size: 4, PointerChecks: checks}}
	}
	unused := number(through(1, 1, value.UserSpace)...)
	unused[0].Use = &value.Use{Arg: 3}
	either, check := through(1, 2, value.EitherSpace), &value.ReadCheck{Args: []int{0}, Trial: 0}
	proven := through(1, 1, value.EitherSpace)
	proven[0].ReadCheck = check
	list := []value.Field{
		{Encoding: value.Strings, Items: []int{1}},
		{Type: array(char, 2), Encoding: value.Array, Arg: 0, Size: 1, Count: 2, PointerChecks: either},
	}
	args := func(p, q uint64) []any { return []any{"ab", p, q, uint32(7)} }
	certain, next, longer := []byte{0, 0, 0, 0}, []byte{1, 0, 0, 0}, []byte{2, 0, 0, 0}
	second := textField()
	second[0].Arg = 1
	testRecords(t, []recordTest{
		{"certain", textField(), args(kern, kern), certain, `"ab"`},
		{"another's, but through one pointer", textField(through(1, 1, value.AnySpace)...), args(kern, kern), next, `"ab"`},
		{"another's, through two", textField(either...), args(kern, kern), next, `"ab" next?`},
		{"of unknown length", textField(through(1, 1, value.AnySpace)...), args(kern, kern), longer, `"ab" longer?`},
		{"the second text", second, []any{"ab", "cd"}, []byte{0, 2}, `"cd" longer?`},
		{"an unknown doubt", textField(), args(kern, kern), []byte{3, 0, 0, 0}, `"ab"`},
		{"no doubts", textField(), args(kern, kern), []byte{}, `"ab"`},
		{"a number of the kernel's", number(either[:1]...), args(kern, kern), certain, "7"},
		{"a number of a program's", number(either[:1]...), args(user, kern), certain, "7 old"},
		{"a number of a program's, with a proof", number(proven...), args(user, kern), certain, "p=0x7fff00001000 away"},
		{"a number from nowhere", number(either[:1]...), args(wild, kern), certain, "p=0xdeadbeefdeadbeef bad"},
		{"a number not used", unused, args(user, kern), certain, "- unused"},
		{"a text of a program's", textField(through(1, 1, value.AnySpace)...), args(user, user), certain, `"ab"`},
		{"a text at a program's pointer", textField(either...), args(user, user), certain, `"ab" old`},
		{"texts of a program's", list, args(user, user), certain, `["ab"+] cut old`},
		{"texts of the kernel's", list, args(kern, kern), certain, `["ab"+ cut] cut`},
	})
	d, b := (&recordTest{fields: number(either[:1]...), args: args(user, kern)}).decoder(binary.LittleEndian)
	if got := d.Value(0, b); got.Kind != value.Fault || got.Reason != value.Unproven {
		t.Errorf("a number of a program's in the kernel's record is %v, %s", got.Kind, whys[got.Reason])
	}
}

// TestStrings reads lists of texts. The args are the pointers to the lists, those to the
// texts, and the texts.
func TestStrings(t *testing.T) {
	fields := []value.Field{{Encoding: value.Strings, Items: []int{1, 2}}}
	for i := range 2 {
		fields = append(fields, value.Field{
			Type: array(char, 4), Encoding: value.Array, Arg: 4 + i, Size: 1, Count: 4,
			PointerChecks: []value.PointerCheck{{Label: "list", Arg: i, Space: value.EitherSpace}, {Label: "text", Arg: 2 + i, Space: value.EitherSpace}},
		})
	}
	args := func(list, more, p, q uint64) []any {
		return []any{list, more, p, q, []byte("ab\x00d"), []byte("efgh")}
	}
	testRecords(t, []recordTest{
		{"two, and more", fields, args(kern, kern, kern, kern), nil, `["ab" "efgh"+ cut] cut`},
		{"one", fields, args(kern, kern, kern, 0), nil, `["ab"]`},
		{"none", fields, args(kern, kern, 0, kern), nil, "[]"},
		{"no list", fields, args(0, kern, kern, kern), nil, "0x0"},
		{"a list that is nowhere", fields, args(wild, kern, kern, kern), nil, "list=0xdeadbeefdeadbeef bad"},
		{"a list that ends", fields, args(kern, wild, kern, kern), nil, `["ab" ?]`},
		{"a list that ends with NULL", fields, args(kern, 0, kern, kern), nil, `["ab" ?]`},
		{"an empty text", fields, []any{uint64(kern), uint64(kern), uint64(kern), uint64(0), []byte("\x00bcd"), []byte("efgh")}, nil, `[""]`},
		{"a text that is nowhere", fields, args(kern, kern, wild, kern), nil, `[? "efgh"+ cut] cut`},
	})
}

// TestSureBeginnings asks which texts are known to have been read, and how far.
func TestSureBeginnings(t *testing.T) {
	const trial, kept = place(5<<16 | 200), place(5<<16 | 200)
	counted := &value.ReadCheck{Kind: value.Counted, Args: []int{4, 5}, Addr: kern, End: 0x7fff_ffff_f000, Read: 1 + 2, Reads: 1}
	reads := &value.ReadCheck{Args: []int{1}, Trial: 6}
	for _, tt := range []struct {
		name  string
		proof *value.ReadCheck
		addr  uint64
		text  any
		after uint64
		want  string
	}{
		{"of the kernel's", nil, kern, nil, 0, "unreadable=false proven=true,true"},
		{"from nowhere", nil, wild, nil, 0, "unreadable=true proven=false,false"},
		{"no proof", nil, user, nil, 0, "unreadable=false proven=false,false"},
		{"counted", counted, user + 4094, nil, 8, "unreadable=false proven=true,false"},
		{"counted, on one page", counted, user + 4093, nil, 8, "unreadable=false proven=true,true"},
		{"counted faults", counted, user, nil, 9, "unreadable=true proven=false,false"},
		{"read", reads, user, place(200), 0, "unreadable=false proven=true,true"},
		{"not read", reads, user, kept, 0, "unreadable=true proven=false,false"},
	} {
		checks := []value.PointerCheck{{Label: "first", Arg: 7}, {Label: "p", Arg: 0, Space: value.AnySpace, ReadCheck: tt.proof}}
		r := recordTest{
			fields: []value.Field{{Encoding: value.String, Arg: 1, PointerChecks: checks}, {Encoding: value.String, Arg: 1}},
			args:   []any{tt.addr, tt.text, uint64(8), uint64(tt.after), uint64(kern), uint64(kern), trial, uint64(kern)},
		}
		if tt.proof == counted { // the count before, the byte, the count after
			r.args[1], r.args[2], r.args[3] = uint64(8), uint64('a'), uint64(tt.after)
		}
		d, b := r.decoder(binary.LittleEndian)
		b = append(b, make([]byte, 200-len(b))...)
		b = append(b, "load\x00"...)
		if tt.proof == reads {
			r.args = append(r.args, kept)
			d, b = r.decoder(binary.LittleEndian)
		}
		got := fmt.Sprintf("unreadable=%v proven=%v,%v", d.Unreadable(0, b), d.Proven(0, 2, b), d.Proven(0, 3, b))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if addr, ok := d.Pointer(0, b); addr != tt.addr || !ok {
			t.Errorf("%s: the pointer is %#x, %v", tt.name, addr, ok)
		}
		for _, f := range []int{-1, 1} {
			if _, ok := d.Pointer(f, b); ok || d.Unreadable(f, b) || d.Proven(f, 1, b) {
				t.Errorf("%s: field %d has a pointer, or is known to be read or not", tt.name, f)
			}
		}
		denied := tt.proof == reads && tt.text == any(kept)
		if got := d.Denies(tt.proof, b); got != denied {
			t.Errorf("%s: denied: %v", tt.name, got)
		}
	}
}

// TestTasksAndAges reads what the reader of records stores in them.
func TestTasksAndAges(t *testing.T) {
	task := func(put func(b []byte)) []any {
		b := make([]byte, value.TaskSize)
		put(b)
		return []any{b}
	}
	who := []value.Field{{Encoding: value.Who}}
	load := task(func(b []byte) { value.PutTask(b, binary.LittleEndian, value.NameOf([]byte("load")), -1) })
	testRecords(t, []recordTest{
		{"a task", who, load, nil, `"load"`},
		{"with a long name", who, task(func(b []byte) {
			value.PutTask(b, binary.LittleEndian, value.NameOf([]byte("0123456789abcdefg")), 7)
		}), nil, `"0123456789abcde"`},
		{"no task", who, task(func(b []byte) { value.PutNoTask(b, binary.LittleEndian) }), nil, "-"},
		{"not the size of one", who, []any{uint64(7)}, nil, "-"},
		{"an age", []value.Field{{Encoding: value.Age, Size: 8}}, []any{uint64(5)}, nil, "5"},
		{"no age", []value.Field{{Encoding: value.Age, Size: 8}}, []any{uint64(1 << 63)}, nil, "-"},
	})
	d, b := (&recordTest{fields: []value.Field{{Encoding: value.Who, Arg: 1}}, args: []any{uint64(0), load[0]}}).decoder(binary.LittleEndian)
	if v := d.Value(0, b); v.Uint != 1<<32-1 || string(v.Bytes) != "load" {
		t.Errorf("the task has the ID %d and the name %q", v.Uint, v.Bytes)
	}
	if v := d.Value(0, b[:len(b)-1]); v.Kind != value.None {
		t.Errorf("a task beyond the record is %v", v)
	}
}
