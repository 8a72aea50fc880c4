package value

// TooLong is the word of a text in place of which there is nothing in the record, because
// there was no room for it.
const TooLong = 0xffffffff

// MayCut says that a text without its final NUL in the record is only the beginning of
// one. The kernel always stores the NUL.
func (d *Decoder) MayCut() { d.cuts = true }

// Pointer returns the pointer that leads to the text of field f. It returns false if there
// is no such field or pointer.
func (d *Decoder) Pointer(f int, data []byte) (addr uint64, ok bool) {
	if f < 0 || len(d.fields[f].PointerChecks) == 0 {
		return 0, false
	}
	checks := d.fields[f].PointerChecks
	return d.Arg(checks[len(checks)-1].Arg, data), true
}

// Unreadable reports whether the first bytes of the text of field f are known not to have
// been read.
func (d *Decoder) Unreadable(f int, data []byte) bool {
	read, known := d.began(f, data)
	return known && !read
}

// Proven reports whether the first n bytes of the text of field f, whose last pointer may
// lead to user memory, are known to have been read.
func (d *Decoder) Proven(f, n int, data []byte) bool {
	addr, _ := d.Pointer(f, data)
	read, known := d.began(f, data)
	return known && read && (!d.arch.IsUser(addr) || addr%checkPage+uint64(n) <= checkPage)
}

// began reports whether the first bytes of the text of field f have been read, if the
// record shows it.
func (d *Decoder) began(f int, data []byte) (read, known bool) {
	addr, ok := d.Pointer(f, data)
	if !ok {
		return false, false
	}
	field := &d.fields[f]
	if bad, _, _ := d.fault(field, data); bad != nil {
		return false, true
	}
	p := field.PointerChecks[len(field.PointerChecks)-1].ReadCheck
	switch {
	case !d.arch.IsUser(addr), d.isCut(field, data): // of kernel memory more is not known
		return true, true
	case p == nil:
		return false, false
	case p.Kind == Counted:
		risen, ok := d.counted(p, addr, data)
		return !risen, ok
	}
	reason, bad := d.doubt(p, addr, data)
	return !bad, !bad || reason == NotInMemory
}

// Denies reports whether a read check shows that memory could not be read. False means that
// this is not known, or that it could be.
func (d *Decoder) Denies(p *ReadCheck, data []byte) bool {
	if p == nil {
		return false
	}
	reason, bad := d.doubt(p, 0, data)
	return bad && reason == NotInMemory
}
