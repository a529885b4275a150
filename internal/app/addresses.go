package app

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/filmstrip/filmstrip/internal/httpserver"
)

// loopbackHosts returns the hosts by which programs on this machine reach a listener.
func loopbackHosts(addr string) []string {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return []string{addr}
	}
	return []string{addr, net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("localhost", port), net.JoinHostPort("::1", port)}
}

// base returns the base URL that does not depend on a request: --base-url, or else the first domain of --tls-domain, or
// the address of the listener.
func (c *Settings) base() string {
	if c.BaseURL != "" {
		return c.BaseURL
	}
	if len(c.TLSDomain) > 0 {
		host := c.TLSDomain[0]
		if _, port, err := net.SplitHostPort(c.Addr); err == nil && port != "443" {
			host = net.JoinHostPort(host, port)
		}
		return "https://" + host
	}
	if c.TLSCert != "" {
		return "https://" + c.Addr
	}
	return "http://" + c.Addr
}

// localHosts restricts a demo, whose credentials are public, to hosts of this machine and --allowed-hosts. It returns
// nil outside demo mode, where the server accepts every host.
func (c *Settings) localHosts() *httpserver.LocalHosts {
	if !c.Demo {
		return nil
	}
	return httpserver.NewLocalHosts(c.AllowedHosts, c.BaseURL)
}

// baseFinder returns the Base that finds the base URL of a request.
func (c *Settings) baseFinder() (*httpserver.Base, error) {
	base := &httpserver.Base{Fixed: c.BaseURL, Default: c.base(), Hosts: slices.Concat(c.AllowedHosts, loopbackHosts(c.Addr))}
	var err error
	base.Proxies, err = c.proxies()
	return base, err
}

// proxies returns the networks of --trusted-proxies.
func (c *Settings) proxies() ([]netip.Prefix, error) {
	return networks("trusted-proxies", c.TrustedProxies)
}

// networks parses the value of a setting that lists networks.
func networks(setting string, texts []string) ([]netip.Prefix, error) {
	var parsed []netip.Prefix
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("--%s: %q is not a network such as 10.0.0.0/8", setting, text)
		}
		parsed = append(parsed, network)
	}
	return parsed, nil
}
