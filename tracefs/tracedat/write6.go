package tracedat

// writeV6 writes a version 6 file.
func (wr *writer) writeV6() error {
	h, e := wr.h, wr.h.encoder()
	h.start(e)
	for _, p := range parts {
		p.encode(h, e)
	}
	e.u32(len(wr.cpus))
	e.text(markOptions)
	options := len(e.b)
	wr.encodeOptions(e, 0)
	e.u16(optDone)
	e.text(markRecord)
	clock := h.clock()
	end := wr.plan(int64(len(e.b)) + 16*int64(len(wr.cpus)) + 8 + int64(len(clock)))
	again := h.encoder()
	wr.encodeOptions(again, end)
	copy(e.b[options:], again.b)
	for _, s := range wr.spans {
		e.u64(s.off)
		e.u64(s.size)
	}
	e.sized(clock)
	if err := wr.writeAt(e.b, 0); err != nil {
		return err
	}
	if err := wr.copyPages(); err != nil {
		return err
	}
	return wr.writeSums(end, e.b)
}
