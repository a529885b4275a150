package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/filmstrip/filmstrip/account"
)

// serveRevoke handles POST /v1/revoke (RFC 7009). Revoking a refresh token revokes the whole sign-in with its access
// tokens; revoking an access token revokes only that token. Clients that have a secret must send it. For an unknown
// or expired token, or one of another client, the response is the same as for a revoked one. token_type_hint is
// ignored.
func (s *Service) serveRevoke(w http.ResponseWriter, r *http.Request) {
	s.serveForm(w, r, func(form form) (any, error) {
		given, err := credentialsOf(r, form)
		if err != nil {
			return nil, err
		}
		client, err := s.authenticateConfidential(r.Context(), given)
		if err != nil {
			return nil, err
		}
		if form["token"] == "" {
			return nil, missing([]string{"token"})
		}
		return nil, s.revokeToken(r.Context(), client, form["token"])
	})
}

func (s *Service) revokeToken(ctx context.Context, client *account.Client, token string) error {
	if canonical(token) {
		return s.revokeAccessToken(ctx, client, token)
	}
	grant, err := s.currentGrant(ctx, token, s.config.Clock())
	switch {
	case errors.Is(err, account.ErrGrantUnknown):
		return nil
	case err != nil:
		return err
	case grant.ClientID != client.ID:
		return nil
	}
	if err := s.accounts.DropGrants(ctx, account.GrantFilter{Family: grant.Family}); err != nil {
		return err
	}
	return s.revoke(ctx, grant.Family)
}

func (s *Service) revokeAccessToken(ctx context.Context, client *account.Client, token string) error {
	known, err := s.verifier.verify(ctx, token, s.config.Clock())
	switch {
	case isRefused(err):
		return nil
	case err != nil:
		return err
	case known.clientID != client.ID || known.id == "":
		return nil
	}
	return s.revoke(ctx, known.id)
}
