package auth

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// userInfo is the response of the userinfo endpoint.
type userInfo struct {
	Subject string `json:"sub"`
	profileClaims
}

// serveUserInfo handles GET and POST /v1/userinfo (OpenID Connect Core section 5.3). It returns the claims that the
// token's scope reveals. The token must be in the Authorization header.
func (s *Service) serveUserInfo(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, HEAD, POST")
		httperror.Write(w, r, http.StatusMethodNotAllowed, "", fmt.Sprintf("userinfo must be read with GET or POST, not %s", account.Quoted(r.Method)), nil)
		return
	}
	s.verifier.Require(http.HandlerFunc(s.writeUserInfo)).ServeHTTP(w, r)
}

func (s *Service) writeUserInfo(w http.ResponseWriter, r *http.Request) {
	caller := account.CallerOf(r.Context())
	if err := unconfined(caller); err != nil {
		Refuse(w, r, err)
		return
	}
	if caller.User == "" || !hasScope(caller.Scope, "openid") {
		refuseScope(w, r)
		return
	}
	user, err := account.As[*account.User](s.accounts.Entity(r.Context(), account.KindUser.Key(caller.User)))
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	if user == nil || user.Disabled || user.AccountID != caller.Account.ID {
		refused := tokenRefused(errNoUser, caller.ClientID)
		s.verifier.report(r, refused)
		Refuse(w, r, refused)
		return
	}
	encoded, err := json.Marshal(userInfo{Subject: user.ID, profileClaims: profileOf(user, caller.Scope)})
	if err != nil {
		httperror.WriteError(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(encoded) // a client that is gone needs no answer
}

// refuseScope rejects a valid token that has no user or lacks the scope openid (RFC 6750 section 3.1).
func refuseScope(w http.ResponseWriter, r *http.Request) {
	const message = "a user's token with the scope openid is required"
	w.Header().Set("WWW-Authenticate", realm+`, error="insufficient_scope", error_description="`+message+`", scope="openid"`)
	httperror.Write(w, r, httperror.StatusOf(fault.Forbidden), "insufficient_scope", message, nil,
		map[string]any{"error_description": message})
}
