package value

// Doubts says that the records were made from text. At offset at, in bytes, a record has
// one byte for each arg: an index into whys, which says what the text leaves uncertain.
func (d *Decoder) Doubts(at int, whys []Why) { d.doubts, d.whys = at, whys }

// whyText returns what text leaves uncertain about f, a string; 0 if nothing.
func (d *Decoder) whyText(f *Field, data []byte) Why {
	if why := d.whyArg(f.Arg, data); why != MaybeNext || len(f.Guards) > 1 {
		return why
	}
	return 0 // the text shows whether the last pointer could be followed
}

// whyArg returns what text leaves uncertain about an arg that was read through several
// pointers.
func (d *Decoder) whyArg(arg int, data []byte) Why {
	if d.whys == nil {
		return 0
	}
	if at := d.doubts + arg; at < len(data) && int(data[at]) < len(d.whys) {
		return d.whys[data[at]]
	}
	return 0
}
