package read

// The streams of a merger that have a record form a binary heap, earliest record first.
// With equal times the lower CPU comes first, so that a file always reads the same; before
// all of them comes what is taken aside.

func (s *stream) before(t *stream) bool {
	if s.page.Stamp != t.page.Stamp {
		return s.page.Stamp < t.page.Stamp
	}
	if s.aside != t.aside {
		return s.aside
	}
	return s.cpu < t.cpu
}

func (m *merger) push(s *stream) {
	m.heap = append(m.heap, s)
	i := len(m.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !m.heap[i].before(m.heap[up]) {
			break
		}
		m.heap[i], m.heap[up] = m.heap[up], m.heap[i]
		i = up
	}
}

// pop removes the first stream.
func (m *merger) pop() {
	last := len(m.heap) - 1
	m.heap[0] = m.heap[last]
	m.heap[last] = nil
	m.heap = m.heap[:last]
	m.down(0)
}

// down moves stream i down to its place.
func (m *merger) down(i int) {
	for {
		least := i
		for kid := 2*i + 1; kid <= 2*i+2 && kid < len(m.heap); kid++ {
			if m.heap[kid].before(m.heap[least]) {
				least = kid
			}
		}
		if least == i {
			return
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}
