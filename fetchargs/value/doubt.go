package value

// Doubts says that the records were made of text and have, so many bytes from their
// beginning, a byte for each arg: the index of what the text leaves open of it.
func (d *Decoder) Doubts(at int, whys []Why) { d.doubts, d.whys = at, whys }

// whyText is what text leaves open of f, a string; 0 if nothing.
func (d *Decoder) whyText(f *Field, data []byte) Why {
	if why := d.whyArg(f.Arg, data); why != MaybeNext || len(f.Guards) > 1 {
		return why
	}
	return 0 // of the last pointer on the way, text tells
}

// whyArg is what text leaves open of an arg that was read through several pointers.
func (d *Decoder) whyArg(arg int, data []byte) Why {
	if d.whys == nil {
		return 0
	}
	if at := d.doubts + arg; at < len(data) && int(data[at]) < len(d.whys) {
		return d.whys[data[at]]
	}
	return 0
}
