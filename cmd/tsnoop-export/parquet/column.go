package parquet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

// A place is where a call has a value, as JSON names it.
type place uint8

const (
	inArgs place = iota
	inReturn
	inResults
)

var places = []string{"args", "ret", "ret_args"}

// A form is the type of a column.
type form uint8

const (
	undecided form = iota
	boolean
	signed
	unsigned
	text
)

// A column is one for the values of an item.
type column struct {
	Name  string `json:"name"` // the only one with this name in any case
	Item  string `json:"item"` // as asked for
	Type  string `json:"type,omitempty"`
	Where string `json:"in"`
	form  form
	seen  [json.Tree + 1]bool // the kinds of values before the form was decided
}

// mostColumns is how many values have a column of their own. Others are in the column text.
const mostColumns = 500

// overflow is the column of those: there is none.
const overflow = mostColumns + 1

// A slotKey names a column: values of the same name and type, that is the nth with them in a
// call, have the same one.
type slotKey struct {
	where place
	name  string
	typ   string
	nth   int
}

// columns are those of the values of a function. The first one is ret.
type columns struct {
	all   []column
	slots map[slotKey]int
	names map[string]bool // in lower case
	last  [3][]cached     // the columns of the last call's values, for the next call
}

type cached struct {
	item *call.Item
	slot int
}

func newColumns() *columns {
	return &columns{all: []column{{Name: "ret", Item: "return", Where: places[inReturn]}}, slots: map[slotKey]int{}, names: map[string]bool{}}
}

// taken reports whether a column has a name, in any case: DuckDB takes both for the same.
func (c *columns) taken(name string) bool {
	name = strings.ToLower(name)
	return c.names[name] || slices.Contains(fixedNames, name)
}

// slot returns the column of the i-th value in a place, and notes what the value is.
func (c *columns) slot(where place, i int, v *call.Value) int {
	last := c.last[where]
	if i < len(last) && last[i].item == v.Item {
		c.see(last[i].slot, v)
		return last[i].slot
	}
	if i > len(last) { // does not happen: values come in order
		i = len(last)
	}
	last = append(last[:i], cached{v.Item, 0})
	key := slotKey{where, v.Name, v.Type, 0}
	for _, before := range last[:len(last)-1] {
		if before.item.Name == v.Name && before.item.Type == v.Type {
			key.nth++
		}
	}
	slot, ok := c.slots[key]
	if !ok {
		slot = c.add(key)
	}
	last[len(last)-1].slot = slot
	c.last[where] = last
	c.see(slot, v)
	return slot
}

func (c *columns) see(slot int, v *call.Value) {
	if slot < len(c.all) {
		c.all[slot].seen[v.Kind] = true
	}
}

// snapshot returns the columns as they are now.
func (c *columns) snapshot() []column { return slices.Clone(c.all) }

// add adds a column. For an item that has the name of another column, in any case, its name
// begins with the place, or ends with a number.
func (c *columns) add(key slotKey) int {
	if key.where == inReturn {
		c.slots[key] = 0
		if c.all[0].Type == "" {
			c.all[0].Type = key.typ
		}
		return 0
	}
	if len(c.all) > mostColumns {
		return overflow
	}
	plain := columnName(key.name)
	name, where := plain, places[key.where]
	if c.taken(name) {
		name = where + "." + plain
	}
	for n := 2; c.taken(name); n++ {
		name = fmt.Sprintf("%s_%d", plain, n)
	}
	c.names[strings.ToLower(name)] = true
	c.slots[key] = len(c.all)
	c.all = append(c.all, column{Name: name, Item: string(valid([]byte(key.name))), Type: string(valid([]byte(key.typ))), Where: where})
	return len(c.all) - 1
}

// columnName returns the name of an item as a column may have it: what cannot be printed is
// escaped, and it is not longer than other programs may allow.
func columnName(name string) string {
	const most = 120
	if name == "" {
		return "_"
	}
	name = string(render.AppendEscaped(nil, []byte(name), render.NoQuote))
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most-17], "") + "~" + sum(name)
}

// sum returns 16 digits for a name that is cut, which no other one has.
func sum(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:8])
}

// decide chooses the forms of the columns that have none yet, by the values of the calls so
// far. A later value that does not fit is null, and its text is in the column text.
func decide(all []column) {
	for i := range all {
		if c := &all[i]; c.form == undecided {
			c.form = c.decide()
		}
	}
}

func (c *column) decide() form {
	item := call.Item{Type: c.Type}
	switch {
	case c.Where == places[inReturn]:
		return signed // of all functions, so that one can ask about all of them
	case c.seen[json.Text] || c.seen[json.Bytes] || c.seen[json.Tree]:
		return text
	case c.seen[json.Uint], c.seen[json.Int] && item.Wide():
		return unsigned
	case isBool(c.Type), c.seen[json.Bool] && !c.seen[json.Int]:
		return boolean
	case c.seen[json.Int]:
		return signed
	case c.Type == "" || strings.ContainsAny(c.Type, "*[") || strings.HasPrefix(c.Type, "struct ") || strings.HasPrefix(c.Type, "union "):
		return text
	case item.Wide():
		return unsigned
	}
	return signed
}

func isBool(c string) bool { return slices.Contains([]string{"bool", "_Bool"}, c) }
