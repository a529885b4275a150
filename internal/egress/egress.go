// Package egress makes the HTTP transports for requests whose address a customer, an import or another server
// chooses. They connect to public addresses only, so that such an address cannot reach the private network behind the
// server (server-side request forgery).
//
// The check happens when a connection is opened, on the address that the name has been resolved to. A name that
// resolves to a public address once and to a private one later (DNS rebinding) therefore gains nothing, and neither
// does a redirect.
package egress

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// The bounds of every transport.
const (
	dialTime      = 5 * time.Second
	headerTime    = 10 * time.Second
	idleTime      = time.Minute
	maxHeader     = 64 << 10 // bytes
	maxIdleByHost = 16
)

// Options say which addresses a transport reaches.
type Options struct {
	// Allowed are networks that it reaches although they are not public.
	Allowed []netip.Prefix
	// Setting is the name of the setting that holds Allowed, for the text of errors.
	Setting string
}

// NewTransport returns a transport that connects to public addresses, and to those in Allowed. It waits five seconds
// for a connection, as long again for TLS, and ten seconds for a header of at most 64 KiB. It ignores the variables
// HTTP_PROXY and HTTPS_PROXY, because a proxy would connect to private addresses on its behalf. Callers bound the
// redirects, the time of the whole request and the length of its answer.
//
// The error for any other address is in the chain of a *Refused.
func NewTransport(options Options) *http.Transport {
	dialer := &net.Dialer{
		Timeout: dialTime,
		// Control sees the address that a name was resolved to, for every connection anew.
		Control: func(_, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil || !reachable(target.Addr(), options.Allowed) {
				return &Refused{Address: address, Setting: options.Setting}
			}
			return nil
		},
	}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: headerTime,
		MaxResponseHeaderBytes: maxHeader, MaxIdleConnsPerHost: maxIdleByHost, IdleConnTimeout: idleTime,
	}
}

// Refused is the error of a connection to an address that is not public.
type Refused struct {
	// Address is the IP address and port that the name of the host was resolved to.
	Address string
	// Setting is the name of the setting that allows private networks; "": there is none.
	Setting string
}

// Error names the address, and the setting that would allow it.
func (r *Refused) Error() string {
	if r.Setting == "" {
		return fmt.Sprintf("egress: %s is not a public address", r.Address)
	}
	return fmt.Sprintf("egress: %s is not a public address; %s lists the private networks that are allowed", r.Address, r.Setting)
}
