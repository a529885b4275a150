package httpserver

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Base finds the public base URL, with which links start.
type Base struct {
	// Fixed is the base URL of every request; "": the request decides.
	Fixed string
	// Proxies are the networks whose X-Forwarded-Proto, X-Forwarded-Host and traceparent are trusted.
	Proxies []netip.Prefix
	// Hosts are the hosts, with port, that a request may name. Requests for other hosts get Default, so that no caller can
	// make the server write links to a foreign host.
	Hosts []string
	// Default is the base URL of requests for other hosts.
	Default string
}

// Of returns the base URL of a request, without a trailing slash.
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

// first returns the first element of a list header, which the outermost proxy added.
func first(header string) string {
	value, _, _ := strings.Cut(header, ",")
	return strings.TrimSpace(value)
}
