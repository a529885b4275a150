package media

import "net/netip"

// inner are networks that hold no public host, beside those that netip knows: of carriers, of
// documentation and tests, and of addresses that carry an IPv4 address inside.
var inner = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"), netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("3fff::/20"), netip.MustParsePrefix("5f00::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

// reachable reports whether the proxy may connect to an address: a public one, or one in the
// networks that the operator opened.
func reachable(address netip.Addr, opened []netip.Prefix) bool {
	address = address.Unmap().WithZone("")
	for _, network := range opened {
		if network.Contains(address) {
			return true
		}
	}
	for _, network := range inner {
		if network.Contains(address) {
			return false
		}
	}
	return address.IsGlobalUnicast() && !address.IsPrivate()
}
