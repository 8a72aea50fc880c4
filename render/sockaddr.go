package render

import (
	"encoding/binary"
	"strconv"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// families is read when the first address of another family is shown: it takes ms.
var families = sync.OnceValue(func() *constants.Set { return constants.For("amd64").Set("af") })

// appendSockAddr appends a socket address by its family: "10.0.0.1:80", "[fe80::1%2]:22",
// "unix:\"/run/x\"", "netlink:0". b may be longer or shorter than the address. For other
// families it appends the name of the family and the bytes.
func appendSockAddr(dst, b []byte) []byte {
	if len(b) < 2 {
		return appendHexBytes(dst, b)
	}
	// The family is in the byte order of the machine; there are fewer than 256 families.
	family := value.Load(b[:2], b[0] == 0)
	switch {
	case family == value.FamilyUnspec:
		return append(dst, "AF_UNSPEC"...)
	case family == value.FamilyUnix:
		return appendUnix(append(dst, "unix:"...), b[2:])
	case family == value.FamilyInet && len(b) >= 8:
		dst = append(appendIP4(dst, b[4:8]), ':')
		return strconv.AppendUint(dst, uint64(binary.BigEndian.Uint16(b[2:])), 10)
	case family == value.FamilyInet6 && len(b) >= 24:
		dst = appendIP6(append(dst, '['), b[8:24])
		if len(b) >= 28 {
			if scope := value.Load(b[24:28], b[0] == 0); scope != 0 {
				dst = strconv.AppendUint(append(dst, '%'), scope, 10)
			}
		}
		return strconv.AppendUint(append(dst, "]:"...), uint64(binary.BigEndian.Uint16(b[2:])), 10)
	case family == value.FamilyNetlink && len(b) >= 12:
		dst = strconv.AppendUint(append(dst, "netlink:"...), value.Load(b[4:8], b[0] == 0), 10)
		if groups := value.Load(b[8:12], b[0] == 0); groups != 0 {
			dst = strconv.AppendUint(append(dst, " groups 0x"...), groups, 16)
		}
		return dst
	}
	dst = families().Append(dst, family)
	if rest := strings.TrimRight(string(b[2:]), "\x00"); rest != "" {
		dst = appendHexBytes(append(dst, ' '), b[2:2+len(rest)])
	}
	return dst
}

// appendWholeSockAddr is appendSockAddr for an address that is exactly as long as b: an
// abstract name may have more NULs, and what is too short for its family is shown so.
func appendWholeSockAddr(dst, b []byte) []byte {
	if len(b) < 2 {
		return appendTooShort(dst, b)
	}
	switch family := value.Load(b[:2], b[0] == 0); {
	case family == value.FamilyUnix && len(b) > 2 && b[2] == 0:
		return appendQuoted(append(dst, "unix:@"...), b[3:])
	case family == value.FamilyInet && len(b) < 8, family == value.FamilyInet6 && len(b) < 24, family == value.FamilyNetlink && len(b) < 12:
		return appendTooShort(append(families().Append(dst, family), ' '), b[2:])
	}
	return appendSockAddr(dst, b)
}

// appendTooShort appends the bytes of an address, or those after its family, that has too
// few of them.
func appendTooShort(dst, b []byte) []byte {
	if len(b) > 0 {
		dst = append(appendHexBytes(dst, b), ' ')
	}
	return append(dst, "/* too short */"...)
}

// appendUnix appends the path of a socket. An abstract name begins with @ in place of its
// NUL, as in ss and lsof.
func appendUnix(dst, path []byte) []byte {
	const longest = 108 // UNIX_PATH_MAX
	path = path[:min(len(path), longest)]
	if len(path) > 1 && path[0] == 0 && path[1] != 0 {
		dst = append(dst, '@')
		path = path[1:]
	}
	return appendQuoted(dst, value.UntilNUL(path))
}
