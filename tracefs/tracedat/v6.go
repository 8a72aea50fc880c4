package tracedat

// readV6 reads a version 6 file, in which the parts follow each other.
func (o *opener) readV6(s *source) {
	o.readHeaders(s)
	o.readFtraceEvents(s)
	o.readEvents(s)
	o.skipKallsyms(s)
	o.readPrintk(s)
	o.readCmdlines(s)
	s.what = "CPU count"
	o.cpus = int(int32(s.u32()))
	top := Buffer{}
	if o.readBufferV6(s, &top) && !o.Latency {
		o.add(top)
		if top.Clock != "" {
			o.Clock = top.Clock
		}
	}
	for i := range o.Buffers {
		if b := &o.Buffers[i]; b.Name != "" {
			sub := *s
			sub.err, sub.what, sub.off = nil, "buffer "+b.Name, b.offset
			if b.offset < 0 {
				sub.off = sub.end
			}
			o.readBufferV6(&sub, b)
		}
	}
}

// The markers before the options and the tables of CPUs.
const (
	markOptions = "options  \x00"
	markLatency = "latency  \x00"
	markRecord  = "flyrecord\x00"
)

// readBufferV6 reads the options, if there are any, the table of CPUs and the clock of
// a buffer. It reports whether it has reached the table.
func (o *opener) readBufferV6(s *source, b *Buffer) bool {
	defer func() { o.damaged(s.err) }()
	s.what = "options"
	mark := string(s.take(10))
	if mark == markOptions {
		o.readOptionsV6(s)
		mark = string(s.take(10))
	}
	if s.err != nil {
		return false
	}
	switch mark {
	case markLatency:
		o.Latency = true
		return true
	case markRecord:
	default:
		s.off -= int64(len(mark))
		s.fail(ErrDamaged)
		return false
	}
	s.what = "table of CPUs"
	n := o.tableSize(s, o.cpus)
	for id := 0; id < n && s.err == nil; id++ {
		c := CPU{ID: id, offset: int64(s.u64()), Size: int64(s.u64())}
		switch {
		case s.err != nil:
		case c.sound():
			b.CPUs = append(b.CPUs, c)
		default:
			s.off -= 16
			s.fail(ErrDamaged)
		}
	}
	if s.err != nil {
		return len(b.CPUs) > 0
	}
	o.readClockV6(s, b)
	return true
}

// readOptionsV6 reads options up to the one that marks their end.
func (o *opener) readOptionsV6(s *source) {
	for s.err == nil {
		id := s.u16()
		if s.err != nil || id == optDone {
			return
		}
		at := s.off
		data := s.take(uint64(s.u32()))
		if s.err == nil {
			o.readOption(id, data, at)
		}
	}
}

// readClockV6 reads the clock, which trace-cmd writes after the table without
// announcing it. Old files do not have it: the bytes there are padding, or pages.
func (o *opener) readClockV6(s *source, b *Buffer) {
	s.what = "clock"
	start := s.off
	n := s.u64()
	if s.err != nil || n > maxName || n > uint64(s.left()) {
		s.off, s.err = start, nil
		return
	}
	b.Clock = currentClock(s.take(n))
}
