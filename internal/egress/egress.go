// Package egress provides HTTP transports for requests to URLs chosen by customers, imports or other servers. They
// connect to public addresses only, so that such URLs cannot reach the private network of the server (server-side
// request forgery).
//
// The check is made when a connection is opened, on the resolved address. A name that first resolves to a public and
// later to a private address (DNS rebinding) is therefore refused, and so is a redirect to one.
package egress

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// The limits of every transport.
const (
	dialTime      = 5 * time.Second
	headerTime    = 10 * time.Second
	idleTime      = time.Minute
	maxHeader     = 64 << 10 // bytes
	maxIdleByHost = 16
)

// Options determine which addresses a transport may connect to.
type Options struct {
	// Allowed are networks that are allowed although they are not public.
	Allowed []netip.Prefix
	// Setting is the name of the setting that contains Allowed, for error messages.
	Setting string
}

// NewTransport returns a transport that connects to public addresses and to those in Allowed. It waits five seconds for
// a connection, five more for TLS, and ten seconds for a header of at most 64 KiB. It ignores HTTP_PROXY and
// HTTPS_PROXY, because a proxy would connect to private addresses on its behalf. Callers must limit redirects, the
// total time, and the size of the response.
//
// The error for any other address has a *Refused in its chain.
func NewTransport(options Options) *http.Transport {
	dialer := &net.Dialer{
		Timeout: dialTime,
		// Control receives the resolved address of every new connection.
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

// Refused is the error for a connection to an address that is not public.
type Refused struct {
	// Address is the resolved IP address and port.
	Address string
	// Setting is the name of the setting that allows private networks; "" if there is none.
	Setting string
}

// Error names the address and the setting that allows private networks.
func (r *Refused) Error() string {
	if r.Setting == "" {
		return fmt.Sprintf("egress: %s is not a public address", r.Address)
	}
	return fmt.Sprintf("egress: %s is not a public address; %s lists the private networks that are allowed", r.Address, r.Setting)
}
