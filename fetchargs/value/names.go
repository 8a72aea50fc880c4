package value

import "strings"

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
	return strings.HasSuffix(name, "_v6") // fields of sock:inet_sock_set_state and others
}
