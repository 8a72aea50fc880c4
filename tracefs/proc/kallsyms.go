package proc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
)

const kallsyms = "/proc/kallsyms"

// ErrHidden says that /proc/kallsyms shows addresses to others only: to those
// with CAP_SYSLOG, and to nobody where kernel.kptr_restrict is 2.
var ErrHidden = errors.New("kernel addresses are hidden (kernel.kptr_restrict, CAP_SYSLOG)")

// A line is one line of /proc/kallsyms:
//
//	ffffffff81000000 T _stext
//	ffffffffc0401000 t ext4_foo	[ext4]
type line struct {
	addr   uint64
	kind   byte
	name   []byte // valid until the next line
	module []byte // nil for the kernel itself
	at     int    // where the name begins in the line
}

// text reports whether the symbol is code: t, T, or weak w and W.
func (l *line) text() bool {
	switch l.kind {
	case 't', 'T', 'w', 'W':
		return true
	}
	return false
}

// lines goes through /proc/kallsyms. Lines it cannot read are skipped.
func lines(r io.Reader) iter.Seq2[*line, error] {
	return func(yield func(*line, error) bool) {
		br := bufio.NewReaderSize(r, 1<<16)
		var l line
		for {
			b, err := br.ReadSlice('\n')
			if err == nil || err == io.EOF {
				if l.parse(bytes.TrimSuffix(b, []byte("\n"))) && !yield(&l, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
				yield(nil, err)
				return
			}
		}
	}
}

func (l *line) parse(b []byte) bool {
	i := 0
	l.addr = 0
	for ; i < len(b) && i < 16; i++ {
		digit := hexDigits[b[i]]
		if digit > 15 {
			break
		}
		l.addr = l.addr<<4 | uint64(digit)
	}
	if i == 0 || len(b) < i+4 || b[i] != ' ' || b[i+2] != ' ' {
		return false
	}
	l.kind, l.at, l.module = b[i+1], i+3, nil
	l.name = b[l.at:]
	if tab := bytes.IndexByte(l.name, '\t'); tab >= 0 {
		l.module = bytes.Trim(l.name[tab+1:], "[]")
		l.name = l.name[:tab]
	}
	return len(l.name) > 0
}

// hexDigits are the values of hexadecimal digits, 16 for other bytes.
var hexDigits = func() (t [256]uint8) {
	for i := range t {
		t[i] = 16
	}
	for i := range 10 {
		t['0'+i] = uint8(i)
	}
	for i := range 6 {
		t['a'+i] = uint8(10 + i)
	}
	return t
}()

func open() (*os.File, error) { return os.Open(kallsyms) }

// ReadKallsyms reads the symbol table, for LookupFacts and ParseSymbols both: the
// kernel takes long to write it, to go through it is quick.
func ReadKallsyms() ([]byte, error) { return os.ReadFile(kallsyms) }
