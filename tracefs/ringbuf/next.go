package ringbuf

// Values of type_len. Those between typeLong and typePadding are data of that many
// words. See enum ring_buffer_type in include/linux/ring_buffer.h.
const (
	typeLong    = 0  // data; the first word of the payload is its length
	typePadding = 29 // the rest of the page is unused, or the event was discarded
	typeExtend  = 30 // adds the part of the time that does not fit into time_delta
	typeStamp   = 31 // sets the time
)

const (
	lenBits   = 5                // width of type_len
	deltaBits = 27               // width of time_delta, which fills the word; TS_SHIFT
	topBits   = uint64(31) << 59 // top bits of a time, which a typeStamp lacks; TS_MSB
)

// Next moves to the next record and sets Stamp and Data. It returns false at the end of
// the page or after an error; see Err.
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

// end is called when no whole word is left.
func (p *Page) end() bool {
	if p.pos < len(p.buf) {
		return p.fail(ErrTruncated)
	}
	p.Data = nil
	return false
}

// special handles the record with word w at pos that is not plain data. If more is
// false, Next returns found.
func (p *Page) special(w uint32) (more, found bool) {
	delta := uint64(w >> lenBits)
	kind := w % (1 << lenBits)
	if kind == typePadding && delta == 0 {
		// Written where no more record fits; it has no length.
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

// explicit handles data with an explicit length: data of more than 112 bytes, and all
// data on architectures that align records to 8 bytes. The length includes itself and
// the kernel's rounding up to 4 or 8 (rb_calculate_event_length), so the next record
// follows directly; rb_event_length does not round either.
func (p *Page) explicit(delta uint64, length uint32, rest []byte) bool {
	// An empty payload is stored as one byte, that is, as one word.
	if !p.fits(length, 8, rest) {
		return false
	}
	p.now += delta
	p.Stamp, p.Data = p.now, rest[4:length:length]
	p.pos += 4 + int(length)
	return true
}

// discarded skips an event that a filter refused after something else was already written
// after it.
//
// Its delta counts. The writer computes the next delta from the time of the discarded
// event (write_stamp in __rb_reserve_next). rb_event_discard does not change
// time_delta, except that it replaces 0 by 1. The kernel's own check of deltas adds all
// of them but 1 (check_buffer, later rb_read_data_buffer), and libtraceevent adds all
// (kbuffer-parse.c). But the kernel's readers add none (rb_update_read_stamp and
// rb_update_iter_read_stamp return at padding), so times in trace and trace_pipe are
// too early from there to the end of the page. That was seen on 6.1, 6.12 and 7.x;
// testdata has the proof. The time of a page that is read in two parts also comes from
// such a reader.
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

// fits reports whether length, which includes itself, is one that the kernel writes and
// does not exceed rest, which starts with it.
func (p *Page) fits(length, least uint32, rest []byte) bool {
	if length < least || length%4 != 0 {
		return p.fail(ErrLength)
	}
	if uint64(length) > uint64(len(rest)) {
		return p.fail(ErrTruncated)
	}
	return true
}

// absolute adds to a stored 59-bit time the top 5 bits of the previous time, as
// rb_fix_abs_ts does (commit 6695da58f944 of 2022). Clock tai counts from 1970 and
// needs them.
func absolute(t, before uint64) uint64 {
	if before&topBits == 0 {
		return t
	}
	t |= before & topBits
	if t < before {
		t += 1 << 59 // the top bits have changed since then
	}
	return t
}
