package limit

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// AddressOf returns the address that a request counts for: the connection's or, if that is a trusted proxy, the last
// address in X-Forwarded-For that is not. Earlier elements are untrusted. An element that is not an address ends the
// search at the proxy that wrote it. An IPv6 address stands for its /64, which belongs to one customer of a network.
// The address is zero if the connection has none.
func (l *Limits) AddressOf(r *http.Request) netip.Addr { return network(l.WholeAddressOf(r)) }

// WholeAddressOf is AddressOf with the whole IPv6 address.
func (l *Limits) WholeAddressOf(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap()
	for _, header := range slices.Backward(r.Header["X-Forwarded-For"]) {
		for header != "" && l.trusts(address) {
			var last string
			header, last = cutLast(header)
			before, ok := parseAddress(last)
			if !ok {
				return address.WithZone("")
			}
			address = before
		}
	}
	return address.WithZone("")
}

func (l *Limits) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(l.proxies, func(proxy netip.Prefix) bool { return proxy.Contains(address) })
}

// cutLast cuts the last element off a list header.
func cutLast(header string) (rest, last string) {
	if comma := strings.LastIndexByte(header, ','); comma >= 0 {
		return header[:comma], strings.TrimSpace(header[comma+1:])
	}
	return "", strings.TrimSpace(header)
}

// parseAddress parses an address as proxies write it, with or without a port.
func parseAddress(text string) (netip.Addr, bool) {
	if address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")); err == nil {
		return address.Unmap(), true
	}
	withPort, err := netip.ParseAddrPort(text)
	return withPort.Addr().Unmap(), err == nil
}

// network reduces an IPv6 address to its /64.
func network(address netip.Addr) netip.Addr {
	if !address.Is6() {
		return address
	}
	prefix, _ := address.WithZone("").Prefix(64) // the length is always valid
	return prefix.Addr()
}
