package ringbuf

// Time is the time stamp of the page, to which its first delta is added: the
// time of its first record or, on the rest of a page of which the beginning has
// been read before, of the last record there.
func (p *Page) Time() uint64 { return p.time }
