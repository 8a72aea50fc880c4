package ringbuf

// Values of type_len; those between 0 and padding are data of as many words.
// See enum ring_buffer_type in include/linux/ring_buffer.h.
const (
	typeLong    = 0  // data; the first word of the payload tells the length
	typePadding = 29 // the rest of the page is unused, or a discarded event
	typeExtend  = 30 // adds to the time what does not fit into time_delta
	typeStamp   = 31 // sets the time
)

const (
	lenBits   = 5                // of type_len
	deltaBits = 32 - lenBits     // of time_delta; TS_SHIFT
	topBits   = uint64(31) << 59 // of a time, not in a typeStamp; TS_MSB
)

// Next goes to the next record and fills in Stamp and Data. It returns false at
// the end of the page or at an error; see Err.
func (p *Page) Next() bool {
	for {
		b, i := p.buf, p.pos
		if len(b)-i < 4 {
			return p.end()
		}
		w := p.word(b[i:])
		n := int(w % (1 << lenBits))
		if n == typeLong || n >= typePadding {
			if more, found := p.special(w); !more {
				return found
			}
			continue
		}
		end := i + 4 + 4*n
		if end > len(b) {
			return p.fail(ErrTruncated)
		}
		p.now += uint64(w >> lenBits)
		p.Stamp, p.Data, p.pos = p.now, b[i+4:end:end], end
		return true
	}
}

// end is called with no whole word left.
func (p *Page) end() bool {
	if p.pos < len(p.buf) {
		return p.fail(ErrTruncated)
	}
	p.Data = nil
	return false
}

// special handles the record of word w at pos that is not plain data. Next
// returns found unless there is more to see.
func (p *Page) special(w uint32) (more, found bool) {
	delta := uint64(w >> lenBits)
	kind := w % (1 << lenBits)
	if kind == typePadding && delta == 0 {
		// Written where no record fits any more; it has no length.
		p.pos = len(p.buf)
		p.Data = nil
		return false, false
	}
	rest := p.buf[p.pos+4:]
	if len(rest) < 4 {
		return false, p.fail(ErrTruncated)
	}
	arg := p.uint32(rest)
	switch kind {
	case typeExtend:
		p.now += uint64(arg)<<deltaBits + delta
		p.pos += 8
		return true, false
	case typeStamp:
		p.now = absolute(uint64(arg)<<deltaBits+delta, p.now)
		p.pos += 8
		return true, false
	case typePadding:
		return p.discarded(delta, arg, rest)
	}
	return false, p.explicit(delta, arg, rest)
}

// explicit handles data with an explicit length: those of more than 112 bytes, and
// all on architectures that align records to 8 bytes. The length counts itself
// and the kernel's rounding up to 4 or 8 (rb_calculate_event_length), so that
// the next record starts right behind; rb_event_length does not round either.
func (p *Page) explicit(delta uint64, length uint32, rest []byte) bool {
	// An empty payload is stored as one of a byte, that is of a word.
	if !p.fits(length, 8, rest) {
		return false
	}
	p.now += delta
	p.Stamp, p.Data = p.now, rest[4:length:length]
	p.pos += 4 + int(length)
	return true
}

// discarded skips an event that a filter refused when something else had been
// written behind its place already.
//
// Its delta counts. The writer takes the next delta from the time of the
// discarded event (write_stamp in __rb_reserve_next); rb_event_discard leaves
// time_delta as it is, only of 0 it makes 1; and the kernel's own test of deltas
// adds all but 1 (check_buffer, later rb_read_data_buffer). libtraceevent adds
// all (kbuffer-parse.c). But the kernel's readers add none (rb_update_read_stamp
// and rb_update_iter_read_stamp return at padding), so that times in trace and
// trace_pipe are too early from there to the end of the page: seen on 6.1, 6.12
// and 7.x, testdata has the proof. The time of a page that is read in two parts
// comes from such a reader, too.
func (p *Page) discarded(delta uint64, length uint32, rest []byte) (more, found bool) {
	if !p.fits(length, 4, rest) {
		return false, false
	}
	if delta != 1 {
		p.now += delta
	}
	p.pos += 4 + int(length)
	return true, false
}

// fits tells whether length, which counts itself, is one that the kernel writes
// and within the rest of the page, that starts with it.
func (p *Page) fits(length, least uint32, rest []byte) bool {
	if length < least || length%4 != 0 {
		return p.fail(ErrLength)
	}
	if uint64(length) > uint64(len(rest)) {
		return p.fail(ErrTruncated)
	}
	return true
}

// absolute completes a stored time of 59 bits with the top 5 of the time
// before, as rb_fix_abs_ts does (commit 6695da58f944 of 2022). Clock tai counts
// from 1970 and needs them.
func absolute(t, before uint64) uint64 {
	if before&topBits == 0 {
		return t
	}
	t |= before & topBits
	if t < before {
		t += 1 << 59 // the top bits have changed since
	}
	return t
}
