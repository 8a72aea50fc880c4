package symbols

import (
	"errors"
	"os"
	"strings"
	"sync"
)

// A Pool has the tables of many recordings: the text of one can take 14 MB. It keeps the tables
// that were used last, and of each the answers to some questions. Its tables know Name and IsCode
// only.
type Pool struct {
	most int // bytes of tables, unless one alone is larger

	mu    sync.Mutex
	inUse []*pooled // the one that was used last is the last
	size  int       // of them, in bytes
}

// NewPool returns a Pool that keeps tables of so many bytes, and one in any case.
func NewPool(most int) *Pool { return &Pool{most: most} }

// mostAnswers is how many addresses of a table the Pool knows without reading the table again.
// Few callers call a function again and again.
const mostAnswers = 1024

// A pooled table is read when it is asked for an address that is not among the answers.
type pooled struct {
	pool    *Pool
	table   *Table
	text    func() ([]byte, error)
	list    *list // nil if it is not in memory
	size    int   // of list, in bytes
	none    bool  // it cannot be read, or is empty
	answers map[uint64]answer
}

// An answer is what a table says about an address.
type answer struct {
	name, module string
	off          uint64
	ok, code     bool
}

// Recorded is like the function of that name.
func (p *Pool) Recorded(text func() ([]byte, error)) *Table {
	t := &Table{image: func() *image { return nil }, text: text, stale: func() bool { return false }, list: func() *list { return nil }}
	t.pooled = &pooled{pool: p, table: t, text: text, answers: map[uint64]answer{}}
	return t
}

// at returns what the table says about an address.
func (t *pooled) at(addr uint64) answer {
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	a, ok := t.answers[addr]
	if ok || t.none {
		return a
	}
	l := t.pool.load(t)
	if l == nil {
		return a
	}
	a.name, a.module, a.off, a.ok = l.Name(addr)
	a.name, a.module, a.code = strings.Clone(a.name), strings.Clone(a.module), l.IsCode(addr)
	if len(t.answers) >= mostAnswers {
		clear(t.answers)
	}
	t.answers[addr] = a
	return a
}

// load returns the list of a table, which it reads if it must. The mutex must be held.
func (p *Pool) load(t *pooled) *list {
	for i, other := range p.inUse {
		if other == t {
			copy(p.inUse[i:], p.inUse[i+1:])
			p.inUse[len(p.inUse)-1] = t
			return t.list
		}
	}
	for len(p.inUse) > 0 && p.size > p.most {
		p.drop()
	}
	text, err := t.text()
	if err == nil && len(text) == 0 || errors.Is(err, os.ErrClosed) {
		t.none = true
		return nil
	}
	if t.list = t.table.parse(text, err); t.list == nil {
		t.none = true
		return nil
	}
	const symbolSize = 16
	t.size = len(t.list.text) + symbolSize*cap(t.list.syms)
	p.inUse, p.size = append(p.inUse, t), p.size+t.size
	for len(p.inUse) > 1 && p.size > p.most {
		p.drop()
	}
	return t.list
}

// drop forgets the table that has not been used for the longest time.
func (p *Pool) drop() {
	first := p.inUse[0]
	p.inUse, p.size = p.inUse[1:], p.size-first.size
	first.list = nil
}
