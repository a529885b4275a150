package auth

import (
	"errors"
	"net/http"

	"github.com/filmstrip/filmstrip/account"
)

// The reasons for which credentials are refused, as Config.Refused receives them.
const (
	reasonClientUnknown  = "unknown_client"
	reasonSecretWrong    = "wrong_client_secret"
	reasonSecretMissing  = "missing_client_secret"
	reasonClientDisabled = "disabled_client"
	reasonGrant          = "invalid_grant"
	reasonToken          = "invalid_token" // of any other kind
)

// refusedToken is the reason for refusing a token, with the client that it names, which a forger chooses.
type refusedToken struct {
	reason error
	client string
}

// Error returns the reason.
func (e *refusedToken) Error() string { return e.reason.Error() }

// Unwrap returns the reason.
func (e *refusedToken) Unwrap() error { return e.reason }

// report reports a refused token. A request without a token is no refusal.
func (v *Verifier) report(r *http.Request, err error) {
	if !isRefused(err) || errors.Is(err, ErrNoToken) {
		return
	}
	reason, client := reasonToken, ""
	if known, ok := errors.AsType[*tokenError](err); ok {
		reason = known.reason
	}
	if token, ok := errors.AsType[*refusedToken](err); ok {
		client = token.client
	}
	v.refused(r, reason, client)
}

// looksSecret reports whether a client ID is probably a secret that was sent in the wrong field: it has the form of the
// secrets of this service, and no client has it.
func (s *Service) looksSecret(id string) bool {
	return len(id) == len(account.NewSecret()) && canonicalPart(id) && s.rosters.now().records.Clients[id] == nil
}

// refuseClient returns the error for a client's credentials. Only the log distinguishes the reasons.
func (s *Service) refuseClient(given credentials) error {
	refused := invalidClient()
	refused.client = given.id
	if s.looksSecret(given.id) {
		refused.client = "(a secret)"
	}
	client, _ := s.rosters.now().records.Client(given.id)
	switch {
	case s.rosters.now().records.Clients[given.id] == nil:
		refused.refusal = reasonClientUnknown
	case client == nil:
		refused.refusal = reasonClientDisabled
	case given.secret == "":
		refused.refusal = reasonSecretMissing
	}
	return refused
}
