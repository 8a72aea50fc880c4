package render

import "net/netip"

// appendMAC appends a hardware address of any length.
func appendMAC(dst, b []byte) []byte { return appendHex(dst, b, ':') }

// appendPaddedMAC appends a hardware address in a longer array, such as
// net_device.perm_addr, whose length is not known: it ends at the last byte that is not
// zero, but has at least six bytes.
func appendPaddedMAC(dst, b []byte) []byte {
	n := len(b)
	for n > 6 && b[n-1] == 0 {
		n--
	}
	return appendMAC(dst, b[:n])
}

// appendIP4 appends the four bytes of an IPv4 address.
func appendIP4(dst, b []byte) []byte {
	return netip.AddrFrom4([4]byte(b)).AppendTo(dst)
}

// appendIP6 appends the 16 bytes of an IPv6 address in the form of RFC 5952.
func appendIP6(dst, b []byte) []byte {
	return netip.AddrFrom16([16]byte(b)).AppendTo(dst)
}

// appendHexBytes appends b as "de ad be ef".
func appendHexBytes(dst, b []byte) []byte { return appendHex(dst, b, ' ') }

func appendHex(dst, b []byte, between byte) []byte {
	for i, c := range b {
		if i > 0 {
			dst = append(dst, between)
		}
		dst = append(dst, hexDigits[c>>4], hexDigits[c&15])
	}
	return dst
}
