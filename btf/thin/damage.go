package thin

import "fmt"

// Damage looks for damage in little-endian BTF: impossible lengths, kinds of types and
// names. It returns the offset in bytes and what is wrong; what is "" if it finds
// nothing.
func Damage(data []byte) (at int, what string) {
	const head = 24
	if len(data) < head {
		return len(data), "it ends in the header"
	}
	if data[0] != 0x9f || data[1] != 0xeb {
		return 0, ""
	}
	u32 := func(at int) int { return int(order.Uint32(data[at:])) }
	begin := u32(4)
	if begin < head || begin > len(data) {
		return 4, fmt.Sprintf("a header of %d bytes", begin)
	}
	types, typesEnd := begin+u32(8), begin+u32(8)+u32(12)
	strings, stringsEnd := begin+u32(16), begin+u32(16)+u32(20)
	switch {
	case typesEnd > len(data):
		return 12, fmt.Sprintf("types up to byte %d of %d", typesEnd, len(data))
	case stringsEnd > len(data):
		return 20, fmt.Sprintf("strings up to byte %d of %d", stringsEnd, len(data))
	case strings == stringsEnd || data[stringsEnd-1] != 0:
		return stringsEnd - 1, "strings that do not end"
	}
	for id, at := 1, types; at < typesEnd; id++ {
		if at+12 > typesEnd {
			return at, fmt.Sprintf("type %d is cut off", id)
		}
		info := uint32(u32(at + 4))
		size := typeSize(info>>24&0x1f, info&0xffff)
		switch {
		case size == 0:
			return at + 4, fmt.Sprintf("type %d is of kind %d", id, info>>24&0x1f)
		case at+int(size) > typesEnd:
			return at, fmt.Sprintf("type %d is cut off", id)
		}
		at += int(size)
	}
	return 0, ""
}
