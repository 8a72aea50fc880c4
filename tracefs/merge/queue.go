package merge

// A queue is a heap of readers, the one with the earliest item first. If items have one time, that
// of the recording that was named first comes first.
type queue []*reader

func (q queue) less(i, j int) bool {
	if q[i].time != q[j].time {
		return q[i].time < q[j].time
	}
	return q[i].of.index < q[j].of.index
}

// order makes a heap of readers in any order.
func (q queue) order() {
	for i := len(q)/2 - 1; i >= 0; i-- {
		q.down(i)
	}
}

// down moves reader i to its place below.
func (q queue) down(i int) {
	for {
		first := i
		for _, child := range [...]int{2*i + 1, 2*i + 2} {
			if child < len(q) && q.less(child, first) {
				first = child
			}
		}
		if first == i {
			return
		}
		q[i], q[first] = q[first], q[i]
		i = first
	}
}

// pop removes the first reader.
func (q *queue) pop() {
	last := len(*q) - 1
	(*q)[0], (*q)[last] = (*q)[last], nil
	*q = (*q)[:last]
	q.down(0)
}
