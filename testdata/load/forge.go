package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A forgery is a call whose strings are made to be mistaken for something else.
type forgery struct {
	DFD        int
	Comm, Name []byte
}

// forged are the pieces of such strings: line ends, quotes and what a tracer itself
// prints, what has an effect on a terminal, and invalid text.
var forged = []string{
	"\n", "\r", "\t", "\v", "\x7f", "\x01", "\x1b[2J", "\x1b]0;t\x07", "\x9b2J", "\u009b2J", "\u202e", "\u2066", "\u2028", "\u2029", "\ufeff",
	"\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f", "\"", "'", "\\", "\\n", "\\x1b", "`", "$(reboot)", " ", "  ", "é", "日本", "e\u0301",
	`", return=0) = 3 <- x`, `") = -2 (ENOENT)`, `","ret":7}`, "}\n{", "(fault)", "(fault: x=NULL)", "...", "-1", " [000] ", "1.000000: ", ": ", "=",
	"CPU:0 [LOST 77 EVENTS]\n", "tsnoop: all is well\n", "<...>", "# ", "swapper/0-0",
	"\n             cat-1       [000] .....    12.345678: do_sys_openat2: (do_sys_openat2+0x0/0x90) dfd=100000 filename=\"no\"\n",
	"\n   0.000001   0 init-1                do_sys_openat2(dfd=100001, filename=\"no\")\n",
}

// forge is like pid. Then it opens files with such names, under such task names. The
// i-th call has the directory 100000+i. FILE.made then lists the calls.
func forge(file, count, seed string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	s, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(s, 1))
	var made []forgery
	for i := range n {
		f := forgery{DFD: 100000 + i, Comm: forgedText(r, 1+r.IntN(15)), Name: []byte("/" + string(forgedText(r, 40<<r.IntN(6))))}
		if i%50 == 49 { // as long as a record can hold, and longer
			f.Name = append(f.Name, strings.Repeat("x", 4095)...)[:3800+r.IntN(296)]
		}
		made = append(made, f)
	}
	if err := ready(file); err != nil {
		return err
	}
	for _, f := range made {
		comm, name := append(f.Comm, 0), append(f.Name, 0)
		if err := unix.Prctl(unix.PR_SET_NAME, pointer(comm), 0, 0, 0); err != nil {
			return err
		}
		unix.Syscall6(unix.SYS_OPENAT, uintptr(f.DFD), pointer(name), unix.O_RDONLY, 0, 0, 0)
	}
	b, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return os.WriteFile(file+".made", b, 0o644)
}

// forgedText returns most bytes of pieces, none of them 0.
func forgedText(r *rand.Rand, most int) []byte {
	var b []byte
	for len(b) < most {
		b = append(b, forged[r.IntN(len(forged))]...)
	}
	return b[:most]
}
