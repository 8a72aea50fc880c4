package otlp

import (
	"hash/maphash"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// A nest finds the call that has made each call: of the calls of the same task that span it
// the shortest. That is known when this one returns, which is later, so calls wait until then,
// or for some time. It is the relation that tsnoop --tree shows.
type nest struct {
	tasks map[taskID]*task
	queue []turn // of all nodes that wait, in the order in which they came
	first int    // in queue
	added uint64 // nodes, ever
}

// A taskID is a thread. All CPUs have a thread 0, the idle one.
type taskID struct{ tid, cpu int }

func idOf(c *call.Call) taskID {
	if c.TID == 0 {
		return taskID{0, c.CPU}
	}
	return taskID{tid: c.TID}
}

// A task is a thread with what waits of it. The nodes are in the order in which they ended, so
// that the calls that a call has made come immediately before it.
type task struct {
	nodes []node
	first int    // of nodes: those before it were sent
	base  uint64 // number of nodes[0]
	sent  uint64 // the latest time at which one that was sent without a parent began
	gone  bool   // one was
	last  id     // of the latest call
	same  int
}

// A node is a span or a log record that waits.
type node struct {
	id
	parent [8]byte // zero until it is known
	begin  uint64  // on the trace clock
	size   int     // how many nodes it is, with those that it has made
	span   bool
	linked bool   // a log record that is part of an application's trace
	place  uint64 // the same for calls of one function from one caller
	items  uint64 // the same for calls of one spec
	body   text
}

const nodeSize = 160 // what a node takes, with its turn

// A turn is when a node was added.
type turn struct {
	of     taskID
	number uint64 // of the node
	end    uint64
}

var seed = maphash.MakeSeed()

// places sets the numbers that distinguish places and specs.
func (n *node) places(c *call.Call) {
	n.place = maphash.String(seed, c.Func.Name) ^ 3*maphash.String(seed, c.Func.Module) ^ 5*maphash.String(seed, c.Caller)
	for _, all := range [2][]call.Value{c.Args, c.Results} {
		for i := range all {
			n.items = n.items*31 + maphash.String(seed, all[i].Name)
		}
	}
}

// add adds a node of a task, and makes it the parent of those that it has made.
// It reports whether some of these were sent before.
func (s *nest) add(of taskID, n node, end uint64) (late bool) {
	t := s.task(of)
	n.size = 1
	if n.span {
		late = t.gone && n.begin <= t.sent
		for i := len(t.nodes) - 1; i >= t.first; {
			made := &t.nodes[i]
			if made.begin < n.begin || made.isSame(&n) {
				break
			}
			made.parent = n.id.span
			n.size += made.size
			i -= made.size
		}
	}
	s.added++
	t.nodes = append(t.nodes, n)
	s.queue = append(s.queue, turn{of, t.base + uint64(len(t.nodes)-1), end})
	return late
}

// isSame reports whether two specs have seen one call of a function. It has not made itself.
func (n *node) isSame(other *node) bool {
	return n.span && n.place == other.place && n.items != other.items
}

// task returns a task. Tasks of which nothing waits are forgotten if there are many.
func (s *nest) task(of taskID) *task {
	const most = 1 << 16
	t := s.tasks[of]
	if t != nil {
		return t
	}
	if len(s.tasks) >= most {
		for of, t := range s.tasks {
			if t.first == len(t.nodes) {
				delete(s.tasks, of)
			}
		}
	}
	if s.tasks == nil {
		s.tasks = map[taskID]*task{}
	}
	t = &task{base: s.added} // above all numbers of a task that was forgotten
	s.tasks[of] = t
	return t
}

// empty reports whether nothing waits.
func (s *nest) empty() bool { return s.first == len(s.queue) }

// oldest returns the end of the node that waits longest.
func (s *nest) oldest() uint64 { return s.queue[s.first].end }

// next takes out the node that waits longest and, if it is a root, all that it has made, in
// the order in which they ended. The root is the last one. They are valid until release.
func (s *nest) next() (*task, []node) {
	turn := s.queue[s.first]
	if s.first++; s.first >= 1024 && s.first > len(s.queue)/2 {
		s.queue = append(s.queue[:0], s.queue[s.first:]...)
		s.first = 0
	}
	t := s.tasks[turn.of]
	if t == nil || turn.number < t.base+uint64(t.first) {
		return nil, nil // it was sent with its root
	}
	i := int(turn.number - t.base)
	root := &t.nodes[i]
	if root.parent != [8]byte{} {
		return nil, nil // its root comes later
	}
	all := t.nodes[t.first : i+1]
	t.first = i + 1
	t.gone, t.sent = true, max(t.sent, root.begin)
	return t, all
}

// release forgets the nodes of a task that were sent.
func (s *nest) release(t *task) {
	if t.first < 64 && t.first < len(t.nodes) || t.first < len(t.nodes)/2 {
		return
	}
	rest := copy(t.nodes, t.nodes[t.first:])
	t.base += uint64(t.first)
	t.nodes, t.first = t.nodes[:rest], 0
	if rest == 0 && len(s.tasks) > 1024 {
		t.nodes = nil
	}
}
