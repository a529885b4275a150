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

// credentials are a client's ID and secret as sent; the secret is "" if absent.
type credentials struct {
	id, secret string
}

// credentialsOf reads a client's credentials from the form or from HTTP Basic (RFC 6749 section 2.3.1). Both may be
// present if they agree.
func credentialsOf(r *http.Request, form form) (credentials, error) {
	stated := credentials{id: form["client_id"], secret: form["client_secret"]}
	basic, err := basicCredentials(r)
	switch {
	case err != nil:
		return credentials{}, err
	case basic.id == "":
		return stated, nil
	case stated.id != "" && stated.id != basic.id:
		return credentials{}, invalidRequest("client_id %s in the form is not %s in the Authorization header", account.Quoted(stated.id), account.Quoted(basic.id))
	case stated.secret != "" && basic.secret != "" && stated.secret != basic.secret:
		return credentials{}, invalidRequest("client_secret in the form is not the one in the Authorization header")
	case basic.secret == "":
		basic.secret = stated.secret
	}
	return basic, nil
}

// basicCredentials reads an Authorization header with scheme Basic, whose parts are form-encoded (RFC 6749 section
// 2.3.1). Other schemes are ignored, because some programs send a bearer token with every request.
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

// authenticate returns the client with these credentials. Before it rejects a client it refreshes the roster, because
// the client or its secret may be new. It does so for every reason of rejection, so that the response time does not
// reveal which clients exist.
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
	return nil, s.refuseClient(given)
}

// authenticateConfidential is authenticate for endpoints that require the secret of clients that have one.
func (s *Service) authenticateConfidential(ctx context.Context, given credentials) (*account.Client, error) {
	if given.id == "" {
		return nil, missing([]string{"client_id"})
	}
	client, err := s.authenticate(ctx, given)
	if err == nil && given.secret == "" && !client.Public() {
		return nil, s.refuseClient(given)
	}
	return client, err
}

// authenticate returns the client with these credentials. It returns nil if the client does not exist or is disabled,
// its account is suspended, the secret is wrong, or a required secret is missing. Clients without a secret never
// match one. The comparison takes the same time for clients that do not exist.
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
