package httpserver

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/rs/cors"

	"github.com/filmstrip/filmstrip/account"
)

// Origins are the origins whose pages may send requests with credentials.
type Origins struct {
	// List holds origins as browsers write them: scheme, host and port. They are allowed for every account.
	List []string
	// Loopback allows every origin of this machine, for demos.
	Loopback bool
	// OfAccounts reports whether any account allows an origin; nil: none does. Pages of such an origin may send preflights,
	// and read the responses to callers of the accounts that allow it.
	OfAccounts func(origin string) bool
}

// allows reports whether an origin is allowed for any account.
func (o *Origins) allows(origin string) bool {
	return o.own(origin) || o.OfAccounts != nil && o.OfAccounts(origin)
}

// AllowsFor reports whether pages of an origin may read responses to a caller. A caller without an account, or nil, may
// be of any.
func (o *Origins) AllowsFor(caller *account.Caller, origin string) bool {
	if caller == nil || caller.Account == nil {
		return o.allows(origin)
	}
	return o.own(origin) || slices.Contains(caller.Account.AllowedOrigins, origin)
}

// own reports whether an origin is allowed for every caller.
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

// cors returns the part of CORS that does not depend on the mount.
func (o *Origins) cors() *cors.Cors {
	return cors.New(cors.Options{
		AllowOriginFunc:  o.allows,
		AllowCredentials: true,
		AllowedMethods:   []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"},
		AllowedHeaders:   []string{"*"},
		ExposedHeaders:   []string{"Location", "Content-Disposition", "Retry-After", "RateLimit", "RateLimit-Policy", "Link", "Deprecation", "Sunset", TraceHeader, "Upload-Offset", "Upload-Length", "Tus-Resumable"},
		MaxAge:           600,
	})
}

// allowOrigins answers preflights, which carry no token, and lets pages of every allowed origin read responses. keepOrigin
// restricts this once the caller is known. Mounts for AnyOrigin set the headers of CORS themselves.
func (s *server) allowOrigins(mount *Mount) middleware {
	return func(next http.Handler) http.Handler {
		if mount.AnyOrigin {
			return next
		}
		return s.cors.Handler(next)
	}
}

// keepOrigin withdraws the permission to read a response from pages of origins that other accounts allow, but not the
// account of the caller.
func (s *server) keepOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" && !s.Origins.AllowsFor(account.CallerOf(r.Context()), origin) {
			for _, name := range []string{"Origin", "Credentials"} {
				w.Header().Del("Access-Control-Allow-" + name)
			}
			w.Header().Del("Access-Control-Expose-Headers")
		}
		next.ServeHTTP(w, r)
	})
}
