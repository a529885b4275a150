package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// serveAuthorize answers AuthorizePath (RFC 6749 section 3.1). What is wrong with client or redirect
// address stays here; every other fault goes to the client (section 4.1.2.1).
func (h *Handler) serveAuthorize(w http.ResponseWriter, r *http.Request) error {
	values, err := readParameters(w, r)
	if err != nil {
		return err
	}
	if cookiesWithheld(r) {
		redirect(w, r, h.base+AuthorizePath+"?"+values.Encode())
		return nil
	}
	p, err := h.findRelyingParty(r.Context(), values.Get("client_id"), values.Get("redirect_uri"))
	if err != nil {
		return err
	}
	q, refused := readRequest(values, p)
	if refused == nil {
		refused = h.checkAccess(p)
	}
	if refused != nil {
		h.sendError(w, r, q, refused)
		return nil
	}
	if hint := values.Get("id_token_hint"); hint != "" {
		if _, user, _, err := h.ReadIDTokenHint(hint); err == nil {
			q.User = user
		}
	}
	return h.authorize(w, r, p, q)
}

// authorize gives a code to the user of the browser's session, or has one sign in.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request, p relyingParty, q *request) error {
	session, err := h.session(r, p.account)
	switch {
	case err != nil:
		return err
	case session != nil && h.satisfies(session, q):
		return h.issueCode(w, r, q, session)
	case q.None:
		h.sendError(w, r, q, newOAuthError("login_required", "the user is not signed in"))
		return nil
	}
	if provider := chosenProvider(p.account, q); provider != nil {
		return h.redirectToProvider(w, r, p, q, provider)
	}
	return h.writeLogin(w, r, http.StatusOK, p, q, loginFault{})
}

// withheld reports whether the browser has kept its cookies back, because another site had it send a
// form (SameSite=Lax). It brings them along when it is sent on with GET.
func cookiesWithheld(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Sec-Fetch-Site") == "cross-site"
}

// party finds who asks. The roster is brought up to the store before anybody is told that they are not
// known.
func (h *Handler) findRelyingParty(ctx context.Context, clientID, redirectURI string) (relyingParty, error) {
	found, problem := relyingPartyIn(h.Roster(), clientID, redirectURI)
	if problem == nil {
		return found, nil
	}
	if err := h.Refresh(ctx); err != nil {
		return relyingParty{}, err
	}
	if found, problem = relyingPartyIn(h.Roster(), clientID, redirectURI); problem != nil {
		return relyingParty{}, problem
	}
	return found, nil
}

func relyingPartyIn(roster *account.Roster, clientID, redirectURI string) (relyingParty, *problem) {
	client, owner := roster.Client(clientID)
	switch {
	case clientID == "":
		return relyingParty{}, badRequest("client_id is required")
	case client == nil:
		return relyingParty{}, badRequest("the client is not known here")
	case redirectURI == "":
		return relyingParty{}, badRequest("redirect_uri is required")
	case !slices.Contains(client.RedirectURIs, redirectURI):
		return relyingParty{}, badRequest("redirect_uri is not registered for this client")
	}
	return relyingParty{
		client: client, account: owner,
		requirePKCE: roster.RequiresPKCE(client), requireSecret: roster.RequiresSecret(client),
	}, nil
}

// admit refuses what no user of the account may have, and codes that the client could not redeem.
func (h *Handler) checkAccess(p relyingParty) *oauthError {
	if p.requireSecret && p.client.Public() {
		return newOAuthError("unauthorized_client", "the service requires a secret of every client, and this one has none")
	}
	if !p.account.InForce(catalogue.DateOf(h.Clock())) {
		return newOAuthError("access_denied", "the account's access has ended")
	}
	return nil
}

// suffices reports whether a session answers a request without asking the user anything.
func (h *Handler) satisfies(session *account.Session, q *request) bool {
	recent := q.MaxAge == nil || h.Clock().Sub(session.AuthTime) <= time.Duration(*q.MaxAge)*time.Second
	return !q.Login && recent && (q.User == "" || q.User == session.User)
}

// giveCode sends the browser back with a code for the session's user. Whoever ends a session drops first
// itself and then its codes, so that a session which is there once the code is stored leaves none behind;
// nor does one that the operator's instant has just ended.
func (h *Handler) issueCode(w http.ResponseWriter, r *http.Request, q *request, session *account.Session) error {
	code, family := newSecret(), rand.Text()
	err := h.Store.PutCode(r.Context(), account.Code{
		Hash: sha256.Sum256([]byte(code)), ClientID: q.ClientID, RedirectURI: q.RedirectURI,
		User: session.User, Scope: q.Scope, Nonce: q.Nonce, Challenge: q.Challenge,
		Family: family, Session: session.ID, AuthTime: session.AuthTime, Expires: h.Clock().Add(account.CodeLifetime),
	})
	if err != nil {
		return err
	}
	still, err := h.Store.Session(r.Context(), session.Hash, h.Clock())
	if err = errors.Join(err, h.Refresh(r.Context())); err != nil {
		return err
	}
	if still == nil || h.sessionStart(session).Before(h.Roster().NotBefore) {
		if err := h.Store.DropGrants(r.Context(), account.GrantFilter{Family: family}); err != nil {
			return err
		}
		h.sendError(w, r, q, newOAuthError("login_required", "the session has just ended"))
		return nil
	}
	h.respond(w, r, q, "code", code)
	return nil
}

// takesPasswords reports whether the users of an account may sign in with a password of this service.
func takesPasswords(a *account.Account) bool {
	return a.PasswordSignIn || len(a.IdentityProviders) == 0
}

// chosen is the provider that a request leads to without a question: the one that it names, the one of
// the user's e-mail address, or the only way there is; nil: the page must ask.
func chosenProvider(a *account.Account, q *request) *account.IdentityProvider {
	if named := a.Provider(q.ProviderHint); named != nil {
		return named
	}
	if home := providerOfDomain(a, q.LoginHint); home != nil {
		return home
	}
	if len(a.IdentityProviders) == 1 && !takesPasswords(a) {
		return &a.IdentityProviders[0]
	}
	return nil
}
