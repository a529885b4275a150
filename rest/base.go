package rest

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/account"
)

// Base finds the public base address that links start with.
type Base struct {
	// Fixed is the address; empty: it is taken from the request.
	Fixed string
	// Proxies are the networks whose X-Forwarded-Proto, X-Forwarded-Host and traceparent are believed.
	Proxies []netip.Prefix
	// Hosts are the hosts, with their port, that a request may name; of others Default is taken, so
	// that nobody can have links to a place of theirs written.
	Hosts []string
	// Default is the address for requests that name no allowed host.
	Default string
}

// Of returns the base address of a request, without a slash at its end.
func (b *Base) Of(r *http.Request) string { return b.of(r) }

func (b *Base) of(r *http.Request) string {
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

// Origins are the origins of pages that may call with credentials.
type Origins struct {
	// List holds origins as browsers write them: scheme, host and port. They may call for every account.
	List []string
	// Loopback allows every origin of this very machine: for demonstrations.
	Loopback bool
	// OfAccounts reports whether an origin is allowed by any account; nil: none is. Its pages may ask
	// what they may do, and read answers to requests of those accounts alone.
	OfAccounts func(origin string) bool
}

// allows reports whether pages of an origin may call for anybody.
func (o *Origins) allows(origin string) bool {
	return o.own(origin) || o.OfAccounts != nil && o.OfAccounts(origin)
}

// AllowsFor reports whether pages of an origin may read answers to a caller; nil: to anybody at all.
func (o *Origins) AllowsFor(caller *account.Caller, origin string) bool {
	return o.own(origin) || caller == nil && o.allows(origin) ||
		caller != nil && caller.Account != nil && slices.Contains(caller.Account.AllowedOrigins, origin)
}

// own reports whether an origin is one of the service itself.
func (o *Origins) own(origin string) bool {
	if slices.Contains(o.List, origin) {
		return true
	}
	if !o.Loopback {
		return false
	}
	address, err := url.Parse(origin)
	if err != nil || address.Host == "" {
		return false
	}
	return account.IsLoopback(address.Hostname())
}
