package httpserver

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Base finds the public base address with which links start.
type Base struct {
	// Fixed is the address of every request; empty: it comes from the request.
	Fixed string
	// Proxies are the networks whose X-Forwarded-Proto, X-Forwarded-Host and traceparent are trusted.
	Proxies []netip.Prefix
	// Hosts are the hosts, with their port, that a request may name. Requests that name any other host get Default,
	// so that no caller can have links to a foreign host written.
	Hosts []string
	// Default is the address for requests that name no allowed host.
	Default string
}

// Of returns the base address of a request, without a slash at its end.
func (b *Base) Of(r *http.Request) string {
	if b.Fixed != "" {
		return b.Fixed
	}
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if b.trusts(r.RemoteAddr) {
		if forwarded := first(r.Header.Get("X-Forwarded-Proto")); forwarded == "http" || forwarded == "https" {
			scheme = forwarded
		}
		if forwarded := first(r.Header.Get("X-Forwarded-Host")); forwarded != "" {
			host = forwarded
		}
	}
	if !slices.Contains(b.Hosts, host) {
		return b.Default
	}
	return scheme + "://" + host
}

func (b *Base) trusts(remote string) bool {
	if len(b.Proxies) == 0 {
		return false
	}
	address, err := netip.ParseAddrPort(remote)
	return err == nil && slices.ContainsFunc(b.Proxies, func(network netip.Prefix) bool {
		return network.Contains(address.Addr().Unmap())
	})
}

// first is the first element of a list header: what the client said to the outermost proxy.
func first(header string) string {
	value, _, _ := strings.Cut(header, ",")
	return strings.TrimSpace(value)
}
