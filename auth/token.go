package auth

import (
	"errors"
	"net/http"

	"github.com/filmstrip/filmstrip/account"
)

// tokenAnswer is the token response (spec.md). Times are in seconds, as JSON numbers.
type tokenAnswer struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int64  `json:"expires_in"`
	RefreshExpiresIn int64  `json:"refresh_expires_in"`
	RefreshToken     string `json:"refresh_token"`
	TokenType        string `json:"token_type"`
	// IDToken is present if openid was granted and there is a user.
	IDToken string `json:"id_token,omitempty"`
	// NotBeforePolicy is the time before which all tokens are revoked, in seconds since 1970; 0 if none.
	NotBeforePolicy int64 `json:"not-before-policy"`
	// SessionState is the ID of the browser session.
	SessionState string `json:"session_state,omitempty"`
	Scope        string `json:"scope"`
}

// serveToken handles POST /v1/token (RFC 6749 section 3.2).
func (s *Service) serveToken(w http.ResponseWriter, r *http.Request) {
	s.serveForm(w, r, func(form form) (any, error) { return s.token(r, form) })
}

func (s *Service) token(r *http.Request, form form) (*tokenAnswer, error) {
	policy, err := policyOf(form)
	if err != nil {
		return nil, err
	}
	given, err := credentialsOf(r, form)
	if err != nil {
		return nil, err
	}
	if err := s.checkRequired(policy, form, given); err != nil {
		return nil, err
	}
	scope, err := parseScope(form["scope"])
	if err != nil {
		return nil, err
	}
	client, err := s.authenticate(r.Context(), given)
	if err != nil {
		return nil, err
	}
	externalUser, _ := account.ServiceUserID(r.Header[account.ServiceUserIDHeader]) // serveForm has refused one that is none
	return s.grant(r, policy, grantRequest{
		client: client, form: form, scope: scope, externalUser: externalUser, now: s.config.Clock(),
	})
}

// checkRequired returns an error that names all missing parameters of a grant. The client's credentials may come from
// the form or the header.
func (s *Service) checkRequired(policy grantPolicy, form form, given credentials) error {
	var absent []string
	if given.id == "" {
		absent = append(absent, "client_id")
	}
	if (policy.confidential || s.rosters.now().records.RequireSecret) && given.secret == "" {
		if client, _ := s.rosters.now().records.Client(given.id); client != nil && client.Public() {
			return unauthorizedClient("a client without a secret may not use grant_type " + policy.name)
		}
		absent = append(absent, "client_secret")
	}
	for _, name := range policy.requires {
		if form[name] == "" {
			absent = append(absent, name)
		}
	}
	if absent != nil {
		return missing(absent)
	}
	return nil
}

// grant executes a grant policy and builds the token response.
func (s *Service) grant(r *http.Request, policy grantPolicy, request grantRequest) (*tokenAnswer, error) {
	refreshToken := account.NewSecret()
	given, err := policy.exchange(s, r.Context(), request, account.Grant{
		Hash: hashOf(refreshToken), ClientID: request.client.ID,
		IssuedAt: request.now, Expires: request.now.Add(s.config.RefreshLifetime),
	})
	if err != nil {
		if refused, ok := errors.AsType[*oauthError](err); ok {
			refused.client = request.client.ID
		}
		return nil, err
	}
	refreshLifetime := s.config.RefreshLifetime
	if given.refreshToken != "" {
		refreshToken, refreshLifetime = given.refreshToken, given.refreshExpires.Sub(request.now)
	}
	current := s.rosters.now().records
	accessToken, err := tokensOf(s.config).write(current.keys, given.identity, request.now)
	if err != nil {
		return nil, err
	}
	answer := &tokenAnswer{
		AccessToken:      accessToken,
		ExpiresIn:        int64(s.config.AccessLifetime.Seconds()),
		RefreshExpiresIn: int64(refreshLifetime.Seconds()),
		RefreshToken:     refreshToken,
		TokenType:        "Bearer",
		SessionState:     given.session,
		Scope:            given.scope,
	}
	if !current.NotBefore.IsZero() {
		answer.NotBeforePolicy = current.NotBefore.Unix()
	}
	if given.profile != nil && hasScope(given.scope, "openid") {
		answer.IDToken, err = writeIDToken(s.config, current.keys, given, accessToken, request.now)
	}
	return answer, err
}
