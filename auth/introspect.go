package auth

import (
	"context"
	"errors"
	"net/http"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// introspection is the response of RFC 7662 section 2.2. If the token is not active, all other fields are empty.
type introspection struct {
	Active       bool   `json:"active"`
	Scope        string `json:"scope,omitempty"`
	ClientID     string `json:"client_id,omitempty"`
	TokenType    string `json:"token_type,omitempty"`
	Expires      int64  `json:"exp,omitempty"`
	Issued       int64  `json:"iat,omitempty"`
	NotBefore    int64  `json:"nbf,omitempty"`
	Subject      string `json:"sub,omitempty"`
	Audience     string `json:"aud,omitempty"`
	Issuer       string `json:"iss,omitempty"`
	ID           string `json:"jti,omitempty"`
	Session      string `json:"sid,omitempty"`
	User         string `json:"service_user_id,omitempty"`
	ExternalUser string `json:"external_user_id,omitempty"`
	// Embed is the only video that the token is valid for.
	Embed catalogue.ID `json:"embed,omitempty"`
}

// serveIntrospect handles POST /v1/introspect (RFC 7662). Clients that have a secret may introspect access and
// refresh tokens of their own account. Tokens of other accounts are reported as inactive, like unknown ones.
func (s *Service) serveIntrospect(w http.ResponseWriter, r *http.Request) {
	s.serveForm(w, r, func(form form) (any, error) {
		given, err := credentialsOf(r, form)
		if err != nil {
			return nil, err
		}
		client, err := s.authenticateConfidential(r.Context(), given)
		switch {
		case err != nil:
			return nil, err
		case client.Public():
			return nil, s.refuseClient(given)
		case form["token"] == "":
			return nil, missing([]string{"token"})
		}
		return s.introspect(r.Context(), client, form["token"])
	})
}

func (s *Service) introspect(ctx context.Context, asking *account.Client, token string) (introspection, error) {
	if canonical(token) {
		return s.introspectAccessToken(ctx, asking, token)
	}
	now := s.config.Clock()
	grant, err := s.accounts.Grant(ctx, hashOf(token), now)
	if errors.Is(err, account.ErrGrantUnknown) {
		return introspection{}, nil
	} else if err != nil {
		return introspection{}, err
	}
	current := s.rosters.now().records
	client, _ := current.Client(grant.ClientID)
	if client == nil || client.AccountID != asking.AccountID || grant.IssuedAt.Before(current.NotBefore) {
		return introspection{}, nil
	}
	said := introspection{
		Active: true, Scope: grant.Scope, ClientID: grant.ClientID, Expires: grant.Expires.Unix(), Issued: grant.IssuedAt.Unix(),
		Subject: grant.User, Issuer: s.config.AuthURL, Session: grant.Session, User: grant.User,
	}
	if grant.User == "" {
		said.Subject = grant.ClientID
		return said, nil
	}
	user, err := s.userOf(ctx, client, grant.User)
	if refused := new(oauthError); errors.As(err, &refused) {
		return introspection{}, nil
	} else if err != nil {
		return introspection{}, err
	}
	said.ExternalUser = user.ExternalID
	return said, nil
}

func (s *Service) introspectAccessToken(ctx context.Context, asking *account.Client, token string) (introspection, error) {
	known, caller, err := s.verifier.identify(ctx, token)
	switch {
	case isRefused(err):
		return introspection{}, nil
	case err != nil:
		return introspection{}, err
	case caller.Account.ID != asking.AccountID:
		return introspection{}, nil
	}
	var video catalogue.ID
	if known.embed != nil {
		video = known.embed.Video
	}
	return introspection{
		Active: true, Scope: known.scope, ClientID: known.clientID, TokenType: "Bearer",
		Expires: known.ends.Unix(), Issued: known.issued.Unix(), NotBefore: known.issued.Unix(), Subject: known.subject(),
		Audience: tokensOf(s.config).audienceOf(video), Issuer: s.config.AuthURL, ID: known.id, Session: known.session,
		User: known.user, ExternalUser: known.externalUser, Embed: video,
	}, nil
}
