package value

import "strings"

// NameIn returns the last name in the label of a field: "perm_addr" for
// "skb->dev->perm_addr[0]". Recordings made before [Field.Name] was saved have only that.
func NameIn(label string) string {
	if i := strings.LastIndexByte(label, '['); i > 0 {
		label = label[:i]
	}
	label = strings.TrimRight(label, ") ")
	i := strings.LastIndexFunc(label, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	return label[i+1:]
}

// macName reports whether an array of bytes of that name is a hardware address.
func macName(name string) bool {
	switch name {
	case "mac", "ha", "h_dest", "h_source", "bssid", "broadcast":
		return true
	}
	return strings.Contains(name, "addr") || strings.HasPrefix(name, "mac_") || strings.HasSuffix(name, "_mac")
}

// ip4Name reports whether a __be32 of that name is an IPv4 address.
func ip4Name(name string) bool {
	return strings.Contains(name, "addr") || strings.Contains(name, "gw")
}

// ip6Name reports whether an array of 16 bytes of that name is an IPv6 address.
func ip6Name(name string) bool {
	switch name {
	case "saddr", "daddr", "u6_addr8", "s6_addr", "in6_addr":
		return true
	}
	return false
}
