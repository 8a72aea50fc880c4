package value

import "bytes"

// strings returns the value of field f, which lists the texts of other fields, up to the
// first whose pointer is NULL or cannot be read. If Reason is CutOff, there are more texts.
func (d *Decoder) strings(f int, data []byte) Value {
	parts, reason := d.more[f].list[:0], CutOff
	for _, item := range d.fields[f].Items {
		v := d.value(item, data)
		pointers := d.fields[item].PointerChecks
		if v.Kind == Fault && v.Pointer != &pointers[len(pointers)-1] { // the list itself
			if len(parts) == 0 && v.Uint == 0 {
				return null
			} else if len(parts) == 0 {
				return v
			}
			parts, reason = append(parts, v), 0
			break
		}
		if v.Kind == Fault && v.Uint == 0 {
			reason = 0
			break
		}
		parts = append(parts, v.upToNUL())
	}
	d.more[f].list = parts
	return Value{Kind: List, Parts: &d.more[f].list, Reason: reason}
}

// upToNUL returns v, the bytes of a text, without the NUL and what follows. Reason is CutOff
// if there is no NUL.
func (v Value) upToNUL() Value {
	if v.Kind != Bytes {
		return v
	}
	v.Uint, v.Reason = 0, CutOff
	if n := bytes.IndexByte(v.Bytes, 0); n >= 0 {
		v.Bytes, v.Reason = v.Bytes[:n], 0
	}
	return v
}
