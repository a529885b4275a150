package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// credentials are what a client says of itself; a secret of "" was not sent.
type credentials struct {
	id, secret string
}

// credentialsOf reads a client's credentials from the form or from HTTP Basic (RFC 6749 section 2.3.1).
// Both at once are taken where they agree.
func credentialsOf(r *http.Request, form form) (credentials, error) {
	stated := credentials{id: form["client_id"], secret: form["client_secret"]}
	basic, err := basicCredentials(r)
	switch {
	case err != nil:
		return credentials{}, err
	case basic.id == "":
		return stated, nil
	case stated.id != "" && stated.id != basic.id:
		return credentials{}, invalidRequest("client_id %s in the form is not %s in the Authorization header", quoted(stated.id), quoted(basic.id))
	case stated.secret != "" && basic.secret != "" && stated.secret != basic.secret:
		return credentials{}, invalidRequest("client_secret in the form is not the one in the Authorization header")
	case basic.secret == "":
		basic.secret = stated.secret
	}
	return basic, nil
}

// basicCredentials reads an Authorization header of scheme Basic, whose parts are form-encoded (RFC 6749
// section 2.3.1). Other schemes are ignored: programs that send a bearer token with every request send
// it here as well.
func basicCredentials(r *http.Request) (credentials, error) {
	values := r.Header["Authorization"]
	if len(values) > 1 {
		return credentials{}, invalidRequest("there must be at most one Authorization header, not %d", len(values))
	}
	if scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); !strings.EqualFold(scheme, "Basic") {
		return credentials{}, nil
	}
	name, password, ok := r.BasicAuth()
	id, err := url.QueryUnescape(name)
	secret, secretErr := url.QueryUnescape(password)
	if !ok || err != nil || secretErr != nil || id == "" {
		return credentials{}, invalidRequest("the Authorization header of scheme Basic is malformed")
	}
	return credentials{id: id, secret: secret}, nil
}

// authenticate returns the client with these credentials. A client that is refused may have been added
// or given a new secret a moment ago, so the roster is renewed before the refusal, whatever the reason:
// the time it takes does not tell which clients there are.
func (s *Service) authenticate(ctx context.Context, given credentials) (*account.Client, error) {
	now := s.config.Clock()
	if client := s.rosters.now().records.authenticate(given, now); client != nil {
		return client, nil
	}
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	if client := s.rosters.now().records.authenticate(given, now); client != nil {
		return client, nil
	}
	return nil, invalidClient()
}

// authenticateConfidential is authenticate for endpoints that ask a client for its secret if it has one.
func (s *Service) authenticateConfidential(ctx context.Context, given credentials) (*account.Client, error) {
	if given.id == "" {
		return nil, missing([]string{"client_id"})
	}
	client, err := s.authenticate(ctx, given)
	if err == nil && given.secret == "" && !client.Public() {
		return nil, invalidClient()
	}
	return client, err
}

// admit returns the client with these credentials, nil where there is none, it is disabled or its account
// suspended, where the secret that was sent is none of its own, or where it must send one and did not.
// Clients without a secret match none. The comparison takes the same work for clients that there are not.
func (r *records) authenticate(given credentials, now time.Time) *account.Client {
	client, _ := r.Client(given.id)
	if given.secret == "" {
		if client != nil && r.RequiresSecret(client) {
			return nil
		}
		return client
	}
	var sums [account.MaxSecrets][sha256.Size]byte // no secret has the sum that is all zero
	if client != nil {
		for i, secret := range client.Secrets[:min(len(client.Secrets), len(sums))] {
			if secret.Valid(now) {
				copy(sums[i][:], secret.Hash)
			}
		}
	}
	sum := sha256.Sum256([]byte(given.secret))
	equal := 0
	for i := range sums {
		equal |= subtle.ConstantTimeCompare(sum[:], sums[i][:])
	}
	if equal == 0 {
		return nil
	}
	return client
}
