package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// LocalHosts admits requests by their Host header: loopback addresses (127.0.0.0/8 and [::1]), localhost and
// names below it, each on any port, and the names that an operator has added. It protects a server with
// well-known credentials against DNS rebinding: a page of a foreign site whose name resolves to 127.0.0.1 still
// sends that name as its Host.
type LocalHosts struct {
	names []string // in lower case, without port
}

// NewLocalHosts also admits the host names of allowed (each HOST or HOST:PORT) and of baseURL, which may be empty. Ports
// and case do not matter.
func NewLocalHosts(allowed []string, baseURL string) *LocalHosts {
	var h LocalHosts
	for _, host := range allowed {
		if name := hostName(host); name != "" {
			h.names = append(h.names, name)
		}
	}
	if address, err := url.Parse(baseURL); err == nil && address.Hostname() != "" {
		h.names = append(h.names, strings.ToLower(address.Hostname()))
	}
	return &h
}

// Allows reports whether a Host header is admitted. An empty one is not.
func (h *LocalHosts) Allows(host string) bool {
	name := hostName(host)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || slices.Contains(h.names, name) && name != "" {
		return true
	}
	address, err := netip.ParseAddr(name)
	if err != nil {
		return false
	}
	return address.Is4() && address.IsLoopback() || address == netip.IPv6Loopback()
}

// allowHosts checks the Host header, unless the mount is for AnyHost.
func (s *server) allowHosts(mount *Mount) middleware {
	return func(next http.Handler) http.Handler {
		if s.Hosts == nil || mount.AnyHost {
			return next
		}
		return s.Hosts.Guard(next)
	}
}

// Guard answers 421 to requests whose Host is not admitted.
func (h *LocalHosts) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.Allows(r.Host) {
			httperror.Write(w, r, http.StatusMisdirectedRequest, "", fmt.Sprintf(
				"the demo does not answer for host %q: use 127.0.0.1, [::1] or localhost, or name the host in --allowed-hosts or --base-url",
				strings.ToValidUTF8(r.Host, "\uFFFD")), nil)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostName returns the name or address of HOST[:PORT] in lower case, without the brackets of an IPv6 address, or "" for any
// other text.
func hostName(host string) string {
	host = strings.ToLower(host)
	if bracketed, ok := strings.CutPrefix(host, "["); ok && strings.HasSuffix(host, "]") {
		return strings.TrimSuffix(bracketed, "]")
	}
	if !strings.Contains(host, ":") {
		return host
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return ""
	}
	return name
}
