package egress

import "net/netip"

// reserved are non-public networks that package netip does not recognize: carrier networks, networks for
// documentation and benchmarks, metadata services of cloud providers, and IPv6 addresses that embed an IPv4 address.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's metadata, within a public network
	netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// nat64 is the network through which IPv6-only hosts reach IPv4 addresses (RFC 6052). The last four bytes of its
// addresses are the IPv4 address.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// reachable reports whether an address is public or lies in one of the allowed networks. An IPv6 address that embeds
// an IPv4 address is treated as the IPv4 address.
func reachable(address netip.Addr, allowed []netip.Prefix) bool {
	address = address.Unmap().WithZone("")
	for _, network := range allowed {
		if network.Contains(address) {
			return true
		}
	}
	if nat64.Contains(address) {
		bytes := address.As16()
		return reachable(netip.AddrFrom4([4]byte(bytes[12:])), allowed)
	}
	for _, network := range reserved {
		if network.Contains(address) {
			return false
		}
	}
	return address.IsGlobalUnicast() && !address.IsPrivate()
}
